/* turns.c - whether the rounds of a loop are faster natively or in the interpreter: while that is tried (trial.c) they take turns.
 *
 * A call of the function may go round for as long as the program runs, so that a trial of its calls comes to no end. Native code counts the rounds
 * where it polls, and leaves when they are used up; in the interpreter the frame comes by here at each jump back. What that takes is
 * measured on the spot: a few times the frame goes on at the very jump at which it has left, and leaves again. Other loops within that have entries
 * of their own come by, too. A loop takes turns in one frame at a time, and only once it has gone round for long. Where its fragment does not fit
 * when it is to go on, since a variable is of another type by then than when it was entered, it is not tried: it would not have left. */
#include "pijit.h"

#include "frame.h"

#define NULLS 9       /* passes that tell what one takes, the first to see when they begin */
#define USUAL 40      /* nanoseconds that one takes, until it is known */
#define FEWEST 64     /* rounds in a burst, */
#define MOST (1 << 14) /* and unless differences are small */
#define FRAMES 64     /* in which the loop may take turns without a verdict; then it stays native */
#define BRIEF 100000  /* nanoseconds that the interpreter has at least, however fast native code is */

int pj_long_loop = 1 << 16;

/* f->counts is set. */
void pj_turns_allow(PjFragment *f)
{
    pj_trial_begin(&f->trial, pj_long_loop < FEWEST ? pj_long_loop : FEWEST, pj_long_loop < MOST ? pj_long_loop : MOST);
    f->extra = USUAL;
}

/* Native code is about to run. */
void pj_turn_enters(PjRun *r, PjFragment *f)
{
    if (r->tried == f) {
        return; /* it goes on with the rounds of its turn */
    }
    pj_turns_end(r);
    r->rounds = f->trial.on && !f->taken ? pj_long_loop : INT64_MAX;
}

static void next_turn(PjRun *r, PjTrial *t)
{
    r->rounds = t->length;
    r->others = 0;
    r->nulls = t->plain ? NULLS : 0;
    pj_counters.turns += t->plain;
}

/* The loop of a fragment has gone round for long. here: the frame stands where it goes round, at r->point. */
void pj_turns_begin(PjRun *r, PjFragment *f, bool here)
{
    r->rounds = INT64_MAX;
    if (!here || f->taken || !f->trial.on) {
        return;
    }
    if (++f->begun > FRAMES) {
        f->trial.on = false;
        return;
    }
    f->taken = true;
    r->tried = (PjFragment *)Py_NewRef(f);
    r->loop = r->point;
    f->trial.began = 0;
    pj_trial_burst_ends(&f->trial, 0); /* before the first one */
    next_turn(r, &f->trial);
}

void pj_turns_stop(PjRun *r)
{
    r->rounds = INT64_MAX;
    r->tried->taken = false;
    Py_CLEAR(r->tried);
}

static bool is_over(PjRun *r, PjTrial *t)
{
    if (r->rounds <= 0) {
        return true;
    }
    const int64_t most = PJ_FAR * t->native;
    return t->plain && r->nulls == 0 && pj_clock() - t->began > (most > BRIEF ? most : BRIEF);
}

/* The frame is complete at a point: are its fragments to stay out, as it is the interpreter's turn? */
bool pj_turn_is_plain(PjRun *r, PjPoint *point)
{
    PjTrial *t = &r->tried->trial;
    if (is_over(r, t)) {
        pj_trial_burst_ends(t, r->tried->extra * (t->length - (r->rounds > 0 ? r->rounds : 0) + r->others));
        if (t->slower) {
            PjFragment *f = (PjFragment *)Py_NewRef(r->tried);
            pj_turns_stop(r);
            pj_call_on_trial(r->state, t, f);
            Py_DECREF(f);
            return false;
        }
        if (!t->on) {
            pj_turns_stop(r);
            return false;
        }
        next_turn(r, t);
    }
    for (int i = 0; t->plain && i < point->count; i++) {
        if (point->fragments[i]->counts) {
            return true;
        }
    }
    return false;
}

/* No fragment fits the frame at a point, in a turn of native code's. */
void pj_turn_misses(PjRun *r, PjPoint *point)
{
    if (point == r->loop) {
        r->tried->trial.on = false;
        pj_turns_stop(r);
    }
}

/* The frame has left the interpreter at an entry. onward: a jump, after which it may go on at once. Whether it does: the frame is set up for it. */
bool pj_turn_passes(PjRun *r, PjEntry *entry, bool onward)
{
    PjTrial *t = &r->tried->trial;
    bool own = entry->kind == PJ_JUMP && entry->point == r->loop;
    onward = onward && t->plain;
    if (!onward) {
        r->nulls = 0; /* what it takes is another thing then */
    }
    if (r->nulls > 0) {
        int64_t now = pj_clock();
        r->nulls_began = r->nulls == NULLS ? now : r->nulls_began;
        if (--r->nulls > 0) {
            pj_frame_set_depth(r->frame, entry->depth);
            pj_frame_resume_at(r->frame, r->pc);
            return true;
        }
        int64_t took = (now - r->nulls_began) / (NULLS - 1);
        r->tried->extra = took < r->tried->extra ? took : r->tried->extra;
        t->began = now;
    }
    r->rounds -= own;
    r->others += !own;
    if (!onward || is_over(r, t)) {
        return false;
    }
    pj_counters.crossings++;
    pj_frame_set_depth(r->frame, entry->depth);
    pj_frame_resume_at(r->frame, entry->target);
    return true;
}
