/* slices.c - slices of lists, read and stored to without an object for the slice. */
#include "deeds.h"
#include "keys.h"
#include "recipes.h"

typedef struct {
    Py_ssize_t start, stop, step, count;
} Span;

/* A bound that is at hand as a number, or None. */
static bool bound_of(const PjRecipe *r, int64_t *W, Py_ssize_t otherwise, Py_ssize_t *bound)
{
    if (r->op == R_INT) {
        *bound = (Py_ssize_t)W[r->a];
        return true;
    }
    if (r->op == R_BOOL) {
        *bound = W[r->a] != 0;
        return true;
    }
    PyObject *o = r->op == R_CONST ? pj_held(r->object) : NULL;
    if (o == Py_None) {
        *bound = otherwise;
        return true;
    }
    if (o == NULL || !PyLong_Check(o)) {
        return false;
    }
    *bound = PyLong_AsSsize_t(o);
    if (*bound == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return true;
}

/* As PySlice_Unpack and PySlice_AdjustIndices. False: it has to be made an object, or is none that can be. */
static bool span_of(const PjRecipe *slice, int64_t *W, Py_ssize_t length, Span *s)
{
    if (slice->op != R_SLICE || !bound_of(slice->kids[2], W, 1, &s->step) || s->step == 0 || s->step < -PY_SSIZE_T_MAX) {
        return false;
    }
    if (!bound_of(slice->kids[0], W, s->step < 0 ? PY_SSIZE_T_MAX : 0, &s->start) ||
        !bound_of(slice->kids[1], W, s->step < 0 ? PY_SSIZE_T_MIN : PY_SSIZE_T_MAX, &s->stop)) {
        return false;
    }
    s->count = PySlice_AdjustIndices(length, &s->start, &s->stop, s->step);
    return true;
}

static PyObject *item_of(PyObject **args, int n)
{
    (void)n;
    return PyObject_GetItem(args[0], args[1]);
}

/* list[slice]: a new list */
PyObject *pj_list_slice(PjSite *site, int64_t *W)
{
    PyObject *list = pj_at_hand(site->args[0], W);
    Span s;
    if (list == NULL || !span_of(site->args[1], W, PyList_GET_SIZE(list), &s)) {
        return pj_with_all(site, W, item_of);
    }
    PyObject *found = PyList_New(s.count);
    if (found == NULL) {
        PyErr_Clear();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < s.count; i++) {
        PyList_SET_ITEM(found, i, Py_NewRef(PyList_GET_ITEM(list, s.start + i * s.step)));
    }
    return found;
}

static bool all_quiet(PyObject *list, const Span *s)
{
    for (Py_ssize_t i = 0; i < s->count; i++) {
        if (!pj_quiet(PyList_GET_ITEM(list, s->start + i * s->step))) {
            return false;
        }
    }
    return true;
}

/* list[slice] = items, or without those: del list[slice]; of an array.array or bytearray, which hold no objects, too */
static PyObject *part_of(PyObject **args, int n)
{
    Span s = {0, 0, 1, 0};
    if (PySlice_Unpack(args[1], &s.start, &s.stop, &s.step) < 0) {
        return NULL;
    }
    if (PyList_CheckExact(args[0])) {
        s.count = PySlice_AdjustIndices(PyList_GET_SIZE(args[0]), &s.start, &s.stop, s.step);
        if (!all_quiet(args[0], &s)) {
            return NULL;
        }
    }
    return pj_done((n == 3 ? PyObject_SetItem(args[0], args[1], args[2]) : PyObject_DelItem(args[0], args[1])) == 0);
}

PyObject *pj_list_part(PjSite *site, int64_t *W)
{
    PyObject *list = pj_at_hand(site->args[0], W), *items = site->nargs == 3 ? pj_at_hand(site->args[2], W) : NULL;
    Span s;
    /* as many as go: each takes the place of one */
    if (list == NULL || items == NULL || items == list || !PyList_CheckExact(list) || !PyList_CheckExact(items) ||
        !span_of(site->args[1], W, PyList_GET_SIZE(list), &s) || s.count != PyList_GET_SIZE(items)) {
        return pj_with_all(site, W, part_of);
    }
    if (!all_quiet(list, &s)) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < s.count; i++) {
        PyObject **place = &((PyListObject *)list)->ob_item[s.start + i * s.step], *old = *place;
        *place = Py_NewRef(PyList_GET_ITEM(items, i));
        Py_DECREF(old);
    }
    return Py_NewRef(Py_None);
}
