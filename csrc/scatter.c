/* scatter.c - np.bincount, np.add.at and np.subtract.at on vectors for native code: what is at places that are known at run time only. Plain
 * memory, but for a new array. */
#include <stdlib.h>

#include "scatter.h"
#include "helpers.h"

#include "numpy_api.h"

#define LAZY (1 << 20) /* bytes: from here on the operating system has zeros at hand, and elements that are never touched cost nothing */

/* A new vector of n zeros of 8 bytes, or NULL without an exception. */
static PyArrayObject *zeros(int typenum, int64_t n)
{
    if (n >= LAZY / 8) {
        const npy_intp length = n;
        PyObject *a = PyArray_ZEROS(1, &length, typenum, 0);
        if (a == NULL) {
            PyErr_Clear();
        }
        return (PyArrayObject *)a;
    }
    PyArrayObject *a = (PyArrayObject *)pj_empty(typenum, 1, &n, 0);
    if (a != NULL) {
        memset(PyArray_DATA(a), 0, (size_t)n * 8);
    }
    return a;
}

/* ---- np.bincount -------------------------------------------------------------------------------------------------------------------- */

/* The greatest element, or 0. */
int64_t pj_greatest(const Ints *a)
{
    int64_t most = 0;
    switch (a->kind) {
#define X(number, type)                                                                                               \
    case number:                                                                                                      \
        for (int64_t i = 0; i < a->n; i++) {                                                                       \
            const type value = AT(type, a, i);                                                                        \
            most = (int64_t)value > most ? (int64_t)value : most;                                                     \
        }                                                                                                             \
        break;
        KINDS(X)
#undef X
    }
    return most;
}

#define TABLES 4
#define FEW 1024 /* bins: several tables are in the first-level cache */
#define MANY 4   /* elements per bin that make up for adding the tables */

/* All loops below end at the first element that is not within the bins, and give its place. */
#define IS_BEYOND(value) ((uint64_t)(int64_t)(value) >= (uint64_t)bins)

/* Neighbours are often alike, and a count that was just stored is slow to load again: they go to different tables. */
static int64_t count_in_tables(int64_t *counts, int64_t bins, const Ints *a)
{
    int64_t tables[TABLES][FEW], i = 0;
    for (int t = 0; t < TABLES; t++) {
        memset(tables[t], 0, (size_t)bins * sizeof(int64_t));
    }
    switch (a->kind) {
#define X(number, type)                                                                                               \
    case number:                                                                                                      \
        for (; i + TABLES <= a->n; i += TABLES) {                                                                     \
            const type v[TABLES] = {AT(type, a, i), AT(type, a, i + 1), AT(type, a, i + 2), AT(type, a, i + 3)};                  \
            if (IS_BEYOND(v[0]) || IS_BEYOND(v[1]) || IS_BEYOND(v[2]) || IS_BEYOND(v[3])) {                           \
                break;                                                                                                \
            }                                                                                                         \
            for (int t = 0; t < TABLES; t++) {                                                                        \
                tables[t][v[t]]++;                                                                                    \
            }                                                                                                         \
        }                                                                                                             \
        for (; i < a->n && !IS_BEYOND(AT(type, a, i)); i++) {                                                            \
            tables[0][AT(type, a, i)]++;                                                                                 \
        }                                                                                                             \
        break;
        KINDS(X)
#undef X
    }
    for (int64_t bin = 0; bin < bins; bin++) {
        counts[bin] += tables[0][bin] + tables[1][bin] + tables[2][bin] + tables[3][bin];
    }
    return i;
}

/* All bytes are within 256 bins: nothing is to be looked at. */
static void count_bytes(int64_t *counts, const Ints *a)
{
    uint32_t tables[TABLES][256] = {0};
    for (int64_t from = 0; from < a->n;) {
        const int64_t end = a->n - from < UINT32_MAX ? a->n : from + UINT32_MAX;
        int64_t i = from;
        if (a->step == 1) {
            const uint8_t *bytes = (const uint8_t *)a->data;
            for (; i + 8 <= end; i += 8) {
                uint64_t word;
                memcpy(&word, bytes + i, sizeof word);
                for (int k = 0; k < 8; k++) {
                    tables[k % TABLES][word >> 8 * k & 255]++;
                }
            }
        }
        for (; i < end; i++) {
            tables[0][AT(uint8_t, a, i)]++;
        }
        for (int bin = 0; bin < 256; bin++) {
            counts[bin] += (int64_t)tables[0][bin] + tables[1][bin] + tables[2][bin] + tables[3][bin];
        }
        memset(tables, 0, sizeof tables);
        from = end;
    }
}

static int64_t count(int64_t *counts, int64_t bins, const Ints *a)
{
    if (a->kind == 1 && bins >= 256 && a->n >= 256) {
        count_bytes(counts, a);
        return a->n;
    }
    if (bins <= FEW && a->n >= MANY * bins) {
        return count_in_tables(counts, bins, a);
    }
    int64_t i = 0;
    switch (a->kind) {
#define X(number, type)                                                                                               \
    case number:                                                                                                      \
        for (; i < a->n && !IS_BEYOND(AT(type, a, i)); i++) {                                                            \
            counts[AT(type, a, i)]++;                                                                                    \
        }                                                                                                             \
        break;
        KINDS(X)
#undef X
    }
    return i;
}

static int64_t weigh(double *sums, int64_t bins, const Ints *a, const char *weights, int64_t by)
{
    int64_t i = 0;
    switch (a->kind) {
#define X(number, type)                                                                                               \
    case number:                                                                                                      \
        for (; i < a->n && !IS_BEYOND(AT(type, a, i)); i++) {                                                            \
            sums[AT(type, a, i)] += *(const double *)(weights + i * by);                                                 \
        }                                                                                                             \
        break;
        KINDS(X)
#undef X
    }
    return i;
}

/* Makes the bins, or as many more as are needed; what there is of them is in front. */
bool pj_make_bins(PyArrayObject **made, bool weighted, int64_t bins)
{
    PyArrayObject *before = *made;
    *made = zeros(weighted ? NPY_FLOAT64 : NPY_INT64, bins);
    if (before != NULL) {
        if (*made != NULL) {
            memcpy(PyArray_DATA(*made), PyArray_DATA(before), (size_t)PyArray_DIM(before, 0) * 8);
        }
        pj_release((PyObject *)before);
    }
    return *made != NULL;
}

/* Counts in the bins, from the first one of a on, up to one that is not within them; gives how many that were. */
int64_t pj_count_or_weigh(PyArrayObject *made, const Ints *a, const char *weights, int64_t by)
{
    void *room = PyArray_DATA(made);
    const int64_t bins = PyArray_DIM(made, 0);
    return weights == NULL ? count(room, bins, a) : weigh(room, bins, a, weights, by);
}

/* np.bincount(a, weights, bins) as a new array; weights may be NULL. block: kind, step and length of a, step of the weights. NULL: an element is
 * negative, or there is no memory. */
PyObject *pj_bincount(int64_t bins, const char *data, const char *weights, const int64_t *block)
{
    Ints a = {data, block[0], block[1], block[2]};
    const int64_t by = block[3];
    PyArrayObject *made = NULL;
    if (bins == 0 && a.n > 0) {
        const int64_t most = pj_greatest(&a);
        bins = most < PY_SSIZE_T_MAX / 8 ? most + 1 : PY_SSIZE_T_MAX / 8;
    }
    while (pj_make_bins(&made, weights != NULL, bins)) {
        const int64_t done = pj_count_or_weigh(made, &a, weights, by);
        if (done == a.n) {
            return (PyObject *)made;
        }
        a.data += done * a.step;
        a.n -= done;
        weights += weights == NULL ? 0 : done * by;
        const int64_t most = pj_greatest(&a);
        if (most < bins || most >= PY_SSIZE_T_MAX / 8) { /* what ended the loop is negative, or no memory has so many bins */
            pj_release((PyObject *)made);
            return NULL;
        }
        bins = most + 1;
    }
    return NULL;
}

/* ---- np.add.at, np.subtract.at ------------------------------------------------------------------------------------------------------ */

#define CHUNK 512

static int64_t part(const Ints *a, int64_t from)
{
    return a->n - from < CHUNK ? a->n - from : CHUNK;
}

/* A chunk of them from there on, in the buffer or where they are. */
static const int64_t *chunk(const Ints *a, int64_t from, int64_t *buffer)
{
    const int64_t n = part(a, from);
    if (a->kind == -8 && a->step == 8) {
        return (const int64_t *)a->data + from;
    }
    switch (a->kind) {
#define X(number, type)                                                                                               \
    case number:                                                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                             \
            buffer[i] = AT(type, a, from + i);                                                                        \
        }                                                                                                             \
        break;
        KINDS(X)
#undef X
    }
    return buffer;
}

#define EXTREMES(type, at)                                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                                                 \
        const type value = (at);                                                                                      \
        least = value < least ? value : least;                                                                        \
        most = value > most ? value : most;                                                                           \
    }

/* The same of words that lie behind each other, by the signs of their distances from both ends: processors have that for several at once. What wraps
 * around is far outside. */
static int64_t words_within(const uint64_t *words, int64_t n, uint64_t length)
{
    uint64_t signs = 0;
    for (int64_t i = 0; i < n; i++) {
        signs |= (words[i] + length) | (length - 1 - words[i]);
    }
    return !(signs >> 63);
}

/* Whether -length <= index < length for each of them. */
int64_t pj_within(const char *data, int64_t kind, int64_t step, int64_t n, int64_t length)
{
    const Ints ints = {data, kind, step, n}, *a = &ints;
    if (kind > 0 && kind < 4 && length >= INT64_C(1) << 8 * kind) {
        return 1;
    }
    if (kind == -8 && step == 8) {
        return words_within((const uint64_t *)data, n, (uint64_t)length);
    }
    switch (kind) {
#define X(number, type)                                                                                               \
    case number: {                                                                                                    \
        type least = 0, most = 0;                                                                                     \
        if (step == (int64_t)sizeof(type)) {                                                                          \
            EXTREMES(type, ((const type *)data)[i])                                                                   \
        }                                                                                                             \
        else {                                                                                                        \
            EXTREMES(type, AT(type, a, i))                                                                            \
        }                                                                                                             \
        return n == 0 || (-length <= (int64_t)least && (int64_t)most < length);                                       \
    }
        KINDS(X)
#undef X
    }
    return 0;
}

/* What is added to: `length` elements of `size` bytes. */
typedef struct {
    char *data;
    int64_t length, step, size;
} Target;

static inline char *element(const Target *t, int64_t index)
{
    return t->data + (index < 0 ? index + t->length : index) * t->step;
}

typedef void Adds(const Target *t, const int64_t *indices, int64_t n, const char *values, int64_t by);

#define TYPES(X) X(float64, double) X(float32, float) X(int8, uint8_t) X(int16, uint16_t) X(int32, uint32_t) X(int64, uint64_t)
#define ADDS(name, type, sign)                                                                                        \
    static void name(const Target *t, const int64_t *indices, int64_t n, const char *values, int64_t by)              \
    {                                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                             \
            type *place = (type *)element(t, indices[i]);                                                             \
            *place = (type)(*place sign *(const type *)(values + i * by));                                            \
        }                                                                                                             \
    }
#define X(name, type) ADDS(add_##name, type, +) ADDS(subtract_##name, type, -)
TYPES(X)
#undef X

static const struct {
    Adds *ways[2];
    int64_t size;
    bool flags;
} adders[] = {
#define X(name, type) {{add_##name, subtract_##name}, sizeof(type), (type)0.5 != 0},
    TYPES(X)
#undef X
};

/* Whether it may raise floating-point flags. */
bool pj_adder_raises(int64_t adder)
{
    return adders[adder].flags;
}

/* Keeps what is in the target, or puts it back: all of it, or an element for each index. */
static void keep(const Target *t, const Ints *a, char *kept, bool whole, bool back)
{
    if (whole && t->step == t->size) {
        memcpy(back ? t->data : kept, back ? kept : t->data, (size_t)(t->length * t->size));
        return;
    }
    int64_t buffer[CHUNK];
    for (int64_t from = 0; from < (whole ? t->length : a->n); from += CHUNK) {
        const int64_t *indices = whole ? NULL : chunk(a, from, buffer), n = whole ? t->length - from : part(a, from);
        for (int64_t i = 0; i < n && i < CHUNK; i++) {
            char *place = element(t, whole ? from + i : indices[i]), *other = kept + (from + i) * t->size;
            memcpy(back ? place : other, back ? other : place, (size_t)t->size);
        }
    }
}

/* target[index] += or -= values, one after the other; the indices are within, and nothing overlaps. block: which of the adders, whether to
 * subtract; length and step of the target; kind, step and length of the index; step of the values; the floating-point flags that count.
 * 0: one of them was raised, or there is no memory, and nothing was changed. */
int64_t pj_add_at(char *data, const char *index, const char *values, const int64_t *block)
{
    const Target t = {data, block[2], block[3], adders[block[0]].size};
    const Ints a = {index, block[4], block[5], block[6]};
    const int64_t by = block[7], watched = adders[block[0]].flags ? block[8] : 0;
    const bool whole = t.length <= a.n;
    char *kept = NULL;
    if (watched && a.n > 0) {
        kept = malloc((size_t)((whole ? t.length : a.n) * t.size));
        if (kept == NULL) {
            return 0;
        }
        keep(&t, &a, kept, whole, false);
        pj_fp_clear();
    }
    int64_t buffer[CHUNK];
    for (int64_t from = 0; from < a.n; from += CHUNK) {
        adders[block[0]].ways[block[1]](&t, chunk(&a, from, buffer), part(&a, from), values + from * by, by);
    }
    const bool done = kept == NULL || !(pj_fp_get() & watched);
    if (!done) {
        keep(&t, &a, kept, whole, true);
    }
    free(kept);
    return done;
}
