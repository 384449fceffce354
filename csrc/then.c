/* then.c - what an instruction makes of the result of the Python function that it called: for exits inside that function. */
#include "pijit.h"

/* then(result, *args). Takes over the result (or NULL with an exception, which is passed on). */
PyObject *pj_then(PyObject *then, PyObject *result, PyObject *args)
{
    if (result == NULL) {
        return NULL;
    }
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    PyObject *all = PyTuple_New(n + 1), *made = NULL;
    if (all != NULL) {
        PyTuple_SET_ITEM(all, 0, Py_NewRef(result));
        for (Py_ssize_t i = 0; i < n; i++) {
            PyTuple_SET_ITEM(all, i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
        }
        made = PyObject_CallObject(then, all);
        Py_DECREF(all);
    }
    Py_DECREF(result);
    return made;
}

/* then_made(result, instance): of __init__. */
PyObject *pj_then_made(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *result, *instance;
    if (!PyArg_ParseTuple(args, "OO:then_made", &result, &instance)) {
        return NULL;
    }
    if (result != Py_None) {
        PyErr_Format(PyExc_TypeError, "__init__() should return None, not '%.200s'", Py_TYPE(result)->tp_name);
        return NULL;
    }
    return Py_NewRef(instance);
}

/* then_nothing(result): of what gives nothing, as __setitem__. */
PyObject *pj_then_nothing(PyObject *module, PyObject *result)
{
    (void)module;
    (void)result;
    return Py_NewRef(pj_unset);
}

/* then_bool(result, invert): of __bool__. */
PyObject *pj_then_bool(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *result;
    int invert;
    if (!PyArg_ParseTuple(args, "Op:then_bool", &result, &invert)) {
        return NULL;
    }
    if (!PyBool_Check(result)) {
        PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s", Py_TYPE(result)->tp_name);
        return NULL;
    }
    return PyBool_FromLong((result == Py_True) != invert);
}

/* then_length(result): of __len__. */
PyObject *pj_then_length(PyObject *module, PyObject *result)
{
    (void)module;
    PyObject *index = PyNumber_Index(result);
    Py_ssize_t length = index == NULL ? -1 : PyNumber_AsSsize_t(index, PyExc_OverflowError);
    if (index != NULL && PyLong_Check(index) && _PyLong_Sign(index) < 0) {
        PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
        length = -1;
    }
    Py_XDECREF(index);
    return length < 0 ? NULL : PyLong_FromSsize_t(length);
}

/* then_operator(result, left, right, rest, symbol): of an operator's method. NotImplemented goes on with the methods in
 * `rest`, tuples (function, whether right is its self), and with what Python does when all have given up. */
PyObject *pj_then_operator(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *result, *left, *right, *rest;
    const char *symbol;
    if (!PyArg_ParseTuple(args, "OOOO!s:then_operator", &result, &left, &right, &PyTuple_Type, &rest, &symbol)) {
        return NULL;
    }
    Py_INCREF(result);
    for (Py_ssize_t i = 0; result == Py_NotImplemented && i < PyTuple_GET_SIZE(rest); i++) {
        PyObject *function;
        int swapped;
        Py_DECREF(result);
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rest, i), "Op", &function, &swapped)) {
            return NULL;
        }
        result = PyObject_CallFunctionObjArgs(function, swapped ? right : left, swapped ? left : right, NULL);
    }
    if (result != Py_NotImplemented) {
        return result;
    }
    Py_DECREF(result);
    if (strcmp(symbol, "==") == 0) {
        return PyBool_FromLong(left == right);
    }
    if (strcmp(symbol, "!=") == 0) {
        return PyBool_FromLong(left != right);
    }
    bool compares = symbol[0] == '<' ? symbol[1] != '<' : symbol[0] == '>' && symbol[1] != '>';
    PyErr_Format(PyExc_TypeError,
                 compares ? "'%s' not supported between instances of '%.100s' and '%.100s'"
                          : "unsupported operand type(s) for %s: '%.100s' and '%.100s'",
                 symbol, Py_TYPE(left)->tp_name, Py_TYPE(right)->tp_name);
    return NULL;
}
