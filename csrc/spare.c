/* spare.c - new arrays, and the memory of the last one that went: a loop that makes an array in every round and lets one go has it back.
 *
 * Nobody can tell: it is an array that nothing else refers to, that was never lent out, and is like a new one in all but its elements.
 * It is kept only while native code runs, and goes before anything else needs memory.
 */
#include "helpers.h"
#include "numpy_api.h"

static _Thread_local struct {
    PyObject *array;
    bool kept; /* native code runs that will see to it that it goes */
} spare __attribute__((tls_model("initial-exec")));

/* Whether the steps are those of a new array of this order, also along axes of length 1, which others may give any; those of an array without
 * elements are not looked at. */
static bool steps_as_new(const PyArrayObject_fields *a, bool fortran)
{
    npy_intp step = a->descr->elsize; /* not reached for dtypes without a number of their own */
    for (int i = 0; i < a->nd; i++) {
        int axis = fortran ? i : a->nd - 1 - i;
        if (a->dimensions[axis] < 1 || a->strides[axis] != step) {
            return false;
        }
        step *= a->dimensions[axis];
    }
    return true;
}

/* Only numbers: what elements that are objects do when they go is not put off. */
static bool can_be_spare(PyObject *o)
{
    const PyArrayObject_fields *a = (const PyArrayObject_fields *)o;
    const int own = NPY_ARRAY_OWNDATA | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
    return Py_REFCNT(o) == 1 && PyArray_CheckExact(o) && (PyTypeNum_ISNUMBER(a->descr->type_num) || PyTypeNum_ISBOOL(a->descr->type_num)) &&
           a->base == NULL && a->weakreflist == NULL && a->_buffer_info == NULL &&
           (a->flags & ~(NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) == own;
}

static bool is_alike(PyObject *o, const PyArray_Descr *descr, int ndim, const int64_t *dims, bool fortran)
{
    const PyArrayObject_fields *a = (const PyArrayObject_fields *)o;
    return (const PyArray_Descr *)a->descr == descr && a->nd == ndim && memcmp(a->dimensions, dims, (size_t)ndim * sizeof *dims) == 0 &&
           steps_as_new(a, fortran);
}

/* Whether an object that nobody needs can be the new array that is asked for. */
bool pj_is_as_new(PyObject *o, int64_t typenum, int64_t ndim, const int64_t *dims, int64_t order)
{
    PyArray_Descr *descr = PyArray_DescrFromType((int)typenum);
    const bool good = PyArray_CheckExact(o) && is_alike(o, descr, (int)ndim, dims, order != 0) && can_be_spare(o);
    Py_XDECREF(descr);
    return good;
}

/* The spare array if it is what is asked for. */
static PyObject *take(const PyArray_Descr *descr, int ndim, const int64_t *dims, bool fortran)
{
    PyObject *o = spare.array;
    spare.array = NULL;
    if (is_alike(o, descr, ndim, dims, fortran)) {
        return o;
    }
    Py_DECREF(o);
    return NULL;
}

/* New uninitialised array, or NULL without an exception. order: 0 C, 1 Fortran. */
PyObject *pj_empty(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order)
{
    PyArray_Descr *descr = PyArray_DescrFromType((int)typenum);
    if (descr != NULL && spare.array != NULL) {
        PyObject *a = take(descr, (int)ndim, dims, order != 0);
        if (a != NULL) {
            Py_DECREF(descr);
            return a;
        }
    }
    PyObject *a = descr == NULL ? NULL
                                : PyArray_NewFromDescr(&PyArray_Type, descr, (int)ndim, (npy_intp *)dims, NULL, NULL,
                                                       order ? NPY_ARRAY_F_CONTIGUOUS : 0, NULL);
    if (a == NULL) {
        PyErr_Clear();
    }
    return a;
}

void pj_release(PyObject *o)
{
    if (o != NULL && Py_IS_TYPE(o, &PyArray_Type) && spare.kept && can_be_spare(o)) { /* what is thread-local last: it is dear */
        PyObject *before = spare.array;
        spare.array = o;
        o = before;
    }
    Py_XDECREF(o);
}

void pj_drop_spare(void)
{
    Py_CLEAR(spare.array);
}

/* Runs native code; gives its exit. */
int64_t pj_run_native(PjFragment *f, int64_t *W)
{
    const bool before = spare.kept;
    spare.kept = true;
    int64_t exit = f->native(W);
    spare.kept = before;
    if (PJ_UNLIKELY(spare.array != NULL)) {
        pj_drop_spare();
    }
    return exit;
}
