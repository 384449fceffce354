/* mask.c - a[mask] and a[mask] = v for native code, where the mask goes over some neighbouring axes of a. Plain memory: no object is touched. */
#include "helpers.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define MAX_AXES 64
#define CHUNK 1024
#define RUN 64
#define CLEAR 64 /* bytes of a mask that are looked at together */
#define SOME 12 /* of CLEAR: more are not found one by one */
#define ALL 0x8080808080808080u
#define FEW_RUNS(T) (sizeof(T) < 4 ? 1 : 6) /* of a stretch: each costs about as much as ten elements that are stored */
#define FEW 8
#define LONG_RUN 4

/* One axis: a length, and the bytes from one element to the next in the mask, in a, and in what is packed: v, or the result. */
typedef struct {
    int64_t n, mask, spread, packed;
} Axis;

/* A walk over the axes of the mask, in the order of indices; the last axis is looked at as a whole. */
typedef struct {
    Axis axes[MAX_AXES];
    int naxes;
    int64_t at[MAX_AXES]; /* of the axes but the last */
    int64_t next;         /* in the last one */
    const char *row;
    int64_t offset; /* of the row in a */
    bool done;
} Walk;

static void start(Walk *w, const char *mask, int64_t ndim, const int64_t *dims, const int64_t *steps, const int64_t *spread)
{
    *w = (Walk){.row = mask};
    for (int64_t i = 0; i < ndim; i++) {
        w->done |= dims[i] == 0;
        Axis axis = {dims[i], steps[i], spread[i], 0}, *before = &w->axes[w->naxes - (w->naxes > 0)];
        if (w->naxes && before->mask == axis.n * axis.mask && before->spread == axis.n * axis.spread) {
            axis.n *= before->n;
            *before = axis;
        }
        else {
            w->axes[w->naxes++] = axis;
        }
    }
}

static void next_row(Walk *w)
{
    w->next = 0;
    int i = w->naxes - 2;
    for (; i >= 0; i--) {
        const Axis *a = &w->axes[i];
        w->row += a->mask;
        w->offset += a->spread;
        if (++w->at[i] < a->n) {
            return;
        }
        w->row -= a->n * a->mask;
        w->offset -= a->n * a->spread;
        w->at[i] = 0;
    }
    w->done = true;
}

/* The bytes of a word that are not 0, as the highest bit of each. */
static inline uint64_t set_bytes(uint64_t word)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return (((word & low) + low) | word) & ~low;
}

/* Whether a stretch of CLEAR bytes has none that is set. */
static inline bool clear(const char *bytes)
{
    uint64_t any = 0, words[CLEAR / sizeof(uint64_t)];
    memcpy(words, bytes, sizeof words);
    for (size_t k = 0; k < CLEAR / sizeof(uint64_t); k++) {
        any |= words[k];
    }
    return any == 0;
}

/* Which bytes of a stretch of CLEAR are set, a bit each. */
static inline uint64_t bits_of(const char *bytes)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    for (int k = 0; k < CLEAR; k += 16) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(bytes + k));
        bits |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_setzero_si128())) << k;
    }
    return ~bits;
#else
    for (int k = 0; k < CLEAR; k += 8) {
        uint64_t word;
        memcpy(&word, bytes + k, sizeof word);
        bits |= (set_bytes(word) >> 7) * 0x0102040810204080u >> 56 << k;
    }
    return bits;
#endif
}

static inline uint64_t bits_apart(const char *bytes, int64_t step)
{
    char together[CLEAR];
    for (int k = 0; k < CLEAR; k++) {
        together[k] = bytes[k * step];
    }
    return bits_of(together);
}

static inline int count_bits(uint64_t bits)
{
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    return (int)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* The offsets in a of the next elements that the mask takes, at most CHUNK; gives how many there are, 0 at the end. */
static int take(Walk *w, int64_t *offsets)
{
    int found = 0;
    while (!w->done) {
        const Axis *a = &w->axes[w->naxes - 1];
        int64_t i = w->next;
        while (i < a->n && found <= CHUNK - 8) {
            if (a->mask == 1 && i + CLEAR <= a->n && clear(w->row + i)) {
                i += CLEAR;
            }
            else if (a->mask == 1 && i + 8 <= a->n) {
                uint64_t word;
                memcpy(&word, w->row + i, sizeof word);
                word = set_bytes(word);
                const int64_t here = w->offset + i * a->spread;
                if (word == ALL) {
                    for (int k = 0; k < 8; k++) {
                        offsets[found + k] = here + k * a->spread;
                    }
                    found += 8;
                    word = 0;
                }
                for (; word; word &= word - 1) {
                    offsets[found++] = here + (__builtin_ctzll(word) >> 3) * a->spread;
                }
                i += 8;
            }
            else {
                offsets[found] = w->offset + i * a->spread;
                found += w->row[i * a->mask] != 0;
                i++;
            }
        }
        w->next = i;
        if (i < a->n) {
            return found;
        }
        next_row(w);
    }
    return found;
}

/* How many of n bytes are set, of which one lies `step` bytes from the next. */
static int64_t count(const char *mask, int64_t n, int64_t step)
{
    int64_t total = 0, i = 0;
    while (step == 1 && i + CLEAR <= n) {
        uint8_t each[CLEAR] = {0}; /* counted apart, as often as they have room for */
        for (int rounds = 0; rounds < UINT8_MAX && i + CLEAR <= n; rounds++, i += CLEAR) {
            for (int k = 0; k < CLEAR; k++) {
                each[k] += mask[i + k] != 0;
            }
        }
        for (int k = 0; k < CLEAR; k++) {
            total += each[k];
        }
    }
    for (; i < n; i++) {
        total += mask[i * step] != 0;
    }
    return total;
}

/* How many elements are true; block: the lengths, then the steps. */
int64_t pj_mask_count(const char *mask, int64_t ndim, const int64_t *block)
{
    Walk w;
    int64_t offsets[CHUNK], total = 0;
    start(&w, mask, ndim, block, block + ndim, block + ndim);
    if (w.naxes == 1 && !w.done) {
        return count(mask, w.axes[0].n, w.axes[0].mask);
    }
    for (int n; (n = take(&w, offsets)) > 0;) {
        total += n;
    }
    return total;
}

/* Writes the places of bytes that are set, of n bytes of which one lies `step` bytes from the next, until there is no room for more. */
static void places(int64_t *target, const int64_t *end, const char *mask, int64_t n, int64_t step)
{
    int64_t i = 0;
    for (; step == 1 && i + CLEAR <= n && target < end; i += CLEAR) {
        uint64_t bits = bits_of(mask + i);
        if (count_bits(bits) <= SOME || end - target < CLEAR) {
            for (; bits; bits &= bits - 1) {
                *target++ = i + __builtin_ctzll(bits);
            }
            continue;
        }
        for (int64_t k = i; k < i + CLEAR; k++) { /* no branch that could be guessed wrong */
            *target = k;
            target += mask[k] != 0;
        }
    }
    for (; i < n && target < end; i++) {
        *target = i;
        target += mask[i * step] != 0;
    }
}

/* Where the elements of a mask are true, of which there are `count`, in the order of indices: as numbers of elements. */
void pj_mask_places(int64_t *target, const char *mask, int64_t ndim, const int64_t *block, int64_t count)
{
    Walk w;
    int64_t offsets[CHUNK], spread[MAX_AXES], step = 1;
    for (int64_t i = ndim - 1; i >= 0; i--) {
        spread[i] = step;
        step *= block[i];
    }
    start(&w, mask, ndim, block, block + ndim, spread);
    if (w.naxes == 1) {
        places(target, target + count, mask, w.axes[0].n, w.axes[0].mask);
        return;
    }
    for (int n; (n = take(&w, offsets)) > 0; target += n) {
        memcpy(target, offsets, (size_t)n * sizeof *target);
    }
}

typedef struct {
    int64_t halves[2];
} Pair;

#define MOVE(T)                                                                                                       \
    for (int i = 0; i < n; i++, packed += step) {                                                                     \
        *(T *)(pick ? packed : spread + offsets[i]) = *(const T *)(pick ? spread + offsets[i] : packed);              \
    }                                                                                                                 \
    break

static inline void move_items(char *spread, char *packed, const int64_t *offsets, int n, int64_t step, int64_t size, const bool pick)
{
    switch (size) {
    case 1: MOVE(uint8_t);
    case 2: MOVE(uint16_t);
    case 4: MOVE(uint32_t);
    case 8: MOVE(uint64_t);
    case 16: MOVE(Pair);
    default:
        for (int i = 0; i < n; i++, packed += step) {
            memcpy(pick ? packed : spread + offsets[i], pick ? spread + offsets[i] : packed, (size_t)size);
        }
    }
}

/* How what is packed lies there: the step from one element of the mask to the next, the bytes of one, and whether both arrays go on without
 * gaps where the mask does. */
typedef struct {
    int64_t step, size;
    bool dense, pick;
} Packing;

static void move_some(char *spread, char *packed, const int64_t *offsets, int n, const Packing *p)
{
    for (int i = 0; i < n;) {
        const int rest = n - i, some = p->dense && rest > RUN ? RUN : rest;
        char *there = packed + i * p->step;
        if (p->dense && offsets[i + some - 1] - offsets[i] == (some - 1) * p->size) {
            memcpy(p->pick ? there : spread + offsets[i], p->pick ? spread + offsets[i] : there, (size_t)(some * p->size));
        }
        else if (p->pick) {
            move_items(spread, there, offsets + i, some, p->step, p->size, true);
        }
        else {
            move_items(spread, there, offsets + i, some, p->step, p->size, false);
        }
        i += some;
    }
}

/* The same for each element of the other axes. */
static void move_all(char *spread, char *packed, const Axis *others, int nothers, const int64_t *offsets, int n, const Packing *p)
{
    if (nothers == 0) {
        move_some(spread, packed, offsets, n, p);
        return;
    }
    for (int64_t i = 0; i < others->n; i++) {
        move_all(spread + i * others->spread, packed + i * others->packed, others + 1, nothers - 1, offsets, n, p);
    }
}

/* Moves what the mask takes of a vector, stretch by stretch, as long as there are at least as many packed elements as a stretch may have; gives how
 * many elements it has looked at. Few runs are copied. Else, to pick, every element is stored, and the place for the next one goes on where the mask
 * has it, so that nothing depends on what is predicted. */
#define STRETCHES(T)                                                                                                  \
    {                                                                                                                 \
        for (; i + CLEAR <= n && left >= CLEAR; i += CLEAR) {                                                         \
            uint64_t bits = apart == 1 ? bits_of(mask + i) : bits_apart(mask + i * apart, apart);                     \
            if (!bits) {                                                                                              \
                continue;                                                                                             \
            }                                                                                                         \
            char *there = spread + i * wide;                                                                          \
            const char *before = here;                                                                                \
            if (pick && count_bits(bits ^ (bits << 1)) > 2 * FEW_RUNS(T) && count_bits(bits) > FEW) {                 \
                for (int k = 0; k < CLEAR; k++) {                                                                     \
                    *(T *)here = *(const T *)(there + k * wide);                                                      \
                    here += bits >> k & 1 ? sizeof(T) : 0;                                                            \
                }                                                                                                     \
                left -= (here - before) / (int64_t)sizeof(T);                                                         \
                continue;                                                                                             \
            }                                                                                                         \
            while (bits) {                                                                                            \
                const int skip = __builtin_ctzll(bits);                                                               \
                bits >>= skip;                                                                                        \
                const int run = ~bits ? __builtin_ctzll(~bits) : CLEAR;                                               \
                bits = run < CLEAR ? bits >> run : 0;                                                                 \
                there += skip * wide;                                                                                 \
                if (run >= LONG_RUN && wide == sizeof(T) && step == sizeof(T)) {                                      \
                    memcpy(pick ? here : there, pick ? there : here, (size_t)run * sizeof(T));                        \
                }                                                                                                     \
                else if (pick) {                                                                                      \
                    for (int k = 0; k < run; k++) {                                                                   \
                        *(T *)(here + k * sizeof(T)) = *(const T *)(there + k * wide);                                \
                    }                                                                                                 \
                }                                                                                                     \
                else {                                                                                                \
                    for (int k = 0; k < run; k++) {                                                                   \
                        *(T *)(there + k * wide) = *(const T *)(here + k * step);                                     \
                    }                                                                                                 \
                }                                                                                                     \
                here += run * step;                                                                                   \
                there += run * wide;                                                                                  \
                left -= run;                                                                                          \
            }                                                                                                         \
        }                                                                                                             \
        break;                                                                                                        \
    }

static inline int64_t stretches(char *spread, char *here, const char *mask, const Axis *a, int64_t step, int64_t size, int64_t *count, const bool pick)
{
    const int64_t n = a->n, wide = a->spread, apart = a->mask;
    int64_t i = 0, left = *count;
    switch (size) {
    case 1: STRETCHES(uint8_t)
    case 2: STRETCHES(uint16_t)
    case 4: STRETCHES(uint32_t)
    case 8: STRETCHES(uint64_t)
    case 16: STRETCHES(Pair)
    }
    *count -= left;
    return i;
}

/* block: the numbers of the mask's axes and of the others, how many elements the mask takes; of the mask's axes the lengths, the steps and those
 * in a; of the others the lengths, the steps in a and in what is packed; the step in that from one element of the mask to the next. */
static void move(char *spread, char *packed, const char *mask, int64_t itemsize, const int64_t *block, bool pick)
{
    const int64_t ndim = block[0], count = block[2], *own = block + 3, *rest = own + 3 * ndim;
    int64_t nothers = block[1];
    const int64_t step = rest[3 * nothers];
    Axis others[MAX_AXES];
    for (int64_t i = 0; i < nothers; i++) {
        if (rest[i] == 0) {
            return;
        }
        others[i] = (Axis){rest[i], 0, rest[nothers + i], rest[2 * nothers + i]};
    }
    int64_t size = itemsize;
    for (; nothers && others[nothers - 1].spread == size && others[nothers - 1].packed == size; nothers--) {
        size *= others[nothers - 1].n;
    }
    Walk w;
    int64_t offsets[CHUNK], total = 0;
    start(&w, mask, ndim, own, own + ndim, own + 2 * ndim);
    const Packing how = {step, size, w.naxes == 1 && w.axes[0].spread == size && step == size, pick};
    if (w.naxes == 1 && !nothers && !w.done && (step == size || !pick)) {
        total = count;
        w.next = pick ? stretches(spread, packed, mask, &w.axes[0], size, size, &total, true)
                      : stretches(spread, packed, mask, &w.axes[0], step, size, &total, false);
    }
    for (int n; (n = take(&w, offsets)) > 0 && total + n <= count; total += n) {
        move_all(spread, packed + total * step, others, (int)nothers, offsets, n, &how);
    }
}

/* target = source[mask]; target is new. */
void pj_pick(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block)
{
    move((char *)(intptr_t)source, target, mask, itemsize, block, true);
}

static bool meet(uintptr_t low, uintptr_t high, uintptr_t other_low, uintptr_t other_high)
{
    return low < other_high && other_low < high;
}

/* target[mask] = source. False: the target overlaps the source or the mask, and nothing was written. */
int64_t pj_place(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block)
{
    const int64_t ndim = block[0], nothers = block[1], count = block[2], *own = block + 3, *rest = own + 3 * ndim;
    int64_t dims[2 * MAX_AXES], spread[2 * MAX_AXES], packed[2 * MAX_AXES], size = count;
    for (int64_t i = 0; i < ndim; i++) {
        dims[i] = own[i], spread[i] = own[2 * ndim + i];
    }
    for (int64_t i = 0; i < nothers; i++) {
        dims[ndim + i] = rest[i], spread[ndim + i] = rest[nothers + i], packed[i] = rest[2 * nothers + i];
        size *= rest[i];
    }
    if (size == 0) {
        return 1;
    }
    uintptr_t low, high, other_low, other_high;
    pj_extent(target, itemsize, ndim + nothers, dims, spread, &low, &high);
    pj_extent(mask, 1, ndim, own, own + ndim, &other_low, &other_high);
    if (meet(low, high, other_low, other_high)) {
        return 0;
    }
    dims[ndim + nothers] = count, packed[nothers] = rest[3 * nothers];
    pj_extent(source, itemsize, nothers + 1, dims + ndim, packed, &other_low, &other_high);
    if (meet(low, high, other_low, other_high)) {
        return 0;
    }
    move(target, (char *)(intptr_t)source, mask, itemsize, block, false);
    return 1;
}
