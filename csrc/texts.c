/* texts.c - numbers and characters that native code takes from exact texts and bytes, and texts that it makes. */
#include "helpers.h"

#include <string.h>

/* str() of an int. */
PyObject *pj_int_text(int64_t value)
{
    char digits[20]; /* 19 and a sign */
    int at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) {
        digits[--at] = '-';
    }
    PyObject *text = PyUnicode_New((Py_ssize_t)sizeof digits - at, 127);
    if (text != NULL) {
        memcpy(PyUnicode_1BYTE_DATA(text), digits + at, sizeof digits - (size_t)at);
    }
    return text;
}

/* str() of a float, as float_repr() of floatobject.c makes it. */
PyObject *pj_float_text(double value)
{
    char *digits = PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, NULL);
    PyObject *text = digits == NULL ? NULL : PyUnicode_FromString(digits);
    PyMem_Free(digits);
    return text;
}

/* "".join() of several exact texts. */
PyObject *pj_texts_joined(PyObject **parts, int n)
{
    Py_ssize_t length = 0, at = 0;
    Py_UCS4 largest = 127;
    for (int i = 0; i < n; i++) {
        const Py_ssize_t more = PyUnicode_GET_LENGTH(parts[i]);
        const Py_UCS4 maximum = PyUnicode_MAX_CHAR_VALUE(parts[i]);
        if (more > PY_SSIZE_T_MAX - length) {
            return NULL;
        }
        length += more;
        largest = maximum > largest ? maximum : largest;
    }
    PyObject *text = PyUnicode_New(length, largest);
    for (int i = 0; text != NULL && i < n; i++) {
        const Py_ssize_t more = PyUnicode_GET_LENGTH(parts[i]);
        if (PyUnicode_KIND(parts[i]) == PyUnicode_KIND(text)) {
            memcpy((char *)PyUnicode_DATA(text) + at * PyUnicode_KIND(text), PyUnicode_DATA(parts[i]), (size_t)(more * PyUnicode_KIND(text)));
        }
        else if (more != 0 && PyUnicode_CopyCharacters(text, at, parts[i], 0, more) < 0) {
            Py_CLEAR(text);
        }
        at += more;
    }
    return text;
}

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
