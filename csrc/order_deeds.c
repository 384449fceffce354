/* order_deeds.c - lists that are sorted, kept in order, or heaps, under the laws of deeds.c: what is compared is compared by pj_less, in the order in
 * which CPython does, and only then something moves. */
#include "deeds.h"
#include "keys.h"

/* Can sorting them neither raise nor run Python? Then all are of one kind, as pj_less compares them. */
static bool in_order(PyObject *o)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    PyObject **items = PySequence_Fast_ITEMS(o);
    if (n == 0 || !PyTuple_CheckExact(items[0])) {
        for (Py_ssize_t i = 0; i < n; i++) {
            if (pj_less(items[0], items[i]) < 0) {
                return false;
            }
        }
        return true;
    }
    Py_ssize_t width = PyTuple_GET_SIZE(items[0]); /* each column for itself */
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PyTuple_CheckExact(items[i]) || PyTuple_GET_SIZE(items[i]) != width) {
            return false;
        }
        for (Py_ssize_t k = 0; k < width; k++) {
            PyObject *first = PyTuple_GET_ITEM(items[0], k), *o = PyTuple_GET_ITEM(items[i], k);
            bool nan = PyFloat_CheckExact(o) && PyFloat_AS_DOUBLE(o) != PyFloat_AS_DOUBLE(o); /* in tuples it tells which object it is */
            if (nan || PyTuple_CheckExact(first) || pj_less(first, o) < 0) {
                return false;
            }
        }
    }
    return true;
}

static PyObject *list_sort_of(PyObject **args, int n)
{
    (void)n;
    return in_order(args[0]) ? pj_done(PyList_Sort(args[0]) == 0) : NULL;
}
OTHER_WITH_ALL(list_sort)

/* sorted() of a built-in container. */
static PyObject *sorted_of(PyObject **args, int n)
{
    (void)n;
    PyObject *list = PySequence_List(args[0]);
    if (list == NULL || !in_order(list) || PyList_Sort(list) < 0) {
        Py_CLEAR(list);
    }
    return list;
}
OTHER_WITH_ALL(sorted)

/* A function that sorts items by their keys: function, items, keys, whether it is the other way round. */
static PyObject *sorted_by_of(PyObject **args, int n)
{
    return in_order(args[2]) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(sorted_by)

/* ---- heaps: what heapq.heappush and heappop compare, in the same order, and only then what they move ---- */

static PyObject *heap_push_of(PyObject **args, int n)
{
    (void)n;
    PyObject *heap = args[0], *item = args[1];
    Py_ssize_t end = PyList_GET_SIZE(heap), place = end;
    while (place > 0) {
        int less = pj_less(item, PyList_GET_ITEM(heap, (place - 1) >> 1));
        if (less < 0) {
            return NULL;
        }
        if (!less) {
            break;
        }
        place = (place - 1) >> 1;
    }
    if (PyList_Append(heap, item) < 0) {
        return NULL;
    }
    PyObject **items = ((PyListObject *)heap)->ob_item;
    for (Py_ssize_t at = end; at > place; at = (at - 1) >> 1) {
        items[at] = items[(at - 1) >> 1];
        items[(at - 1) >> 1] = item;
    }
    return Py_NewRef(Py_None);
}
OTHER_WITH_ALL(heap_push)

static PyObject *heap_pop_of(PyObject **args, int n)
{
    (void)n;
    PyObject *heap = args[0];
    Py_ssize_t end = PyList_GET_SIZE(heap) - 1, path[64];
    int depth = 0;
    if (end < 0) {
        return NULL;
    }
    PyObject **items = ((PyListObject *)heap)->ob_item, *last = items[end];
    /* down along the smaller children to a leaf, as if the last item stood at the top, ... */
    for (Py_ssize_t at = 0; at < end >> 1;) {
        Py_ssize_t child = 2 * at + 1;
        if (child + 1 < end) {
            int less = pj_less(items[child], items[child + 1]);
            if (less < 0) {
                return NULL;
            }
            child += !less;
        }
        path[depth++] = at = child;
    }
    /* ... and from there up to where it belongs */
    int stays = depth;
    while (stays > 0) {
        int less = pj_less(last, items[path[stays - 1]]);
        if (less < 0) {
            return NULL;
        }
        if (!less) {
            break;
        }
        stays--;
    }
    Py_INCREF(last); /* for its new place */
    if (PyList_SetSlice(heap, end, end + 1, NULL) < 0) {
        Py_DECREF(last);
        return NULL;
    }
    if (end == 0) {
        return last;
    }
    items = ((PyListObject *)heap)->ob_item;
    Py_ssize_t at = 0;
    PyObject *top = items[0]; /* its reference goes to who asked */
    for (int i = 0; i < stays; i++) {
        items[at] = items[path[i]];
        at = path[i];
    }
    items[at] = last;
    return top;
}
OTHER_WITH_ALL(heap_pop)

/* heapify(list) */
static PyObject *heap_made_of(PyObject **args, int n)
{
    return in_order(args[1]) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(heap_made)

/* ---- lists in order: list, item, whether it comes after what is equal ---- */

static PyObject *insort_of(PyObject **args, int n)
{
    (void)n;
    Py_ssize_t low = 0, high = PyList_GET_SIZE(args[0]);
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        PyObject *there = PyList_GET_ITEM(args[0], middle);
        const int less = args[2] == Py_True ? pj_less(args[1], there) : pj_less(there, args[1]);
        if (less < 0) {
            return NULL;
        }
        if (less == (args[2] == Py_True)) {
            high = middle;
        }
        else {
            low = middle + 1;
        }
    }
    return pj_done(PyList_Insert(args[0], low, args[1]) == 0);
}
OTHER_WITH_ALL(insort)
