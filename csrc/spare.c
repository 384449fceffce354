/* spare.c - new arrays, and the memory of the last ones that went: a loop that makes arrays in every round and lets them go has them back.
 *
 * Nobody can tell: they are arrays that nothing else refers to, that were never lent out, and are like new ones in all but their elements.
 * They are kept only while native code runs, and go before anything else needs memory. So all that is kept was in use at once, and never is
 * more memory taken than by a program that gives it back at once.
 */
#include "helpers.h"
#include "numpy_api.h"

enum { MOST = 4 };

static _Thread_local struct {
    int count;
    bool kept; /* native code runs that will see to it that they go */
    PyObject *arrays[MOST]; /* the last one that went is the last */
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

static PyObject *remove_at(int i)
{
    PyObject *o = spare.arrays[i];
    spare.count--;
    memmove(&spare.arrays[i], &spare.arrays[i + 1], (size_t)(spare.count - i) * sizeof o);
    return o;
}

/* The spare array that is like what is asked for. If there is none, something else needs memory. */
static PyObject *take(const PyArray_Descr *descr, int ndim, const int64_t *dims, bool fortran)
{
    for (int i = spare.count; i-- > 0;) {
        if (is_alike(spare.arrays[i], descr, ndim, dims, fortran)) {
            return remove_at(i);
        }
    }
    pj_drop_spare();
    return NULL;
}

/* New uninitialised array, or NULL without an exception. order: 0 C, 1 Fortran. */
PyObject *pj_empty(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order)
{
    PyArray_Descr *descr = PyArray_DescrFromType((int)typenum);
    if (descr != NULL && spare.count > 0) {
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

/* Puts it behind the others; gives the one that has to go for that, or NULL. */
static PyObject *keep(PyObject *o)
{
    PyObject *first = spare.count == MOST ? remove_at(0) : NULL;
    spare.arrays[spare.count++] = o;
    return first;
}

void pj_release(PyObject *o)
{
    if (o != NULL && Py_IS_TYPE(o, &PyArray_Type) && spare.kept && can_be_spare(o)) { /* what is thread-local last: it is dear */
        o = keep(o);
    }
    Py_XDECREF(o);
}

void pj_drop_spare(void)
{
    while (spare.count > 0) {
        Py_DECREF(spare.arrays[--spare.count]);
    }
}

/* Runs native code; gives its exit. */
int64_t pj_run_native(PjFragment *f, int64_t *W)
{
    const bool before = spare.kept;
    spare.kept = true;
    int64_t exit = f->native(W);
    spare.kept = before;
    if (PJ_UNLIKELY(spare.count > 0)) {
        pj_drop_spare();
    }
    return exit;
}
