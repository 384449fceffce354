/* texts.c - numbers and characters that native code takes from exact texts and bytes. */
#include "helpers.h"

/* text[i] of a checked index (a new reference), or NULL. */
PyObject *pj_char(PyObject *text, int64_t index)
{
    Py_UCS4 c = PyUnicode_READ_CHAR(text, index);
    PyObject *o = PyUnicode_FromOrdinal((int)c);
    if (o == NULL) {
        PyErr_Clear();
    }
    return o;
}

/* ord(text), or -1. */
int64_t pj_ord(PyObject *text)
{
    return PyUnicode_GET_LENGTH(text) == 1 ? (int64_t)PyUnicode_READ_CHAR(text, 0) : -1;
}

/* bytes[i] of a checked index. */
int64_t pj_byte(PyObject *bytes, int64_t index)
{
    const char *data = PyBytes_CheckExact(bytes) ? PyBytes_AS_STRING(bytes) : PyByteArray_AS_STRING(bytes);
    return (unsigned char)data[index];
}

/* -1, 0 or 1 as one exact text is before, equal to or behind the other. */
int64_t pj_text_order(PyObject *a, PyObject *b)
{
    if (a == b) {
        return 0;
    }
    Py_ssize_t n = PyUnicode_GET_LENGTH(a), m = PyUnicode_GET_LENGTH(b);
    if (n == 1 && m == 1) {
        Py_UCS4 x = PyUnicode_READ_CHAR(a, 0), y = PyUnicode_READ_CHAR(b, 0);
        return x < y ? -1 : x > y;
    }
    return PyUnicode_Compare(a, b); /* cannot fail for texts that are ready */
}

/* Whether an exact text is part of another one; -1: no memory. */
int64_t pj_text_has(PyObject *text, PyObject *part)
{
    if (PyUnicode_GET_LENGTH(part) == 1) {
        return PyUnicode_FindChar(text, PyUnicode_READ_CHAR(part, 0), 0, PyUnicode_GET_LENGTH(text), 1) >= 0;
    }
    int found = PyUnicode_Contains(text, part);
    if (found < 0) {
        PyErr_Clear();
    }
    return found;
}
