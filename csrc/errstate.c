/* errstate.c - NumPy's floating-point error state as a number: 0 is the built-in default. */
#include "pijit.h"

/* NumPy >= 2.0 keeps it in a context variable. Both are NULL when this NumPy has them elsewhere: then the mask is
 * unknown and "errmask" rows fail. */
static PyObject *variable;
static PyObject *get_dict;

/* The state object seen last and its mask: identity is all that is looked at per call. */
static PyObject *known[2]; /* strong; [0] the default of the process, [1] the last other one */
static int64_t masks[2];

static int64_t treatment(PyObject *dict, const char *name, int64_t *mask, int shift)
{
    static const char *const names[] = {"ignore", "warn", "raise", "call", "print", "log"};
    PyObject *value = PyDict_GetItemString(dict, name);
    if (value == NULL || !PyUnicode_Check(value)) {
        return -1;
    }
    for (int i = 0; i < 6; i++) {
        if (PyUnicode_CompareWithASCIIString(value, names[i]) == 0) {
            *mask |= (int64_t)i << shift;
            return 0;
        }
    }
    return -1;
}

/* Bits 0-11: treatment of divide, over, under, invalid; 12: a call object; 13: another buffer size; 14: always set,
 * so that no state but the default is 0. */
static int64_t decode(void)
{
    PyObject *dict = PyObject_CallNoArgs(get_dict);
    int64_t mask = 0;
    if (dict == NULL || !PyDict_Check(dict) || treatment(dict, "divide", &mask, 0) < 0 ||
        treatment(dict, "over", &mask, 3) < 0 || treatment(dict, "under", &mask, 6) < 0 ||
        treatment(dict, "invalid", &mask, 9) < 0) {
        PyErr_Clear();
        Py_XDECREF(dict);
        return -1;
    }
    PyObject *call = PyDict_GetItemString(dict, "call");
    PyObject *size = PyDict_GetItemString(dict, "bufsize");
    if (call != NULL && call != Py_None) {
        mask |= 1 << 12;
    }
    if (size != NULL && PyLong_AsLong(size) != 8192) {
        PyErr_Clear();
        mask |= 1 << 13;
    }
    Py_DECREF(dict);
    return mask == (1 | 1 << 3 | 1 << 9) ? 0 : mask | 1 << 14;
}

/* The mask of the running context; -1: unknown. Runs no user code. */
int64_t pj_errmask(void)
{
    PyObject *state = NULL;
    if (variable == NULL || PyContextVar_Get(variable, NULL, &state) < 0) {
        PyErr_Clear();
        return -1;
    }
    if (state == NULL) {
        return -1;
    }
    Py_DECREF(state); /* compared only; the context holds it */
    if (PJ_LIKELY(state == known[0])) {
        return masks[0];
    }
    if (state == known[1]) {
        return masks[1];
    }
    Py_INCREF(state);
    PyObject *exc = pj_err_take();
    int64_t mask = decode();
    pj_err_give(exc);
    int slot = known[0] != NULL;
    PyObject *old = known[slot];
    known[slot] = state;
    masks[slot] = mask;
    Py_XDECREF(old);
    return mask;
}

int pj_errstate_init(void)
{
    PyObject *module = PyImport_ImportModule("numpy._core._multiarray_umath");
    if (module != NULL) {
        variable = PyObject_GetAttrString(module, "_extobj_contextvar");
        get_dict = variable == NULL ? NULL : PyObject_GetAttrString(module, "_get_extobj_dict");
        Py_DECREF(module);
    }
    if (get_dict == NULL || !PyContextVar_CheckExact(variable)) {
        PyErr_Clear();
        Py_CLEAR(variable);
        Py_CLEAR(get_dict);
    }
    else {
        pj_errmask();
    }
    return 0;
}
