/* scattered.c - what a kernel makes for np.bincount, np.add.at and np.subtract.at alone, strip by strip: it is in memory nowhere. */
#include <stdlib.h>

#include "scatter.h"
#include "helpers.h"

#define STRIP 1024 /* a multiple of a kernel's tiles; what one makes stays in the first-level cache */
#define MOST_OUTPUTS 16
#define MOST_SINKS 16

typedef int64_t (*Kernel)(int64_t low, int64_t high, int64_t *p);

typedef struct {
    Kernel kernel;
    int64_t *p, *outputs; /* the words that say where what it makes goes */
    int64_t n, watched, count;
    const int64_t *sizes; /* of an element of each output */
    char *rooms[MOST_OUTPUTS];
} Source;

/* One that is fed. `of`: the number of an output, or -1: what is at `data`. */
typedef struct {
    int64_t way;    /* 0: np.bincount, 1: np.add.at, 2: np.subtract.at */
    int64_t adder;
    int64_t data, length, step; /* the target; of np.bincount the least number of bins is its length, and data the result */
    int64_t index_of, index, index_kind, index_step; /* what is given to add at is within */
    int64_t values_of, values, values_step; /* -2: no weights */
} Sink;

static bool make_strip(const Source *s, int64_t low, int64_t high)
{
    for (int64_t i = 0; i < s->count; i++) {
        s->outputs[i] = (int64_t)s->rooms[i] - low * s->sizes[i];
    }
    if (s->watched) {
        pj_fp_clear();
    }
    const int64_t status = s->kernel(low, high, s->p) | (s->watched ? pj_fp_get() : 0);
    return !(status & (s->watched | PJ_TROUBLE));
}

static int64_t end_of(const Source *s, int64_t low)
{
    return s->n - low < STRIP ? s->n : low + STRIP;
}

static Ints indices(const Source *s, const Sink *sink, int64_t low, int64_t high)
{
    const int64_t step = sink->index_step;
    const char *data = sink->index_of < 0 ? (const char *)sink->index + low * step : s->rooms[sink->index_of];
    return (Ints){data, sink->index_kind, step, high - low};
}

static const char *values_of(const Source *s, const Sink *sink, int64_t low)
{
    return sink->values_of == -2 ? NULL : sink->values_of < 0 ? (const char *)sink->values + low * sink->values_step : s->rooms[sink->values_of];
}

/* The greatest index from there on, or -1 where the kernel fails. What it made is lost. */
static int64_t greatest_from(const Source *s, const Sink *sink, int64_t low)
{
    int64_t most = 0;
    for (int64_t high; low < s->n; low = high) {
        high = end_of(s, low);
        if (sink->index_of >= 0 && !make_strip(s, low, high)) {
            return -1;
        }
        const Ints a = indices(s, sink, low, high);
        const int64_t here = pj_greatest(&a);
        most = here > most ? here : most;
    }
    return most;
}

static bool count_strip(const Source *s, const Sink *sink, PyArrayObject **made, int64_t low, int64_t high)
{
    for (int64_t from = low;;) {
        const Ints a = indices(s, sink, low, high);
        const Ints left = {a.data + (from - low) * a.step, a.kind, a.step, high - from};
        const char *weights = values_of(s, sink, low);
        weights += weights == NULL ? 0 : (from - low) * sink->values_step;
        from += pj_count_or_weigh(*made, &left, weights, sink->values_step);
        if (from == high) {
            return true;
        }
        const int64_t most = greatest_from(s, sink, low);
        if (most < PyArray_DIM(*made, 0) || most >= PY_SSIZE_T_MAX / 8 || !make_strip(s, low, high) ||
            !pj_make_bins(made, weights != NULL, most + 1)) {
            return false;
        }
    }
}

static bool add_strip(const Source *s, const Sink *sink, int64_t low, int64_t high)
{
    const Ints a = indices(s, sink, low, high);
    const int64_t block[] = {sink->adder, sink->way == 2, sink->length, sink->step, a.kind, a.step, a.n, sink->values_step, 0};
    const bool within = sink->index_of < 0 || pj_within(a.data, a.kind, a.step, a.n, sink->length);
    return within && pj_add_at((char *)sink->data, a.data, values_of(s, sink, low), block);
}

static bool feed(const Source *s, const Sink *sinks, int64_t count, int64_t watched, PyArrayObject **made)
{
    for (int64_t low = 0, high; low < s->n; low = high) {
        high = end_of(s, low);
        if (!make_strip(s, low, high)) {
            return false;
        }
        for (int64_t i = 0; i < count; i++) {
            const int64_t counts = sinks[i].way != 0 && pj_adder_raises(sinks[i].adder) ? watched : 0;
            if (counts) {
                pj_fp_clear();
            }
            if (!(sinks[i].way == 0 ? count_strip(s, &sinks[i], &made[i], low, high) : add_strip(s, &sinks[i], low, high)) ||
                (counts && pj_fp_get() & counts)) {
                return false;
            }
        }
    }
    return true;
}

/* Runs a kernel along its only axis, whose results nothing needs but np.bincount, np.add.at and np.subtract.at: they are nowhere but in a cache.
 * plan: the length; where in p the outputs are, how many there are, and the size of an element of each; the floating-point flags of the kernel that
 * count, and those of sums; how many sinks there are, and each as in Sink. What np.bincount makes is put into its plan. 0: it takes NumPy, and
 * anything may be in the targets. */
int64_t pj_scattered(Kernel kernel, int64_t *p, int64_t *plan)
{
    const int64_t n = plan[0], count = plan[2], *sizes = plan + 3, *rest = sizes + count;
    Source s = {kernel, p, p + plan[1], n, rest[0], count, sizes, {NULL}};
    Sink *sinks = (Sink *)(rest + 3);
    const int64_t watched = rest[1], fed = rest[2];
    PyArrayObject *made[MOST_SINKS] = {NULL};
    const size_t strip = (size_t)(n < STRIP ? (n + 7) / 8 * 8 : STRIP) * 8;
    char *rooms = strip == 0 ? NULL : aligned_alloc(64, strip * (size_t)count);
    bool done = strip == 0 || rooms != NULL;
    for (int64_t i = 0; i < count; i++) {
        s.rooms[i] = rooms + (size_t)i * strip;
    }
    for (int64_t i = 0; i < fed && done; i++) {
        int64_t bins = sinks[i].length;
        if (sinks[i].way == 0 && bins == 0 && n > 0) {
            bins = greatest_from(&s, &sinks[i], 0) + 1;
            done = 0 < bins && bins <= PY_SSIZE_T_MAX / 8;
        }
        done = done && (sinks[i].way != 0 || pj_make_bins(&made[i], sinks[i].values_of != -2, bins));
    }
    done = done && feed(&s, sinks, fed, watched, made);
    for (int64_t i = 0; i < fed; i++) {
        if (!done && made[i] != NULL) {
            pj_release((PyObject *)made[i]);
        }
        sinks[i].data = sinks[i].way == 0 ? (int64_t)made[i] : sinks[i].data;
    }
    free(rooms);
    return done;
}
