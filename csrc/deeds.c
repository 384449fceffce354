/* deeds.c - what built-in containers do, done in the middle of a fragment: where it runs no code of the program's.
 *
 * Laws: a deed gives a new reference; NULL without an exception: nothing was done, and the interpreter does it. So whatever it needs is asked
 * first: keys and items are plain (keys.c), and what is let go of is quiet. The types of the containers are known where native code is made. */
#include "deeds.h"
#include "helpers.h"
#include "keys.h"
#include "lookup.h"
#include "recipes.h"

typedef PyObject *(*Fast)(PyObject *, PyObject *const *, Py_ssize_t); /* METH_FASTCALL */

#define PJ_ASK ((PyObject *)1) /* no object: the interpreter has to do it */

/* With all arguments, of which those that are objects already are held by the native code. */
PyObject *pj_with_all(PjSite *s, int64_t *W, PyObject *(*what)(PyObject **, int))
{
    PyObject *given[8] = {NULL}, *built[8], *found = NULL;
    int n = 0, made = 0;
    for (; n < s->nargs && n < 8; n++) {
        given[n] = pj_at_hand(s->args[n], W);
        if (given[n] == NULL) {
            given[n] = built[made] = pj_build(s->args[n], W);
            if (given[n] == NULL) {
                break;
            }
            made++;
        }
    }
    if (n == s->nargs) {
        found = what(given, n);
    }
    if (found == NULL) {
        PyErr_Clear();
    }
    while (made > 0) {
        Py_DECREF(built[--made]);
    }
    return found;
}

/* ---- calls of what runs nothing of the program's, whatever it is given ---- */

PyObject *pj_call_of(PyObject **args, int n)
{
    if (Py_IS_TYPE(args[0], &PyMethodDescr_Type) && n >= 2) {
        PyMethodDescrObject *method = (PyMethodDescrObject *)args[0];
        const PyMethodDef *def = method->d_method;
        if (Py_IS_TYPE(args[1], method->d_common.d_type)) {
            if ((def->ml_flags == METH_NOARGS && n == 2) || (def->ml_flags == METH_O && n == 3)) {
                return def->ml_meth(args[1], n == 3 ? args[2] : NULL);
            }
            if (def->ml_flags == METH_FASTCALL) {
                return ((Fast)(void (*)(void))def->ml_meth)(args[1], args + 2, n - 2);
            }
        }
    }
    return PyObject_Vectorcall(args[0], args + 1, (size_t)n - 1, NULL);
}

static PyObject *call(PjSite *s, int64_t *W)
{
    return pj_with_all(s, W, pj_call_of);
}

static PyObject *iter_of(PyObject **args, int n)
{
    (void)n;
    return PyObject_GetIter(args[0]);
}
WITH_ALL(iter)

/* (cell, object) */
static PyObject *cell_store_of(PyObject **args, int n)
{
    (void)n;
    return PyCell_Set(args[0], args[1]) < 0 ? NULL : Py_NewRef(Py_None);
}
WITH_ALL(cell_store)

/* ---- sets: (set, key) ---- */

static PyObject *set_add(PjSite *s, int64_t *W)
{
    PyObject *set = pj_at_hand(s->args[0], W), *held, *found = NULL;
    PjFound is = set == NULL ? PJ_UNSURE : pj_set_find(set, s->args[1], W, &held);
    if (is != PJ_UNSURE) {
        PyObject *key = is == PJ_FOUND ? NULL : pj_build(s->args[1], W);
        found = pj_done(is == PJ_FOUND || (key != NULL && PySet_Add(set, key) == 0));
        Py_XDECREF(key);
    }
    return found;
}

/* set(items) of a list, tuple or text. */
static PyObject *set_of_of(PyObject **args, int n)
{
    (void)n;
    PyObject *items = PySequence_Tuple(args[0]);
    if (items != NULL && !pj_plain(items, 0)) {
        Py_CLEAR(items);
    }
    PyObject *set = items == NULL ? NULL : PySet_New(args[0]); /* of the original: its own way of going through decides on the order */
    Py_XDECREF(items);
    return set;
}
WITH_ALL(set_of)

static PyObject *set_take(PjSite *s, int64_t *W, bool must)
{
    PyObject *set = pj_at_hand(s->args[0], W), *held, *found = NULL;
    PjFound is = set == NULL ? PJ_UNSURE : pj_set_find(set, s->args[1], W, &held);
    if (is == PJ_FOUND ? pj_quiet(held) : is == PJ_ABSENT && !must) {
        found = pj_done(is == PJ_ABSENT || PySet_Discard(set, held) == 1);
    }
    return found;
}

static PyObject *set_discard(PjSite *s, int64_t *W)
{
    return set_take(s, W, false);
}

static PyObject *set_remove(PjSite *s, int64_t *W)
{
    return set_take(s, W, true);
}

/* ---- lists ---- */

/* The index of the first item that is the object, or equal to it, in a list or tuple; -1: none; -2: only Python can tell. */
static Py_ssize_t place_of(PyObject *o, PyObject *item)
{
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) {
        int equal = pj_equal(PySequence_Fast_GET_ITEM(o, i), item);
        if (equal != 0) {
            return equal < 0 ? -2 : i;
        }
    }
    return -1;
}

static PyObject *items_have_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t place = place_of(args[0], args[1]);
    return place == -2 ? NULL : pj_truth(place >= 0);
}
WITH_ALL(items_have)

static PyObject *items_index_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t place = place_of(args[0], args[1]);
    return place < 0 ? NULL : PyLong_FromSsize_t(place);
}
WITH_ALL(items_index)

static PyObject *items_count_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(args[0]); i++) {
        int equal = pj_equal(PySequence_Fast_GET_ITEM(args[0], i), args[1]);
        if (equal < 0) {
            return NULL;
        }
        count += equal;
    }
    return PyLong_FromSsize_t(count);
}
WITH_ALL(items_count)

static PyObject *list_remove_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t place = place_of(args[0], args[1]);
    bool quiet = place >= 0 && pj_quiet(PyList_GET_ITEM(args[0], place));
    return quiet ? pj_done(PyList_SetSlice(args[0], place, place + 1, NULL) == 0) : NULL;
}
WITH_ALL(list_remove)

/* The `clear` of a list, set or deque: (method, container); all that it holds is let go of. */
static PyObject *clear_of(PyObject **args, int n)
{
    PyObject *items = PySequence_Tuple(args[1]);
    bool quiet = items != NULL;
    for (Py_ssize_t i = 0; quiet && i < PyTuple_GET_SIZE(items); i++) {
        quiet = pj_basic(PyTuple_GET_ITEM(items, i), 0);
    }
    Py_XDECREF(items);
    return quiet ? pj_call_of(args, n) : NULL;
}
WITH_ALL(clear)

/* A call whose last argument is a list or tuple of Python's own numbers: converting them runs no Python. */
static PyObject *of_numbers_of(PyObject **args, int n)
{
    PyObject *items = args[n - 1];
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(items, i);
        if (!PyLong_CheckExact(item) && !PyFloat_CheckExact(item) && !PyBool_Check(item)) {
            return NULL;
        }
    }
    return pj_call_of(args, n);
}
WITH_ALL(of_numbers)

/* list.pop(): the last item, or that of an index. */
static PyObject *list_pop(PjSite *s, int64_t *W)
{
    PyObject *list = pj_at_hand(s->args[0], W), *at = s->nargs == 2 ? pj_build(s->args[1], W) : NULL, *found = NULL;
    if (list != NULL && PyList_GET_SIZE(list) > 0) {
        Py_ssize_t length = PyList_GET_SIZE(list), place = at == NULL ? length - 1 : PyLong_AsSsize_t(at);
        place = place < 0 ? place + length : place;
        if (place > 0 && place == length - 1 && place >= ((PyListObject *)list)->allocated >> 1) { /* list_resize() would do no more */
            found = PyList_GET_ITEM(list, place);
            Py_SET_SIZE(list, place);
        }
        else if (place >= 0 && place < length) {
            found = Py_NewRef(PyList_GET_ITEM(list, place));
            if (PyList_SetSlice(list, place, place + 1, NULL) < 0) {
                Py_CLEAR(found);
            }
        }
    }
    if (found == NULL) {
        PyErr_Clear();
    }
    Py_XDECREF(at);
    return found;
}

/* del list[index] */
static PyObject *list_delete_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t length = PyList_GET_SIZE(args[0]), place = PyLong_AsSsize_t(args[1]);
    place = place < 0 ? place + length : place;
    if (place < 0 || place >= length || !pj_quiet(PyList_GET_ITEM(args[0], place))) {
        return NULL;
    }
    return pj_done(PyList_SetSlice(args[0], place, place + 1, NULL) == 0);
}
WITH_ALL(list_delete)

/* ---- texts ---- */

/* str() of a number or text. */
static PyObject *str(PjSite *s, int64_t *W)
{
    const PjRecipe *r = s->args[0];
    PyObject *text;
    if (r->op == R_INT) {
        text = pj_int_text(W[r->a]);
    }
    else if (r->op == R_FLOAT) {
        double value;
        memcpy(&value, &W[r->a], sizeof value);
        text = pj_float_text(value);
    }
    else {
        PyObject *o = pj_build(r, W);
        text = o == NULL ? NULL : PyObject_Str(o);
        Py_XDECREF(o);
    }
    if (text == NULL) {
        PyErr_Clear();
    }
    return text;
}

static PyObject *join_of(PyObject **args, int n)
{
    return pj_texts_joined(args, n);
}
WITH_ALL(join)

/* ---- the table ---- */

#define DEEDS(X)                                                                                                      \
    X(call) X(iter) X(cell_store) X(set_add) X(set_discard) X(set_remove) X(set_of) \
    X(items_have) X(items_index) X(items_count) X(list_remove) X(list_pop) X(list_delete) X(of_numbers) X(clear) \
    X(str) X(join)

static const struct {
    const char *name;
    Deed *deed;
} deeds[] = {
#define X(name) {#name, name},
    DEEDS(X)
#undef X
#define X(name) {#name, pj_##name},
    OTHER_DEEDS(X)
#undef X
};

/* ("do", name, [argument recipes]) into a zeroed site. A name of "": a lookup of pj_find, whose one argument is the key. */
int pj_deed_site_parse(PjSite *s, PyObject *tuple)
{
    PyObject *kind, *name, *args;
    if (!PyArg_ParseTuple(tuple, "UUO;a site is (\"do\", name, arguments)", &kind, &name, &args)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
        if (PyUnicode_CompareWithASCIIString(name, deeds[i].name) == 0) {
            s->deed = deeds[i].deed;
        }
    }
    if (s->deed == NULL && PyUnicode_GET_LENGTH(name) != 0) {
        PyErr_Format(PyExc_ValueError, "no deed %R", name);
        return -1;
    }
    s->root = -1;
    return pj_site_args_parse(s, args, Py_None);
}

/* What the deed gives (a new reference), or NULL: nothing was done. */
PyObject *pj_do(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *s = &r->fragment->sites[number];
    pj_hold_inputs(r); /* making what it is given may collect garbage; and who knows what a container owned */
    return s->deed(s, W);
}

/* The same for its effect; 0: done. */
int64_t pj_do_only(int64_t *W, int64_t number)
{
    PyObject *given = pj_do(W, number);
    Py_XDECREF(given);
    return given == NULL;
}

/* What an exact dict holds under the site's key, or the key that an exact set holds (borrowed); NULL: nothing; PJ_ASK: only Python can tell. */
PyObject *pj_find(int64_t *W, int64_t number, PyObject *owner)
{
    PjSite *s = &((PjRun *)(intptr_t)W[1])->fragment->sites[number];
    PyObject *held = NULL, **value = NULL;
    PjFound is;
    if (owner == NULL) {
        return PJ_ASK;
    }
    if (PyDict_Check(owner)) {
        is = pj_dict_find(owner, s->args[0], W, &held, &value);
    }
    else {
        is = pj_set_find(owner, s->args[0], W, &held);
        value = &held;
    }
    return is == PJ_UNSURE ? PJ_ASK : is == PJ_ABSENT ? NULL : *value;
}

/* The next item of an iterator in C (a new reference), NULL at its end, PJ_ASK where it raises: it will again, or has not been asked. */
PyObject *pj_next(PyObject *it)
{
    if (it == NULL || Py_TYPE(it)->tp_iternext == NULL || pj_dict_iterator_overrun(it)) {
        return PJ_ASK;
    }
    PyObject *item = Py_TYPE(it)->tp_iternext(it);
    if (item == NULL && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
            PyErr_Clear();
            return NULL;
        }
        PyErr_Clear();
        return PJ_ASK;
    }
    return item;
}
