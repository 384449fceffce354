/* copy.c - a[...] = v for native code, as NumPy does it: as if v had been copied first, but along a single axis that both go through in
 * one direction, one element after the other. Plain memory: no object is touched. */
#include <stdlib.h>

#include "axes.h"

#define PIECE ((size_t)4096) /* bytes; a multiple of every size of elements */
#define SHORT 16 /* elements of rows of which several are copied at once, place by place, */
#define LONG 64  /* but for those of so many bytes that lie behind each other */
#define ROWS 128

/* One value for all is read once: the compiler cannot know that it is not overwritten. */
#define STEP(T)                                                                                                       \
    {                                                                                                                 \
        const T value = *(const T *)from;                                                                             \
        for (int64_t i = 0; step == 0 && i < n; i++, to += stride) {                                                  \
            *(T *)to = value;                                                                                         \
        }                                                                                                             \
        if (step != 0) {                                                                                              \
            _Pragma("GCC unroll 4") for (int64_t i = 0; i < n; i++, to += stride, from += step)                       \
            {                                                                                                         \
                *(T *)to = *(const T *)from;                                                                          \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    break

typedef struct {
    int64_t halves[2];
} Pair;

/* A row of equal elements: what is there already is copied behind itself, in pieces that stay in the nearest cache. */
static void fill_row(char *to, const char *from, size_t length, size_t itemsize)
{
    if (itemsize == 1 || memcmp(from, from + 1, itemsize - 1) == 0) { /* all bytes equal, as those of 0 */
        memset(to, *(const unsigned char *)from, length);
        return;
    }
    memcpy(to, from, itemsize);
    for (size_t done = itemsize; done < length;) {
        size_t piece = done < PIECE ? done : PIECE;
        piece = piece < length - done ? piece : length - done;
        memcpy(to + done, to, piece);
        done += piece;
    }
}

/* Elements are aligned, which guards have checked. The axis is read first: what is stored might be it, for all that the
 * compiler knows. */
static void copy_row(char *to, const char *from, const Axis *a, int64_t itemsize)
{
    const int64_t n = a->n, stride = a->to, step = a->from;
    if (stride == itemsize && step == itemsize) {
        memcpy(to, from, (size_t)(n * itemsize));
        return;
    }
    if (stride == itemsize && step == 0) {
        fill_row(to, from, (size_t)(n * itemsize), (size_t)itemsize);
        return;
    }
    switch (itemsize) {
    case 1: STEP(uint8_t);
    case 2: STEP(uint16_t);
    case 4: STEP(uint32_t);
    case 8: STEP(uint64_t);
    case 16: STEP(Pair);
    default:
        for (int64_t i = 0; i < n; i++, to += stride, from += step) {
            memcpy(to, from, (size_t)itemsize);
        }
    }
}

/* n elements along one axis, from memory that has nothing in common with where they go. */
void pj_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t itemsize)
{
    const Axis axis = {n, 0, to_step, from_step};
    copy_row(to, from, &axis, itemsize);
}

#define FILL_ROWS(T, length)                                                                                          \
    for (int64_t i = 0; i < axes->n; i++, to += axes->to, from += axes->from) {                                       \
        const T value = *(const T *)from;                                                                             \
        for (int64_t k = 0; k < (length); k++) {                                                                      \
            ((T *)to)[k] = value;                                                                                     \
        }                                                                                                             \
    }                                                                                                                 \
    return true
#define FILL(T)                                                                                                       \
    switch (n) {                                                                                                      \
    case 2: FILL_ROWS(T, 2);                                                                                          \
    case 3: FILL_ROWS(T, 3);                                                                                          \
    case 4: FILL_ROWS(T, 4);                                                                                          \
    default: FILL_ROWS(T, n);                                                                                         \
    }

/* Rows each of which is one element as often as it is long. False: not of this size. */
static bool fill_rows(char *to, const char *from, const Axis *axes, int64_t itemsize)
{
    const int64_t n = axes[1].n;
    switch (itemsize) {
    case 1: FILL(uint8_t);
    case 2: FILL(uint16_t);
    case 4: FILL(uint32_t);
    case 8: FILL(uint64_t);
    }
    return false;
}

/* Rows that are short against how many there are, and lie apart, so that their order does not matter: a number of them at once, place by place. */
static bool copy_short_rows(char *to, const char *from, const Axis *axes, int64_t itemsize)
{
    const Axis *row = &axes[1];
    if (row->from == 0 && row->to == itemsize && row->n * itemsize < (int64_t)PIECE) {
        return fill_rows(to, from, axes, itemsize);
    }
    const bool whole = row->to == itemsize && row->from == itemsize && row->n * itemsize >= LONG;
    if (whole || row->n > SHORT || axes->n < SHORT || magnitude(axes->to) < row->n * magnitude(row->to)) {
        return false;
    }
    for (int64_t done = 0; done < axes->n; done += ROWS) {
        const Axis some = {axes->n - done < ROWS ? axes->n - done : ROWS, 0, axes->to, axes->from};
        for (int64_t i = 0; i < row->n; i++) {
            copy_row(to + done * axes->to + i * row->to, from + done * axes->from + i * row->from, &some, itemsize);
        }
    }
    return true;
}

/* Rows whose elements lie behind each other on both sides. */
static bool copy_whole_rows(char *to, const char *from, const Axis *axes, int64_t itemsize)
{
    const int64_t n = axes[0].n, stride = axes[0].to, step = axes[0].from;
    const size_t length = (size_t)(axes[1].n * itemsize);
    if (axes[1].to != itemsize || axes[1].from != itemsize) {
        return false;
    }
    for (int64_t i = 0; i < n; i++, to += stride, from += step) {
        memcpy(to, from, length);
    }
    return true;
}

/* The arranged axes; for a single element, an axis of one. */
static int arranged_or_one(Axis *axes, int64_t ndim)
{
    int naxes = arranged(axes, (int)ndim);
    if (naxes == 0) {
        axes[naxes++] = (Axis){1, 0, 0, 0};
    }
    return naxes;
}

static void copy_axes(char *to, const char *from, const Axis *axes, int naxes, int64_t itemsize)
{
    if (naxes == 1) {
        copy_row(to, from, axes, itemsize);
        return;
    }
    if (naxes == 2 && (copy_short_rows(to, from, axes, itemsize) || copy_whole_rows(to, from, axes, itemsize))) {
        return;
    }
    for (int64_t i = 0; i < axes->n; i++) {
        copy_axes(to + i * axes->to, from + i * axes->from, axes + 1, naxes - 1, itemsize);
    }
}

/* The first address of the memory that an array lies in, and the one after it. It has elements. */
void pj_extent(const char *data, int64_t itemsize, int64_t ndim, const int64_t *dims, const int64_t *steps, uintptr_t *low,
               uintptr_t *high)
{
    *low = (uintptr_t)data;
    *high = (uintptr_t)data + (uintptr_t)itemsize;
    for (int64_t i = 0; i < ndim; i++) {
        int64_t reach = (dims[i] - 1) * steps[i];
        *(reach < 0 ? low : high) += (uintptr_t)reach;
    }
}

static int overlap(const char *to, const char *from, int64_t itemsize, int64_t ndim, const int64_t *block)
{
    uintptr_t low, high, other_low, other_high;
    pj_extent(to, itemsize, ndim, block, block + ndim, &low, &high);
    pj_extent(from, itemsize, ndim, block, block + 2 * ndim, &other_low, &other_high);
    return low < other_high && other_low < high;
}

/* NumPy begins at the end where the source begins before the target, which keeps a copy apart where the steps are equal. Where they are not,
 * elements are read that were stored before, and that is its answer. */
static void copy_in_turn(char *to, const char *from, Axis a, int64_t itemsize)
{
    if (a.to < 0) {
        to += (a.n - 1) * a.to;
        from += (a.n - 1) * a.from;
        a = (Axis){a.n, 0, -a.to, -a.from};
    }
    if (from < to && from + a.n * a.from > to) {
        to += (a.n - 1) * a.to;
        from += (a.n - 1) * a.from;
        a = (Axis){a.n, 0, -a.to, -a.from};
    }
    copy_row(to, from, &a, itemsize);
}

/* Along every axis from the first address of the target on, as NumPy goes: where elements of the target lie on each other, the last one stored
 * stays. */
static void rising(char **to, const char **from, Axis *axes, int naxes)
{
    for (int i = 0; i < naxes; i++) {
        Axis *a = &axes[i];
        if (a->to < 0) {
            *to += (a->n - 1) * a->to;
            *from += (a->n - 1) * a->from;
            a->to = -a->to;
            a->from = -a->from;
        }
    }
}

/* The axes of a block in order; gives how many elements there are. */
static int64_t axes_of(Axis *axes, int *naxes, int64_t ndim, const int64_t *block)
{
    int64_t count = 1;
    for (int64_t i = 0; i < ndim; i++) {
        axes[i] = (Axis){block[i], 0, block[ndim + i], block[2 * ndim + i]};
        count *= block[i];
    }
    *naxes = count == 0 ? 0 : arranged_or_one(axes, ndim);
    return count;
}

/* What pj_assign does where target and source have no memory in common. */
void pj_copy(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block)
{
    Axis axes[MAX_AXES];
    int naxes;
    if (axes_of(axes, &naxes, ndim, block) != 0) {
        rising(&target, &source, axes, naxes);
        copy_axes(target, source, axes, naxes, itemsize);
    }
}

/* target[...] = source; block: the lengths, then the target's steps, then the source's (0 where it is stretched). False:
 * there is no memory for a copy, and nothing was written. */
int64_t pj_assign(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block)
{
    Axis axes[MAX_AXES];
    int naxes;
    const int64_t count = axes_of(axes, &naxes, ndim, block);
    if (count == 0) {
        return 1;
    }
    if (same_elements(target, source, axes, naxes)) {
        return 1;
    }
    int one_block = naxes == 1 && axes[0].to == itemsize && axes[0].from == itemsize;
    if (one_block) {
        memmove(target, source, (size_t)(axes[0].n * itemsize));
        return 1;
    }
    const int meet = overlap(target, source, itemsize, ndim, block);
    if (naxes > 1) { /* along one axis no element lies on another, unless all do */
        rising(&target, &source, axes, naxes);
    }
    if (!meet) {
        copy_axes(target, source, axes, naxes, itemsize);
        return 1;
    }
    if (ndim == 1 && axes->from != 0 && axes->to != axes->from && (axes->to < 0) == (axes->from < 0)) {
        copy_in_turn(target, source, *axes, itemsize);
        return 1;
    }
    char *copy = malloc((size_t)(count * itemsize));
    if (copy == NULL) {
        return 0;
    }
    Axis there[MAX_AXES], back[MAX_AXES];
    int64_t step = itemsize;
    for (int i = naxes - 1; i >= 0; i--) {
        there[i] = (Axis){axes[i].n, 0, step, axes[i].from};
        back[i] = (Axis){axes[i].n, 0, axes[i].to, step};
        step *= axes[i].n;
    }
    copy_axes(copy, source, there, naxes, itemsize);
    copy_axes(target, copy, back, naxes, itemsize);
    free(copy);
    return 1;
}

/* What pj_assign does, for a new target that is contiguous, but for the elements of a part of it. The block goes on with the part's lengths and
 * steps. A part that steps otherwise than the target is assigned, too. */
void pj_assign_around(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block, const char *part)
{
    const int64_t *dims = block, *to = block + ndim, *from = to + ndim, *length = from + ndim, *steps = length + ndim;
    int64_t low[MAX_AXES], rest = part - target;
    bool follows = true;
    for (int64_t i = 0; i < ndim && follows; i++) {
        low[i] = to[i] > 0 ? rest / to[i] : 0;
        rest -= low[i] * to[i];
        follows = length[i] > 0 && (length[i] == 1 || steps[i] == to[i]) && low[i] + length[i] <= dims[i];
    }
    if (!follows || rest != 0) {
        (void)pj_assign(target, source, itemsize, ndim, block);
        return;
    }
    for (int64_t side = 0; side < 2 * ndim; side++) { /* before and behind the part along each axis, of what lies beside it along none before */
        Axis axes[MAX_AXES];
        char *first = target;
        const char *value = source;
        for (int64_t i = 0; i < ndim; i++) {
            const int64_t axis = side / 2, end = low[i] + length[i];
            const int64_t begin = i < axis ? low[i] : i == axis && side % 2 ? end : 0;
            const int64_t n = i < axis ? length[i] : i > axis ? dims[i] : side % 2 ? dims[i] - end : low[i];
            axes[i] = (Axis){n, 0, to[i], from[i]};
            first += begin * to[i];
            value += begin * from[i];
        }
        if (axes[side / 2].n == 0) {
            continue;
        }
        copy_axes(first, value, axes, arranged_or_one(axes, ndim), itemsize);
    }
}
