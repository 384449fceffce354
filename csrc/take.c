/* take.c - a[index] for native code, where the index is an array of places along one axis of a. Plain memory; of objects only
 * lists of ints are looked at. */
#include "ints.h"
#include "helpers.h"

#define MAX_AXES 64
#define PART 1024

/* One of the other axes: a length, and the bytes from one element to the next in a and in what is made. */
typedef struct {
    int64_t n, from, to;
} Axis;

/* An index, or a negative one counted from the end. */
static inline int64_t place(int64_t index, int64_t length)
{
    return index < 0 ? index + length : index;
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

#define TAKE(T, type)                                                                                                 \
    {                                                                                                                 \
        const type *index = (const type *)at->data;                                                                   \
        T *out = (T *)target;                                                                                         \
        for (int64_t i = 0; step == (int64_t)sizeof(T) && i < at->n; i++) {                                           \
            out[i] = ((const T *)source)[place(index[i], length)];                                                    \
        }                                                                                                             \
        for (int64_t i = 0; step != (int64_t)sizeof(T) && i < at->n; i++) {                                           \
            out[i] = *(const T *)(source + place(index[i], length) * step);                                           \
        }                                                                                                             \
        return true;                                                                                                  \
    }

/* Elements, of a contiguous index. False: not of this size. */
static bool take_elements(char *target, const char *source, const Ints *at, int64_t length, int64_t step, int64_t size)
{
    switch (at->kind * 16 + size) {
#define X(number, type)                                                                                               \
    case number * 16 + 1: TAKE(uint8_t, type);                                                                        \
    case number * 16 + 2: TAKE(uint16_t, type);                                                                       \
    case number * 16 + 4: TAKE(uint32_t, type);                                                                       \
    case number * 16 + 8: TAKE(uint64_t, type);
        KINDS(X)
#undef X
    }
    return false;
}

/* Words from 0 on, as most are: whether they were all below the length, else nothing was taken. */
static bool take_words(char *target, const char *source, const int64_t *index, int64_t n, int64_t length, int64_t size)
{
    uint64_t signs = 0;
    for (int64_t i = 0; i < n; i++) {
        signs |= (uint64_t)index[i] | (uint64_t)(length - 1 - index[i]);
    }
    for (int64_t i = 0; i < n && !(signs >> 63); i++) {
        if (size == 8) {
            ((uint64_t *)target)[i] = ((const uint64_t *)source)[index[i]];
        }
        else {
            ((uint32_t *)target)[i] = ((const uint32_t *)source)[index[i]];
        }
    }
    return !(signs >> 63);
}

/* Likewise, and how many were looked at before one was found that is no such place, or all: a part is still in the nearest cache when it is used. */
static bool take_vector(char *target, const char *source, const Ints *at, int64_t length, int64_t step, int64_t size, int64_t *within)
{
    const int64_t width = at->kind < 0 ? -at->kind : at->kind;
    if (at->step != width) {
        return false;
    }
    for (*within = 0; *within < at->n; *within += PART) {
        const int64_t left = at->n - *within;
        const Ints part = {at->data + *within * width, at->kind, width, left < PART ? left : PART};
        if (at->kind == -8 && step == size && size >= 4 && size <= 8 &&
            take_words(target + *within * size, source, (const int64_t *)part.data, part.n, length, size)) {
            continue;
        }
        if (!pj_within(part.data, part.kind, width, part.n, length)) {
            return true;
        }
        if (!take_elements(target + *within * size, source, &part, length, step, size)) {
            return false;
        }
    }
    *within = at->n;
    return true;
}

static int64_t at_index(const Ints *at, int64_t i)
{
    switch (at->kind) {
#define X(number, type)                                                                                               \
    case number: return AT(type, at, i);
        KINDS(X)
#undef X
    }
    return 0;
}

/* target = source[index], target being new and contiguous, first along the index, then along the other axes of the source. block: kind, step and
 * length of the index, the length and the step of the axis that it is along; how many other axes there are, their lengths, their
 * steps in the source. False: the source has no such place, and anything may be in the target. */
int64_t pj_take(char *target, const char *source, const char *index, int64_t itemsize, const int64_t *block)
{
    const Ints at = {index, block[0], block[1], block[2]};
    const int64_t length = block[3], step = block[4], *lengths = block + 6, *steps = lengths + block[5];
    int64_t nothers = block[5], row = itemsize, within;
    if (nothers == 0 && take_vector(target, source, &at, length, step, itemsize, &within)) {
        return within == at.n;
    }
    if (!pj_within(index, at.kind, at.step, at.n, length)) {
        return 0;
    }
    Axis others[MAX_AXES];
    for (int64_t i = nothers - 1; i >= 0; i--) {
        others[i] = (Axis){lengths[i], steps[i], row};
        row *= lengths[i];
    }
    if (row == 0) {
        return 1;
    }
    int64_t size = itemsize;
    for (; nothers && others[nothers - 1].from == size; nothers--) {
        size *= others[nothers - 1].n;
    }
    for (int64_t i = 0; i < at.n; i++) {
        copy_row(target + i * row, source + place(at_index(&at, i), length) * step, others, nothers, size);
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
