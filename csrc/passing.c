/* passing.c - 3.11: recursion that runs without the hook although it is in.
 *
 * An installed hook makes every Python call a C call, which is dear where functions do little but call themselves. So a call
 * beneath which nothing of ours was met the last times, but many calls of the same function, runs with the hook out, and so does what it
 * calls, inlined and specialised. That is a guess about speed only: what is missed runs in the interpreter. Time is cut into
 * turns; as each begins all calls are looked at for a while, so that what has become hot since is seen. */
#include "hook.h"

#if !PJ_OWN_CALLS

#define TURN 200000000 /* nanoseconds */
#define LOOK 10000000  /* of each turn */
#define MANY 4         /* calls beneath, */
#define SHARE 4        /* and one in so many is of the same code */
#define GAIN 16        /* for a call like that, */
#define SURE 256       /* and when it is enough. A call with fewer beneath takes one */
#define SLOTS 512

/* Which code it is is known by its address: a wrong guess costs nothing but time. */
typedef struct {
    PyCodeObject *code;
    int score;
    int64_t calls;
} Passing;

static Passing passing[SLOTS];
static int64_t turn; /* when it began */

/* The kernel's clock as of its last tick: a few milliseconds do not matter, and it is asked in a fifth of the time. */
static inline int64_t coarse_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool may_be_missed(PyThreadState *ts)
{
    int64_t now = coarse_clock();
    if (now - turn > TURN) {
        turn = now;
    }
    return now - turn > LOOK && pj_only_thread(ts);
}

static inline int64_t calls(void)
{
    return pj_counters.delegated_off + pj_counters.delegated_plain;
}

static inline int new_score(Passing *p, int64_t own, int64_t all, bool met)
{
    if (met || own * SHARE < all) {
        return 0;
    }
    if (all < MANY) {
        return p->score - (p->score > 0);
    }
    return p->score < 2 * SURE ? p->score + GAIN : p->score;
}

PyObject *pj_pass(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    PyCodeObject *code = pj_frame_code(frame);
    Passing *p = &passing[((uintptr_t)code >> 5) % SLOTS];
    if (PJ_UNLIKELY(p->code != code)) { /* the place is taken as long as it is of use there */
        if (p->score > 0) {
            p->score--;
            return pj_delegate(ts, frame, throwflag);
        }
        p->code = code;
    }
    if (PJ_UNLIKELY(p->score >= SURE) && may_be_missed(ts)) {
        return pj_run_unhooked(ts, frame, throwflag, &pj_counters.delegated_quiet);
    }
    int64_t own = ++p->calls, all = calls(), met = pj_counters.enabled + pj_counters.uncounted;
    PyObject *result = pj_delegate(ts, frame, throwflag);
    if (PJ_LIKELY(p->code == code)) {
        p->score = new_score(p, p->calls - own, calls() - all, pj_counters.enabled + pj_counters.uncounted != met);
    }
    return result;
}

#endif
