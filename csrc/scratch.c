/* scratch.c - the memory of arrays that live inside a fragment only, for which no object is made. */
#include "helpers.h"

#include "numpy_api.h"

#define LARGE 4096 /* bytes: from here on NumPy's memory is used, which pj_empty gives again, and large pages where there is much of it */

/* In front of the elements. Its size keeps them aligned as those of arrays are. */
typedef struct {
    PyObject *array; /* whose memory it is; NULL: malloc's */
    int64_t unused;
} Head;

/* Bytes of the elements, or -1 where that is no number. */
static int64_t bytes_of(int64_t itemsize, int64_t ndim, const int64_t *dims)
{
    int64_t bytes = itemsize;
    for (int64_t i = 0; i < ndim; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(bytes, dims[i] > 0 ? dims[i] : 1, &bytes)) {
            return -1;
        }
    }
    return bytes <= INT64_MAX - (int64_t)sizeof(Head) ? bytes : -1;
}

static void *memory_for(int64_t itemsize, int64_t ndim, const int64_t *dims, PyObject *(*empty)(int64_t, int64_t, int64_t *, int64_t))
{
    int64_t bytes = bytes_of(itemsize, ndim, dims);
    if (bytes < 0) {
        return NULL;
    }
    bytes += (int64_t)sizeof(Head);
    PyObject *array = bytes < LARGE ? NULL : empty(NPY_INT8, 1, &bytes, 0);
    Head *head = bytes < LARGE ? malloc((size_t)bytes) : array == NULL ? NULL : PyArray_DATA((PyArrayObject *)array);
    if (head == NULL) {
        return NULL;
    }
    head->array = array;
    return head + 1;
}

/* Memory for the elements of an array that no object is made for, or NULL: to be given to pj_discard or pj_kept. */
void *pj_scratch(int64_t itemsize, int64_t ndim, const int64_t *dims)
{
    return memory_for(itemsize, ndim, dims, pj_empty);
}

/* The same, as pj_empty_later. */
void *pj_scratch_later(int64_t itemsize, int64_t ndim, const int64_t *dims)
{
    return memory_for(itemsize, ndim, dims, pj_empty_later);
}

/* The array whose memory it is, to be let go instead; or NULL. */
PyObject *pj_scratch_array(void *scratch)
{
    return ((Head *)scratch - 1)->array;
}

void pj_discard(void *scratch)
{
    Head *head = (Head *)scratch - 1;
    if (head->array == NULL) {
        free(head);
    }
    else {
        pj_release(head->array);
    }
}

/* A new array with the elements that scratch holds, which is gone then; NULL without an exception. */
PyObject *pj_kept(void *scratch, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order)
{
    PyObject *a = pj_empty(typenum, ndim, dims, order);
    if (a != NULL) {
        memcpy(PyArray_DATA((PyArrayObject *)a), scratch, (size_t)PyArray_NBYTES((PyArrayObject *)a));
    }
    pj_discard(scratch);
    return a;
}
