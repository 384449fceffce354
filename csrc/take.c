/* take.c - a[index] for native code, where the index is an array of places along one axis of a. Plain memory; of objects only
 * lists of ints are looked at. */
#include "pijit.h"

#define MAX_AXES 64

/* One of the other axes: a length, and the bytes from one element to the next in a and in what is made. */
typedef struct {
    int64_t n, from, to;
} Axis;

/* An index, or a negative one counted from the end; -1 where there is no such place. */
static inline int64_t place(int64_t index, int64_t length)
{
    const int64_t found = index < 0 ? index + length : index;
    return 0 <= found && found < length ? found : -1;
}

static void copy_row(char *to, const char *from, const Axis *axes, int64_t naxes, int64_t size)
{
    if (naxes == 0) {
        memcpy(to, from, (size_t)size);
        return;
    }
    for (int64_t i = 0; i < axes->n; i++) {
        copy_row(to + i * axes->to, from + i * axes->from, axes + 1, naxes - 1, size);
    }
}

#define TAKE(T)                                                                                                       \
    for (int64_t i = 0; i < n; i++) {                                                                                 \
        ((T *)target)[i] = *(const T *)(source + place(at[i], length) * step);                                        \
    }                                                                                                                 \
    return

/* Elements, of a contiguous index. */
static void take_elements(char *target, const char *source, const int64_t *at, int64_t n, int64_t length, int64_t step, int64_t size)
{
    switch (size) {
    case 1: TAKE(uint8_t);
    case 2: TAKE(uint16_t);
    case 4: TAKE(uint32_t);
    case 8: TAKE(uint64_t);
    default:
        for (int64_t i = 0; i < n; i++) {
            memcpy(target + i * size, source + place(at[i], length) * step, (size_t)size);
        }
    }
}

/* target = source[index], target being new and contiguous, first along the index, then along the other axes of the source. block: how many
 * places the index has and the bytes from one to the next, the length and the step of the axis that they are along; how many other axes
 * there are, their lengths, their steps in the source. False: the source has no such place, and nothing was written. */
int64_t pj_take(char *target, const char *source, const char *index, int64_t itemsize, const int64_t *block)
{
    const int64_t n = block[0], stride = block[1], length = block[2], step = block[3], *lengths = block + 5, *steps = lengths + block[4];
    bool missing = false;
    for (int64_t i = 0; i < n; i++) {
        missing |= place(*(const int64_t *)(index + i * stride), length) < 0;
    }
    if (missing) {
        return 0;
    }
    int64_t nothers = block[4], row = itemsize;
    Axis others[MAX_AXES];
    for (int64_t i = nothers - 1; i >= 0; i--) {
        others[i] = (Axis){lengths[i], steps[i], row};
        row *= lengths[i];
    }
    if (row == 0) {
        return 1;
    }
    if (nothers == 0 && stride == sizeof(int64_t)) {
        take_elements(target, source, (const int64_t *)index, n, length, step, itemsize);
        return 1;
    }
    int64_t size = itemsize;
    for (; nothers && others[nothers - 1].from == size; nothers--) {
        size *= others[nothers - 1].n;
    }
    for (int64_t i = 0; i < n; i++) {
        copy_row(target + i * row, source + place(*(const int64_t *)(index + i * stride), length) * step, others, nothers, size);
    }
    return 1;
}

/* The ints of an exact list. False: it has another length, or not all of them are exact ints of 64 bits. */
int64_t pj_list_ints(PyObject *list, int64_t *out, int64_t n)
{
    if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) != n) {
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        if (pj_unbox_int(PyList_GET_ITEM(list, i), &out[i]) != 0) {
            return 0;
        }
    }
    return 1;
}
