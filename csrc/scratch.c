/* scratch.c - the memory of arrays that live inside a fragment only. For small ones no object is made, unless an exit needs one.
 *
 * What a fragment holds is one pointer: to an array, whose memory it is, or, odd, one byte into memory of malloc's.
 */
#include "helpers.h"

#include "numpy_api.h"

#define LARGE 4096 /* bytes: from here on NumPy's memory is used, which pj_empty gives again, and large pages where there is much of it */

static bool is_array(const void *scratch)
{
    return ((uintptr_t)scratch & 1) == 0;
}

static char *memory_of(void *scratch)
{
    return (char *)scratch - 1;
}

/* Bytes of the elements, or -1 where that is no number. */
static int64_t bytes_of(int64_t itemsize, int64_t ndim, const int64_t *dims)
{
    int64_t bytes = itemsize;
    for (int64_t i = 0; i < ndim; i++) {
        if (dims[i] < 0 || __builtin_mul_overflow(bytes, dims[i] > 0 ? dims[i] : 1, &bytes)) {
            return -1;
        }
    }
    return bytes;
}

typedef PyObject *Maker(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);

static void *make(int64_t itemsize, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order, void **data, Maker *empty)
{
    int64_t bytes = bytes_of(itemsize, ndim, dims);
    if (bytes < 0) {
        return NULL;
    }
    if (bytes < LARGE) {
        char *memory = *data = malloc(bytes > 0 ? (size_t)bytes : 1);
        return memory == NULL ? NULL : memory + 1;
    }
    PyObject *array = empty(typenum, ndim, dims, order);
    if (array != NULL) {
        *data = PyArray_DATA((PyArrayObject *)array);
    }
    return array;
}

/* Memory for the elements of a new array, to be given to pj_discard or pj_kept, and where they are; or NULL. order: 0 C, 1 Fortran. */
void *pj_scratch(int64_t itemsize, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order, void **data)
{
    return make(itemsize, typenum, ndim, dims, order, data, pj_empty);
}

/* The same, as pj_empty_later. */
void *pj_scratch_later(int64_t itemsize, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order, void **data)
{
    return make(itemsize, typenum, ndim, dims, order, data, pj_empty_later);
}

/* The array whose memory it is, to be let go instead; or NULL. */
PyObject *pj_scratch_array(void *scratch)
{
    return is_array(scratch) ? scratch : NULL;
}

void pj_discard(void *scratch)
{
    if (is_array(scratch)) {
        pj_release(scratch);
    }
    else {
        free(memory_of(scratch));
    }
}

/* A new array with the elements that scratch holds, which is gone then; NULL without an exception. */
PyObject *pj_kept(void *scratch, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order)
{
    if (is_array(scratch)) {
        return scratch;
    }
    PyObject *a = pj_empty(typenum, ndim, dims, order);
    if (a != NULL) {
        memcpy(PyArray_DATA((PyArrayObject *)a), memory_of(scratch), (size_t)PyArray_NBYTES((PyArrayObject *)a));
    }
    pj_discard(scratch);
    return a;
}
