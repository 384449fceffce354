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

/* ---- whole dicts ---- */

static bool all_plain(PyObject *dict)
{
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
        if (!pj_plain(key, 0)) {
            return false;
        }
    }
    return true;
}

/* (function, exact dict, ...): all of them go into a new one. */
static PyObject *dict_all_of(PyObject **args, int n)
{
    bool good = true;
    for (int i = 1; i < n; i++) {
        good = good && all_plain(args[i]);
    }
    return good ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(dict_all)

/* (dict.clear, exact dict): all that is in it is let go of. It is no module's namespace, which native code knows some of. */
PyObject *pj_dict_clear(PjSite *s, int64_t *W)
{
    PyObject *args[2] = {pj_at_hand(s->args[0], W), pj_at_hand(s->args[1], W)}, *key, *value;
    bool good = args[0] != NULL && args[1] != NULL && pj_dict_is_no_space(args[1], W);
    for (Py_ssize_t at = 0; good && PyDict_Next(args[1], &at, &key, &value);) {
        good = pj_basic(key, 0) && pj_basic(value, 0);
    }
    PyObject *found = good ? pj_call_of(args, 2) : NULL;
    if (found == NULL) {
        PyErr_Clear();
    }
    return found;
}

/* (function, exact dict, exact dict): the first is given what is in the second, and lets go of what that replaces. It is no module's namespace
 * either. */
PyObject *pj_dict_merged(PjSite *s, int64_t *W)
{
    PyObject *args[3], *key, *value, *found = NULL;
    for (int i = 0; i < 3; i++) {
        args[i] = pj_at_hand(s->args[i], W);
        if (args[i] == NULL) {
            return NULL;
        }
    }
    bool good = pj_dict_is_no_space(args[1], W);
    for (Py_ssize_t at = 0; good && PyDict_Next(args[2], &at, &key, &value);) {
        good = pj_dict_meets(args[1], key, W);
    }
    if (good) {
        found = pj_call_of(args, 3);
    }
    if (found == NULL) {
        PyErr_Clear();
    }
    return found;
}

/* dict(items), whose items are pairs. What goes through them is made for that, so it may be done again. */
static PyObject *dict_paired_of(PyObject **args, int n)
{
    (void)n;
    PyObject *it = PyObject_GetIter(args[0]), *dict = it == NULL ? NULL : PyDict_New(), *pair;
    while (dict != NULL && (pair = Py_TYPE(it)->tp_iternext(it)) != NULL) {
        PyObject **items = PyTuple_CheckExact(pair) || PyList_CheckExact(pair) ? PySequence_Fast_ITEMS(pair) : NULL;
        if (items == NULL || PySequence_Fast_GET_SIZE(pair) != 2 || !pj_plain(items[0], 0) || PyDict_SetItem(dict, items[0], items[1]) < 0) {
            Py_CLEAR(dict);
        }
        Py_DECREF(pair);
    }
    if (PyErr_Occurred() && dict != NULL && !PyErr_ExceptionMatches(PyExc_StopIteration)) {
        Py_CLEAR(dict);
    }
    PyErr_Clear();
    Py_XDECREF(it);
    return dict;
}
OTHER_WITH_ALL(dict_paired)
