/* quiet.c - whether a RuntimeWarning would do no more than be shown or recorded: then it does not matter whether it is given before an
 * array is written or afterwards. */
#include "lookup.h"

static PyObject *namespace; /* of the module warnings; strong */
enum { FILTERS, DEFAULT, SHOW, SHOW_IMPL, FORMAT, SHOW_ANY, COUNT };
static PjRow rows[COUNT]; /* of its names: each store in a large array asks */
static const char *const spelled[] = {"filters", "defaultaction", "showwarning", "_showwarnmsg_impl", "formatwarning", "_showwarnmsg"};

static const char *const actions[] = {"default", "ignore", "always", "module", "once", "all"};
enum { ACTIONS = sizeof actions / sizeof *actions };
static PyObject *interned[ACTIONS]; /* as a program's text has them: most are the same object */

/* "error" raises, and so does what is no action. */
static bool harmless(PyObject *action)
{
    if (action == NULL || !PyUnicode_CheckExact(action)) {
        return false;
    }
    for (size_t i = 0; i < ACTIONS; i++) {
        if (action == interned[i]) {
            return true;
        }
    }
    for (size_t i = 0; i < ACTIONS; i++) {
        if (PyUnicode_CompareWithASCIIString(action, actions[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* What the module warnings itself defines, or the append of a list, which is what catch_warnings(record=True) puts in its place. */
static bool own(PyObject *function)
{
    if (function == NULL) {
        return false;
    }
    if (PJ_IS_FUNCTION(function)) {
        return ((PyFunctionObject *)function)->func_globals == namespace;
    }
    return PyCFunction_CheckExact(function) && PyCFunction_GET_SELF(function) != NULL &&
           PyList_CheckExact(PyCFunction_GET_SELF(function));
}

static bool filters_harmless(PyObject *filters)
{
    if (filters == NULL || !PyList_CheckExact(filters)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(filters); i++) {
        PyObject *item = PyList_GET_ITEM(filters, i); /* (action, message, category, module, line) */
        if (!PyTuple_CheckExact(item) || PyTuple_GET_SIZE(item) != 5 || !PyType_Check(PyTuple_GET_ITEM(item, 2))) {
            return false;
        }
        PyTypeObject *category = (PyTypeObject *)PyTuple_GET_ITEM(item, 2);
        if (!harmless(PyTuple_GET_ITEM(item, 0)) && PyType_IsSubtype((PyTypeObject *)PyExc_RuntimeWarning, category)) {
            return false;
        }
    }
    return true;
}

/* Runs nothing of the program's; no exception is set. */
bool pj_warnings_quiet(void)
{
    if (namespace == NULL) {
        return false;
    }
    PyObject *found[COUNT];
    for (int i = 0; i < COUNT; i++) {
        found[i] = pj_lookup(namespace, &rows[i]); /* borrowed: nothing runs before it is looked at */
    }
    return filters_harmless(found[FILTERS]) && harmless(found[DEFAULT]) && own(found[SHOW]) && own(found[SHOW_IMPL]) &&
           own(found[FORMAT]) && own(found[SHOW_ANY]);
}

int pj_quiet_init(void)
{
    PyObject *module = PyImport_ImportModule("warnings");
    if (module == NULL) {
        return -1;
    }
    for (int i = 0; i < COUNT; i++) {
        PyObject *name = PyUnicode_InternFromString(spelled[i]);
        if (name == NULL) {
            Py_DECREF(module);
            return -1;
        }
        rows[i] = (PjRow){.object = name, .hash = PyObject_Hash(name), .index = -1};
    }
    for (size_t i = 0; i < ACTIONS; i++) {
        if ((interned[i] = PyUnicode_InternFromString(actions[i])) == NULL) {
            Py_DECREF(module);
            return -1;
        }
    }
    namespace = Py_NewRef(PyModule_GetDict(module));
    Py_DECREF(module);
    return 0;
}
