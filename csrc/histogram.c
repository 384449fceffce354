/* histogram.c - np.histogram with bins of one width for native code: the edges, the bin of each element, and how much is in each bin. Plain
 * memory. */
#include <math.h>
#include <stdlib.h>

#include "helpers.h"

#define BLOCK 65536 /* elements that NumPy sums up before it adds them to what came before */
#define CHUNK 128
#define TABLES 4
#define FEW 1024 /* bins: several tables are in the first-level cache */
#define EXACT 9007199254740992.0 /* below this every int is a double of its own */

/* A vector of doubles; `step`: bytes from one to the next. */
typedef struct {
    const char *data;
    int64_t step, n;
} Doubles;

static inline double at(const Doubles *a, int64_t i)
{
    return *(const double *)(a->data + i * a->step);
}

/* The edges of `bins` bins, that is one more, between first and last; `exact`: both stand for ints. 0: it takes NumPy, for an error or because
 * numbers are too large or too close. */
int64_t pj_edges(double *edges, int64_t bins, double first, double last, int64_t exact)
{
    if (!(first <= last) || !isfinite(first) || !isfinite(last)) {
        return 0;
    }
    if (exact && (first <= -EXACT || last >= EXACT)) {
        return 0;
    }
    if (first == last) {
        first -= 0.5;
        last += 0.5;
    }
    const double width = last - first, each = width / (double)bins;
    if (!isfinite(width) || each == 0) {
        return 0;
    }
    for (int64_t i = 0; i < bins; i++) {
        edges[i] = (double)i * each + first;
    }
    edges[bins] = last;
    bool increase = true;
    for (int64_t i = 0; i < bins; i++) {
        increase &= edges[i] < edges[i + 1];
    }
    return increase;
}

/* How far from an edge, in bins, an element's place may be off: what the edges and the place itself are rounded by, and as much again. */
static double doubt(double first, double last, double bins)
{
    const double far = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
    return bins * (1 + far / (last - first)) * 0x1p-49;
}

/* By the edges on both sides; guess is about the place. */
static int64_t find_exactly(const double *edges, int64_t bins, double x, double guess)
{
    if (!(x >= edges[0] && x <= edges[bins])) {
        return -1;
    }
    const int64_t in_last = guess >= (double)(bins - 1), place = in_last ? bins - 1 : (int64_t)guess;
    return place - (x < edges[place]) + (!in_last & (x >= edges[place + 1]));
}

/* The bin of each element; -1 where it is outside of all. What is not near an edge needs no look at the edges, and goes several at once. */
void pj_places(int32_t *places, const double *edges, int64_t bins, const char *data, int64_t step, int64_t n)
{
    const double first = edges[0], last = edges[bins], width = last - first, number = (double)bins, near = doubt(first, last, number);
    double some[CHUNK], where[CHUNK];
    union {
        double number;
        int64_t bits;
    } away[CHUNK]; /* less than 0 where no edge is near */
    for (int64_t from = 0; from < n; from += CHUNK, places += CHUNK) {
        const Doubles a = {data + from * step, step, n - from < CHUNK ? n - from : CHUNK};
        const double *x = a.step == sizeof(double) ? (const double *)a.data : some;
        for (int64_t i = 0; i < a.n && x == some; i++) {
            some[i] = at(&a, i);
        }
        for (int64_t i = 0; i < a.n; i++) {
            where[i] = (x[i] - first) / width * number;
        }
        for (int64_t i = 0; i < a.n; i++) { /* what is outside, or no number, is at one of the ends */
            double inside = where[i] > 0 ? where[i] : 0;
            inside = inside < number ? inside : number;
            places[i] = (int32_t)inside;
            away[i].number = fabs(inside - places[i] - 0.5) - (0.5 - near);
        }
        int64_t signs = -1;
        for (int64_t i = 0; i < a.n; i++) {
            signs &= away[i].bits;
        }
        for (int64_t i = 0; signs >= 0 && i < a.n; i++) {
            if (away[i].bits >= 0) {
                places[i] = (int32_t)find_exactly(edges, bins, x[i], where[i]);
            }
        }
    }
}

static void count(int64_t *counts, int64_t bins, const int32_t *places, int64_t n)
{
    int64_t tables[TABLES][FEW + 1]; /* the first of each: what is outside */
    const int64_t size = (bins + 1) * (int64_t)sizeof(int64_t);
    if (bins > FEW || n < TABLES * bins) {
        for (int64_t i = 0; i < n; i++) {
            if (places[i] >= 0) {
                counts[places[i]]++;
            }
        }
        return;
    }
    for (int t = 0; t < TABLES; t++) { /* neighbours are often alike, and a count that was just stored is slow to load again */
        memset(tables[t], 0, (size_t)size);
    }
    int64_t i = 0;
    for (; i + TABLES <= n; i += TABLES) {
        for (int t = 0; t < TABLES; t++) {
            tables[t][places[i + t] + 1]++;
        }
    }
    for (; i < n; i++) {
        tables[0][places[i] + 1]++;
    }
    for (int64_t bin = 0; bin < bins; bin++) {
        counts[bin] = tables[0][bin + 1] + tables[1][bin + 1] + tables[2][bin + 1] + tables[3][bin + 1];
    }
}

static void weigh(double *sums, const int32_t *places, const Doubles *weights, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        if (places[i] >= 0) {
            sums[places[i]] += at(weights, i);
        }
    }
}

/* How many elements are in each bin, or with weights (NULL: none) their sum, as NumPy adds them up: block by block. watched: the
 * floating-point flags that count where blocks are added. 0: one was raised, or there is no memory. */
int64_t pj_histogram(void *result, int64_t bins, const int32_t *places, int64_t n, const char *data, int64_t step, int64_t watched)
{
    const Doubles weights = {data, step, n};
    memset(result, 0, (size_t)bins * 8);
    if (data == NULL) {
        count(result, bins, places, n);
        return 1;
    }
    double *total = result;
    weigh(total, places, &weights, 0, n < BLOCK ? n : BLOCK);
    double *sums = n > BLOCK ? malloc((size_t)bins * sizeof *sums) : NULL;
    int64_t raised = n > BLOCK && sums == NULL ? watched | 1 : 0;
    for (int64_t from = BLOCK; from < n && !raised; from += BLOCK) {
        memset(sums, 0, (size_t)bins * sizeof *sums);
        weigh(sums, places, &weights, from, n - from < BLOCK ? n : from + BLOCK);
        pj_fp_clear();
        for (int64_t bin = 0; bin < bins; bin++) {
            total[bin] += sums[bin];
        }
        raised = pj_fp_get() & watched;
    }
    free(sums);
    return !raised;
}
