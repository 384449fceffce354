/* sequence_deeds.c - comparisons of lists and of tuples, and deques that are full, under the laws of deeds.c. */
#include "deeds.h"
#include "keys.h"

#define DEPTH 8 /* of lists in lists */

static bool are_sequences(PyObject *a, PyObject *b)
{
    return (PyList_CheckExact(a) && PyList_CheckExact(b)) || (PyTuple_CheckExact(a) && PyTuple_CheckExact(b));
}

/* a <op> b of two lists or two tuples: 1, 0, or -1: only Python can tell, or it raises. The first items that are not equal decide. */
static int compared(PyObject *a, PyObject *b, int op, int depth)
{
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(a), m = PySequence_Fast_GET_SIZE(b);
    if (depth >= DEPTH) {
        return -1;
    }
    if (n != m && (op == Py_EQ || op == Py_NE)) {
        return op == Py_NE;
    }
    for (Py_ssize_t i = 0; i < n && i < m; i++) {
        PyObject *x = PySequence_Fast_GET_ITEM(a, i), *y = PySequence_Fast_GET_ITEM(b, i);
        const bool inside = x != y && are_sequences(x, y);
        const int equal = inside ? compared(x, y, Py_EQ, depth + 1) : pj_equal(x, y);
        if (equal < 0) {
            return -1;
        }
        if (equal) {
            continue;
        }
        if (op == Py_EQ || op == Py_NE) {
            return op == Py_NE;
        }
        if (inside) {
            return compared(x, y, op, depth + 1);
        }
        return pj_ordered(x, y, op);
    }
    const int sizes[] = {[Py_LT] = n < m, [Py_LE] = n <= m, [Py_EQ] = n == m, [Py_NE] = n != m, [Py_GT] = n > m, [Py_GE] = n >= m};
    return sizes[op];
}

/* (op, list, list), or of tuples */
static PyObject *items_compared_of(PyObject **args, int n)
{
    (void)n;
    const long op = PyLong_AsLong(args[0]);
    return pj_truth(are_sequences(args[1], args[2]) ? compared(args[1], args[2], (int)op, 0) : -1);
}
OTHER_WITH_ALL(items_compared)

/* ---- deques ---- */

/* Where a deque keeps its maxlen, which nothing but an attribute shows: looked for once in one whose maxlen is known. -1: not found. */
static Py_ssize_t maxlen_at(PyTypeObject *type)
{
    static Py_ssize_t at = 0;
    if (at == 0) {
        at = -1;
        PyObject *made = PyObject_CallFunction((PyObject *)type, "()n", (Py_ssize_t)0x5A17C0DE);
        for (Py_ssize_t i = 1; made != NULL && i < type->tp_basicsize / (Py_ssize_t)sizeof(Py_ssize_t); i++) {
            if (((Py_ssize_t *)made)[i] == 0x5A17C0DE) {
                at = i;
            }
        }
        Py_XDECREF(made);
        PyErr_Clear();
    }
    return at;
}

static bool is_end_quiet(PyObject *deque, Py_ssize_t index)
{
    PyObject *end = PySequence_GetItem(deque, index);
    Py_XDECREF(end); /* the deque has it */
    return end != NULL && pj_quiet(end);
}

/* (method, deque, item); of one that is full the item at the other end is let go of for it. */
static PyObject *deque_put_of(PyObject **args, int n)
{
    const Py_ssize_t at = maxlen_at(Py_TYPE(args[1])), length = Py_SIZE(args[1]);
    if (at < 0) {
        return NULL;
    }
    const Py_ssize_t most = ((Py_ssize_t *)args[1])[at];
    const bool is_full = most >= 0 && length >= most && length > 0;
    return !is_full || (is_end_quiet(args[1], 0) && is_end_quiet(args[1], length - 1)) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(deque_put)
