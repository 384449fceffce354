/* views.c - arrays that look into others' memory. */
#include "helpers.h"
#include "numpy_api.h"

/* Whether an array has no elements and nothing but zeros for strides, as new ones have: views on it begin where it does. */
static bool is_nowhere(PyArrayObject *a)
{
    bool empty = false, still = true;
    for (int d = 0; d < PyArray_NDIM(a); d++) {
        empty |= PyArray_DIM(a, d) == 0;
        still &= PyArray_STRIDE(a, d) == 0;
    }
    return empty && still;
}

/* New view of memory that belongs to base (NULL: one that could not be made), or NULL without an exception. */
PyObject *pj_view(PyObject *base, void *data, int64_t typenum, int64_t ndim, int64_t *dims, int64_t *strides,
                         int64_t writable)
{
    PyArray_Descr *descr = PyArray_DescrFromType((int)typenum);
    if (base == NULL) {
        Py_XDECREF(descr);
        return NULL;
    }
    if (is_nowhere((PyArrayObject *)base)) {
        data = PyArray_DATA((PyArrayObject *)base);
    }
    PyObject *a = descr == NULL ? NULL
                                : PyArray_NewFromDescr(&PyArray_Type, descr, (int)ndim, (npy_intp *)dims,
                                                       (npy_intp *)strides, data, writable ? NPY_ARRAY_WRITEABLE : 0,
                                                       NULL);
    if (a != NULL && PyArray_SetBaseObject((PyArrayObject *)a, Py_NewRef(base)) < 0) {
        Py_CLEAR(a);
    }
    if (a == NULL) {
        PyErr_Clear();
    }
    return a;
}
