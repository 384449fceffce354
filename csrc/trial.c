/* trial.c - whether the calls of a function, or the rounds of a loop (turns.c), are faster natively than in the interpreter, by the clock.
 *
 * They go one way for a burst and then the other, in pairs of bursts whose order is drawn; compared is the time from the first call of a
 * burst to the first of the next, with all that the program does between. That is what a verdict has to change; what has nothing to do with
 * the function is in both. Which burst of a pair took longer is counted, not by how much (a sign test): one that a collection
 * or the end of a phase fell into says no more than others. Where that does not tell for long, the bursts become longer, so that phases are evened
 * out. Pairs in which something was compiled do not count. */
#include "pijit.h"

#define SHORT 20000    /* nanoseconds: a burst that takes less is made longer */
#define FEWEST 9       /* pairs until there is a verdict */
#define PATIENCE 32    /* so many more, and bursts become longer, */
#define ENOUGH 2000000 /* nanoseconds, up to that */
#define MOST 512       /* and when there is no verdict by then, the fragments stay */
#define SURE 9         /* the square of how many standard deviations */
#define LONG 2000000   /* nanoseconds */
#define MOST_CALLS 64  /* in a burst, unless differences are small */
#define NOT_INLINED 40 /* what a call in the interpreter takes longer while it is tried, as it comes by here */

/* A bit by chance (xorshift): with a fixed order, a program whose calls come in groups would always have the same kind of call in the first
 * burst of a pair. */
static bool toss(void)
{
    static uint64_t state = 0x9E3779B97F4A7C15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 32) & 1;
}

static int64_t callbacks(void)
{
    return pj_counters.entries_called + pj_counters.exits_called;
}

/* most: how long bursts become where they are short. */
void pj_trial_begin(PjTrial *t, int length, int most)
{
    memset(t, 0, sizeof(*t));
    t->stage = PJ_TRIAL_FIRST;
    t->length = length;
    t->most = most;
    t->on = true;
}

void pj_trial_of_calls(PjState *s)
{
    pj_trial_begin(&s->trial, 1, MOST_CALLS);
}

/* The first of a pair begins. */
static void next_pair(PjTrial *t, int64_t now)
{
    t->stage = PJ_TRIAL_FIRST;
    t->plain = t->native != 0 && toss();
    t->callbacks = callbacks();
    t->began = now;
    t->left = t->length;
}

/* Both bursts of a pair are over. */
static void judge(PjTrial *t, int64_t native, int64_t plain)
{
    if (native <= plain) {
        t->won++;
    }
    else {
        t->lost++;
    }
    int pairs = t->won + t->lost, apart = t->won - t->lost;
    bool far = plain > LONG && plain > PJ_FAR * native;
    if (far || pairs >= MOST || (pairs >= FEWEST && apart * apart >= SURE * pairs)) {
        t->slower = !far && pairs < MOST && apart < 0;
        t->on = t->slower; /* on until somebody is told */
    }
    else if (pairs % PATIENCE == 0 && native < ENOUGH && plain < ENOUGH) {
        t->length *= 2;
    }
}

/* A burst is over. extra: nanoseconds that it took longer, had it been the interpreter's, since it is tried. */
void pj_trial_burst_ends(PjTrial *t, int64_t extra)
{
    int64_t now = pj_clock(), took = now - t->began, calls = (int64_t)t->length - t->left - 1;
    if (t->began == 0 || t->callbacks != callbacks()) {
        next_pair(t, now);
        return;
    }
    if (took < SHORT && t->length < t->most) {
        t->length *= 2;
        next_pair(t, now);
        return;
    }
    if (calls > t->length) { /* native code made more itself (frameless.c) */
        took = took * t->length / calls;
    }
    if (t->plain) {
        took -= extra;
    }
    else {
        t->native = took;
    }
    if (t->stage == PJ_TRIAL_FIRST) {
        t->stage = PJ_TRIAL_SECOND;
        t->first = took;
        t->plain = !t->plain;
        t->began = now;
        t->left = t->length;
        return;
    }
    judge(t, t->plain ? t->first : took, t->plain ? took : t->first);
    next_pair(t, now);
}

/* A call of a function that is tried begins: is it the interpreter's? */
bool pj_trial_call(PjState *s)
{
    PjTrial *t = &s->trial;
    if (t->slower) {
        return false;
    }
    if (--t->left < 0) {
        pj_trial_burst_ends(t, PJ_OWN_CALLS ? NOT_INLINED * (int64_t)t->length : 0);
        t->left--;
    }
    t->now = t->on && t->plain;
    return t->now;
}
