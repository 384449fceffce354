/* dispatch.c - the choice of a fragment and its run. */
#include <alloca.h>
#include "guards.h"
#include "helpers.h"

#define PJ_SAMPLE 31 /* the first few runs and then every so many are timed: whether a fragment pays is judged by it */
#define PJ_FIRST 4

PjTimes pj_times;

#define LONG_RUN 1000 /* nanoseconds: runs that take longer are timed all as long as a lap is, others stand for those since the last one */

static inline bool each_is_timed(const PjFragment *f)
{
    return f->hits <= PJ_FIRST || (pj_times.laps != 0 && f->sampled > LONG_RUN * f->samples);
}

static inline bool is_timed(const PjFragment *f)
{
    return (f->hits & PJ_SAMPLE) == 0 || each_is_timed(f);
}

/* Runs native code, and gives how long that took but for what it called in NumPy. */
static int64_t run_timed(PjFragment *f, int64_t *W, int64_t *took)
{
    const int64_t elsewhere = pj_times.elsewhere, in_numpy = pj_times.in_numpy;
    const int64_t runs = each_is_timed(f) ? 1 : PJ_SAMPLE + 1;
    pj_times.runs++;
    const int64_t start = pj_clock();
    int64_t exit = pj_run_native(f, W);
    const int64_t all = pj_clock() - start;
    pj_times.runs--;
    *took = all - (pj_times.in_numpy - in_numpy);
    pj_times.elsewhere = elsewhere + runs * all; /* what was within is a part of it */
    return exit;
}

/* Checks one fragment's guards and runs it. PJ_STEP_MISS: it does not fit. */
static __attribute__((noinline)) PjStep try_fragment(PjRun *r, PjFragment *f)
{
    size_t words = pj_run_words(f, f->nsites != 0 || f->native == pj_reference);
    int64_t *heap = NULL;
    int64_t *W;
    if (PJ_LIKELY(words <= PJ_STACK_WORDS)) {
        W = alloca(words * sizeof(int64_t));
    }
    else {
        heap = PyMem_Malloc(words * sizeof(int64_t));
        if (heap == NULL) {
            return PJ_STEP_MISS;
        }
        W = heap;
    }
    PyObject **registers = (PyObject **)(W + f->nwords);
    pj_counters.walks++;
    if (pj_walk_rows(f->rows, 0, r, registers, W) >= 0) {
        f->misses++;
        PyMem_Free(heap);
        return PJ_STEP_MISS;
    }
    f->hits++;
    Py_INCREF(f);
    if (PJ_UNLIKELY(f->counts)) {
        pj_turn_enters(r, f);
    }
    r->fragment = f;
    r->registers = registers;
    r->fingerprints = W + f->nwords + f->rows->registers;
    r->held = false;
    W[0] = (int64_t)(intptr_t)pj_breaker(r->ts);
    W[1] = (int64_t)(intptr_t)r;
    int64_t *roots = W + f->roots_start;
    for (int i = 0; i < f->nroots; i++) {
        roots[i] = 0;
    }
    int64_t exit;
    pj_frame_link(r->ts, r->frame, r->prev); /* for who looks at what this thread does: faulthandler, tracemalloc */
    if (PJ_UNLIKELY(is_timed(f))) {
        int64_t took;
        exit = run_timed(f, W, &took);
        f->sampled += took;
        f->samples++;
    }
    else {
        exit = pj_run_native(f, W);
    }
    pj_frame_unlink(r->ts, r->prev);
    PjStep step;
    if (PJ_LIKELY(exit >= 0 && exit < f->nexits)) {
        step = pj_apply_exit(r, f, (int)exit, W);
    }
    else {
        pj_report("a fragment returned an exit that it does not have");
        step = PJ_STEP_MISS;
    }
    if (PJ_UNLIKELY(r->held)) {
        for (int i = 0; i < f->rows->registers; i++) {
            Py_DECREF(registers[i]);
        }
    }
    for (int i = 0; i < f->nroots; i++) {
        Py_XDECREF((PyObject *)(intptr_t)roots[i]);
    }
    r->fragment = NULL;
    if (PJ_UNLIKELY(r->rounds <= 0) && r->tried == NULL) {
        pj_turns_begin(r, f, step == PJ_STEP_TRY);
    }
    Py_DECREF(f);
    if (PJ_UNLIKELY(heap != NULL)) {
        PyMem_Free(heap);
    }
    return step;
}

#define MOST_IN_VAIN 16
#define MANY_CALLS 256 /* of native code's own count as one more run in vain */
#define GOOD 8         /* times as many of them have to return */

/* Runs a fragment for a frame that is only imagined, with all words and registers of its guards set. The result is a new reference; NULL: it left in
 * another way than by returning; or, where out is given, the result is one that is passed as `as` says, without an object: *got. */
PyObject *pj_run_repeatable(PjRun *r, PjFragment *f, int64_t *W, PjPassed as, int64_t *out, bool *got)
{
    const bool outermost = pj_thread.frameless == 0, timed = outermost && is_timed(f);
    const int64_t own_calls = pj_thread.own_calls;
    r->fragment = f;
    r->fingerprints = W + f->nwords + f->rows->registers;
    r->held = false;
    W[0] = (int64_t)(intptr_t)pj_breaker(r->ts);
    W[1] = (int64_t)(intptr_t)r;
    int64_t *roots = W + f->roots_start;
    for (int i = 0; i < f->nroots; i++) {
        roots[i] = 0;
    }
    int64_t took = 0;
    pj_thread.frameless++;
    Py_INCREF(f);
    int collects = outermost ? pj_keep_from_collecting() : 0; /* no frame shows where that would be */
    int64_t number = PJ_UNLIKELY(timed) ? run_timed(f, W, &took) : pj_run_native(f, W);
    PjExit *exit = PJ_LIKELY(number >= 0 && number < f->nexits) ? &f->exits[number] : NULL;
    PyObject *result = NULL;
    bool good = exit != NULL && out != NULL && pj_return_raw(exit, W, as, out);
    if (good) {
        *got = true;
    }
    else if (exit != NULL) {
        result = pj_return(exit, W, !outermost || pj_thread.own_calls != own_calls);
        good = result != NULL;
    }
    if (outermost) {
        pj_let_collect(collects);
    }
    pj_thread.frameless--;
    if (outermost) {
        int64_t within = pj_thread.own_calls - own_calls;
        f->hits += good;
        f->due = good && exit->count + 1 == exit->next;
        f->own_calls += good ? within : 0;
        f->in_vain += good ? 0 : 1 + within / MANY_CALLS;
        f->repeatable = f->in_vain < MOST_IN_VAIN + f->own_calls / (MANY_CALLS * GOOD);
        if (PJ_UNLIKELY(timed) && good) {
            f->sampled += took;
            f->samples++;
        }
    }
    if (PJ_UNLIKELY(r->held)) {
        for (int i = 0; i < f->rows->registers; i++) {
            Py_XDECREF(r->registers[i]);
        }
    }
    for (int i = 0; i < f->nroots; i++) {
        Py_XDECREF((PyObject *)(intptr_t)roots[i]);
    }
    Py_DECREF(f);
    return result;
}

/* The same of a fragment whose guards have to be looked at first. ran: they held. */
static __attribute__((noinline)) PyObject *run_guarded(PjRun *r, PjFragment *f, bool *ran)
{
    size_t words = pj_run_words(f, f->nsites != 0);
    if (words > PJ_STACK_WORDS) {
        return NULL;
    }
    int64_t *W = alloca(words * sizeof(int64_t));
    pj_counters.walks++;
    r->registers = (PyObject **)(W + f->nwords);
    *ran = pj_walk_rows(f->rows, 0, r, r->registers, W) < 0;
    return *ran ? pj_run_repeatable(r, f, W, PJ_OBJECT, NULL, NULL) : NULL;
}

/* The same of those at a function's start. */
PyObject *pj_try_repeatable(PjRun *r, PjPoint *start)
{
    PyObject *result = NULL;
    bool ran = false;
    for (int i = 0; i < start->count && !ran; i++) {
        if (start->fragments[i]->repeatable) {
            result = run_guarded(r, start->fragments[i], &ran);
        }
    }
    return result;
}

static PjStep try_all(PjRun *r, PjPoint *point)
{
    for (int i = 0; i < point->count; i++) {
        PjStep step = try_fragment(r, point->fragments[i]);
        if (step != PJ_STEP_MISS) {
            return step;
        }
    }
    return PJ_STEP_MISS;
}

/* ---- laps: what the interpreter takes where native code might take over ---- */

#define LAPS 15 /* the first few misses and then every so many are timed, each for those since the one before: callees become native */

void pj_lap_begins(PjRun *r, PjPoint *point)
{
    if (point->wait >= 0 && ((point->misses & LAPS) == 0 || point->misses <= PJ_FIRST || r->weight > 1)) {
        r->timed = point;
        r->since = pj_clock() - pj_times.elsewhere;
        pj_times.laps++;
    }
}

void pj_lap_counts(PjRun *r)
{
    pj_times.laps--;
    PjPoint *point = r->timed;
    const int64_t now = pj_clock();
    pj_tick_review(r->state, now);
    point->last = now - pj_times.elsewhere - r->since;
    if (point->last < 0) { /* other threads ran native code meanwhile, or it was estimated too high */
        point->last = 0;
    }
    point->took += point->last * (point->misses - point->laps);
    point->laps = point->misses;
    r->timed = NULL;
}

static PjStep ask(PjRun *r, PjPoint *point);

/* Tries the fragments of a point, and asks on_entry for one when there were enough misses. */
PjStep pj_try_point(PjRun *r, PjPoint *point)
{
    pj_lap_ends(r);
    if (PJ_UNLIKELY(r->tried != NULL) && pj_turn_is_plain(r, point)) {
        return PJ_STEP_MISS;
    }
    if (PJ_UNLIKELY(pj_tick_due) && r->tried == NULL) {
        pj_tick();
        if (r->state->off) {
            return PJ_STEP_MISS;
        }
    }
    PjStep step = try_all(r, point);
    if (step == PJ_STEP_MISS) {
        if (PJ_UNLIKELY(r->tried != NULL)) {
            pj_turn_misses(r, point);
        }
        point->misses += r->weight;
        if (point->wait >= 0 && (point->wait -= r->weight) <= 0) {
            step = ask(r, point);
        }
        if (step == PJ_STEP_MISS) {
            pj_lap_begins(r, point);
        }
    }
    return step;
}

static PjStep ask(PjRun *r, PjPoint *point)
{
    point->wait = 1; /* while the callback runs, and when it fails */
    if (pj_thread.in_callback) {
        return PJ_STEP_MISS;
    }
    int64_t wait = pj_call_on_entry(r, point);
    if (PJ_UNLIKELY(r->exc != NULL)) {
        point->wait = wait;
        return pj_raise_at_entry(r, point->pc);
    }
    if (wait != 0) {
        point->wait = wait;
        return PJ_STEP_MISS;
    }
    return try_all(r, point); /* should the new one not fit either, the next miss asks again */
}

/* The point of a pc; NULL when there is none (or, with make, no memory). */
PjPoint *pj_point(PjState *state, int pc, bool make)
{
    for (PjPoint *p = state->points; p != NULL; p = p->next) {
        if (p->pc == pc) {
            return p;
        }
    }
    if (!make) {
        return NULL;
    }
    PjPoint *p = PyMem_Calloc(1, sizeof(PjPoint));
    if (p == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    p->pc = pc;
    p->wait = -1;
    p->next = state->points;
    state->points = p;
    return p;
}
