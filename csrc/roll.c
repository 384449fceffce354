/* roll.c - a[...] = np.roll(v, ...) for native code, as if v had been copied first. Each element is read and written once, also where a
 * and v are the same array: only what is overwritten before it is read is kept aside. Plain memory: no object is touched. */
#include <stdlib.h>

#include "axes.h"

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void roll_apart(char *to, const char *from, const Axis *a, int naxes, int64_t itemsize);

/* `n` elements of an axis that stay together. */
static void roll_part(char *to, const char *from, const Axis *a, int64_t n, int naxes, int64_t itemsize)
{
    if (naxes == 1 && a->to == itemsize && a->from == itemsize) {
        memcpy(to, from, (size_t)(n * itemsize));
        return;
    }
    if (naxes == 1) {
        const int64_t block[] = {n, a->to, a->from};
        (void)pj_assign(to, from, itemsize, 1, block);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        roll_apart(to + i * a->to, from + i * a->from, a + 1, naxes - 1, itemsize);
    }
}

/* Where the two lie in different memory. */
static void roll_apart(char *to, const char *from, const Axis *a, int naxes, int64_t itemsize)
{
    if (naxes == 0) {
        memcpy(to, from, (size_t)itemsize);
        return;
    }
    const int64_t stay = a->n - a->by;
    roll_part(to + a->by * a->to, from, a, stay, naxes, itemsize);
    if (a->by) {
        roll_part(to, from + stay * a->from, a, a->by, naxes, itemsize);
    }
}

/* The bytes that `roll_in_place` keeps aside. */
static int64_t aside(const Axis *a, int naxes, int64_t itemsize)
{
    while (naxes && a->by == 0) {
        a++, naxes--;
    }
    int64_t size = naxes ? least(a->by, a->n - a->by) * itemsize : 0;
    for (int i = 1; i < naxes; i++) {
        size *= a[i].n;
    }
    return size;
}

/* The axes with contiguous steps in one of the two arrays; gives the bytes of an element of the axis before them. */
static int64_t contiguous(Axis *made, const Axis *axes, int naxes, int64_t itemsize, bool target)
{
    int64_t step = itemsize;
    for (int i = naxes - 1; i >= 0; i--) {
        made[i] = axes[i];
        *(target ? &made[i].to : &made[i].from) = step;
        step *= axes[i].n;
    }
    return step;
}

static void roll_in_place(char *data, const Axis *a, int naxes, int64_t itemsize, char *spare)
{
    if (naxes == 0) {
        return;
    }
    const int64_t n = a->n, by = a->by, step = a->to;
    const bool forward = by <= n - by;
    const int64_t wraps = forward ? by : n - by, moves = n - wraps; /* rows */
    if (by == 0) {
        for (int64_t i = 0; i < n; i++) {
            roll_in_place(data + i * step, a + 1, naxes - 1, itemsize, spare);
        }
        return;
    }
    if (naxes == 1 && step == itemsize) {
        const size_t kept = (size_t)(wraps * itemsize), moved = (size_t)(moves * itemsize);
        memcpy(spare, data + (forward ? moved : 0), kept);
        memmove(data + (forward ? kept : 0), data + (forward ? 0 : kept), moved);
        memcpy(data + (forward ? 0 : moved), spare, kept);
        return;
    }
    const Axis *inner = a + 1;
    Axis out[MAX_AXES], back[MAX_AXES];
    const int64_t row = contiguous(out, inner, --naxes, itemsize, true);
    (void)contiguous(back, inner, naxes, itemsize, false);
    for (int i = 0; i < naxes; i++) {
        back[i].by = 0;
    }
    const int64_t distance = wraps * step;
    char *kept = data + (forward ? moves * step : 0), *place = data + (forward ? 0 : moves * step);
    for (int64_t i = 0; i < wraps; i++) {
        roll_apart(spare + i * row, kept + i * step, out, naxes, itemsize);
    }
    for (int64_t i = 0; i < moves; i++) {
        char *source = data + (forward ? (moves - 1 - i) * step : i * step + distance);
        roll_apart(forward ? source + distance : source - distance, source, inner, naxes, itemsize);
    }
    for (int64_t i = 0; i < wraps; i++) {
        roll_apart(place + i * step, spare + i * row, back, naxes, itemsize);
    }
}

/* Whether different elements lie in different memory, as far as can be seen at once: each axis steps over the inner ones. */
static bool simple(const Axis *axes, int naxes, int64_t itemsize)
{
    int64_t reach = itemsize;
    for (int i = naxes - 1; i >= 0; i--) {
        if (magnitude(axes[i].to) < reach) {
            return false;
        }
        reach += (axes[i].n - 1) * magnitude(axes[i].to);
    }
    return true;
}

/* target[...] = source rolled; block: the lengths, the target's steps, the source's, the places. False: there is no memory for what has to
 * be kept, and nothing was written. */
int64_t pj_roll(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block)
{
    Axis axes[MAX_AXES];
    int64_t size = itemsize;
    for (int64_t i = 0; i < ndim; i++) {
        axes[i] = (Axis){block[i], block[3 * ndim + i], block[ndim + i], block[2 * ndim + i]};
        size *= block[i];
    }
    if (size == 0) {
        return 1;
    }
    uintptr_t low, high, other_low, other_high;
    pj_extent(target, itemsize, ndim, block, block + ndim, &low, &high);
    pj_extent(source, itemsize, ndim, block, block + 2 * ndim, &other_low, &other_high);
    const int naxes = arranged(axes, (int)ndim);
    if (low >= other_high || other_low >= high) {
        roll_apart(target, source, axes, naxes, itemsize);
        return 1;
    }
    const bool in_place = same_elements(target, source, axes, naxes) && simple(axes, naxes, itemsize);
    const int64_t needed = in_place ? aside(axes, naxes, itemsize) : size;
    if (needed == 0) { /* nothing moves */
        return 1;
    }
    char *spare = malloc((size_t)needed);
    if (spare == NULL) {
        return 0;
    }
    if (in_place) {
        roll_in_place(target, axes, naxes, itemsize, spare);
    }
    else {
        Axis there[MAX_AXES], back[MAX_AXES];
        (void)contiguous(there, axes, naxes, itemsize, true);
        (void)contiguous(back, axes, naxes, itemsize, false);
        roll_apart(spare, source, there, naxes, itemsize);
        for (int i = 0; i < naxes; i++) {
            back[i].by = 0;
        }
        roll_apart(target, spare, back, naxes, itemsize);
    }
    free(spare);
    return 1;
}

/* Runs a kernel for operands that are rolled along its first axis, in parts that lie together. block, for each of them: the place of its
 * pointer in p, the bytes from one row to the next, by how many rows. */
int64_t pj_kernel_rolled(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, const int64_t *block, int64_t count)
{
    const int64_t n = p[0], *end = block + 3 * count;
    int64_t status = 0;
    for (int64_t low = 0, high; low < n; low = high) {
        high = n;
        for (const int64_t *r = block; r < end; r += 3) {
            const bool wrapped = low < r[2]; /* these come from the end */
            high = wrapped ? least(high, r[2]) : high;
            p[r[0]] += (wrapped ? n - r[2] : -r[2]) * r[1];
        }
        status |= kernel(low, high, p);
        for (const int64_t *r = block; r < end; r += 3) {
            p[r[0]] -= (low < r[2] ? n - r[2] : -r[2]) * r[1];
        }
    }
    return status;
}
