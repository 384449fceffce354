/* dict_deeds.c - what dicts do, done in the middle of a fragment, under the laws of deeds.c. Arguments: dict, key, ... */
#include "deeds.h"
#include "helpers.h"
#include "keys.h"
#include "lookup.h"
#include "recipes.h"

/* Finds the key in a dict that something is to be put into. */
static PjFound find(PjSite *s, int64_t *W, PyObject *dict, PyObject **held, PyObject ***value)
{
    return dict == NULL || !PyDict_Check(dict) || !pj_dict_takes(dict) ? PJ_UNSURE : pj_dict_find(dict, s->args[1], W, held, value);
}

static bool insert(PjSite *s, int64_t *W, PyObject *dict, PyObject *value)
{
    PyObject *key = pj_build(s->args[1], W);
    bool good = key != NULL && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    return good;
}

PyObject *pj_dict_store(PjSite *s, int64_t *W)
{
    PyObject *dict = pj_at_hand(s->args[0], W), *held = NULL, **old = NULL;
    PyObject *value = pj_build(s->args[2], W); /* first: it may collect garbage, and that change the dict */
    PjFound is = value == NULL ? PJ_UNSURE : find(s, W, dict, &held, &old);
    if (is == PJ_FOUND && pj_quiet(*old) && pj_dict_replaced((PyDictObject *)dict, value)) {
        PyObject *gone = *old;
        *old = value;
        Py_DECREF(gone);
        return Py_NewRef(Py_None);
    }
    bool good = is == PJ_FOUND ? pj_quiet(*old) && PyDict_SetItem(dict, held, value) == 0 : is == PJ_ABSENT && insert(s, W, dict, value);
    Py_XDECREF(value);
    return pj_done(good);
}

/* What is there, or else what is made for the key. */
static PyObject *found_or_made(PjSite *s, int64_t *W, PyObject *(*make)(PjSite *, int64_t *, PyObject *))
{
    PyObject *dict = pj_at_hand(s->args[0], W), *held, **old = NULL, *found = NULL;
    PjFound is = find(s, W, dict, &held, &old);
    if (is == PJ_FOUND) {
        found = Py_NewRef(*old);
    }
    else if (is == PJ_ABSENT && (found = make(s, W, dict)) != NULL && !insert(s, W, dict, found)) {
        Py_CLEAR(found);
    }
    if (found == NULL) {
        PyErr_Clear();
    }
    return found;
}

static PyObject *given(PjSite *s, int64_t *W, PyObject *dict)
{
    (void)dict;
    return pj_build(s->args[2], W);
}

PyObject *pj_dict_default(PjSite *s, int64_t *W)
{
    return found_or_made(s, W, given);
}

static bool deletes(PyObject *dict)
{
    return dict != NULL && PyDict_Check(dict) && Py_TYPE(dict)->tp_as_mapping->mp_ass_subscript == PyDict_Type.tp_as_mapping->mp_ass_subscript;
}

/* What was there is given, or with a third argument that. */
PyObject *pj_dict_pop(PjSite *s, int64_t *W)
{
    PyObject *dict = pj_at_hand(s->args[0], W), *held, **old = NULL, *found = NULL;
    PjFound is = !deletes(dict) ? PJ_UNSURE : pj_dict_find(dict, s->args[1], W, &held, &old);
    if (is == PJ_FOUND && pj_quiet(held)) {
        found = Py_NewRef(*old);
        if (PyDict_DelItem(dict, held) < 0) {
            Py_CLEAR(found);
        }
    }
    else if (is == PJ_ABSENT && s->nargs == 3) {
        found = pj_build(s->args[2], W);
    }
    if (found == NULL) {
        PyErr_Clear();
    }
    return found;
}

PyObject *pj_dict_delete(PjSite *s, int64_t *W)
{
    PyObject *dict = pj_at_hand(s->args[0], W), *held, **old = NULL, *found = NULL;
    if (deletes(dict) && pj_dict_find(dict, s->args[1], W, &held, &old) == PJ_FOUND && pj_quiet(held) && pj_quiet(*old)) {
        found = pj_done(PyDict_DelItem(dict, held) == 0);
    }
    return found;
}

static PyTypeObject *const factories[] = {
    &PyLong_Type, &PyFloat_Type, &PyBool_Type, &PyComplex_Type, &PyUnicode_Type, &PyTuple_Type, &PyList_Type, &PyDict_Type, &PySet_Type,
};

/* What a factory that runs nothing of the program's gives, if the default dict has it. */
static PyObject *by_factory(PjSite *s, int64_t *W, PyObject *dict)
{
    PyObject *factory = pj_at_hand(s->args[2], W), *found = NULL, *held = PyObject_GetAttrString(dict, "default_factory");
    for (size_t i = 0; held != NULL && held == factory && found == NULL && i < sizeof(factories) / sizeof(factories[0]); i++) {
        if (factory == (PyObject *)factories[i]) {
            found = PyObject_CallNoArgs(factory);
        }
    }
    Py_XDECREF(held);
    return found;
}

/* (default dict, key, factory) */
PyObject *pj_dict_made(PjSite *s, int64_t *W)
{
    return found_or_made(s, W, by_factory);
}
