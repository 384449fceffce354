/* sampled.c - which calls of functions that nothing runs natively of yet are counted, and when it is asked which functions are.
 *
 * Counting a call takes a frame of C's and, where entries lie in the middle of the code, a way out of the interpreter and back: as much as a short
 * call itself. So one short call in so many is counted, and stands for the others, until an entry is about to ask. Even the others are dearer
 * than calls that the interpreter knows to be of an ordinary function: every so often (a tick) Python is told which functions are counted, and has those
 * rest that are called much (runtime/resting.py). A tick comes with a counted call or round of a loop, so that nothing is called for it where nothing is counted. */
#include "pijit.h"

#define SHORT 5000     /* nanoseconds: a call */
#define TICK 100000000 /* nanoseconds at least from one to the next */

bool pj_tick_due;
static int64_t ticked;
static PjState end;
static PjState *met = &end; /* since the last one: borrowed, a list by next_met that ends there */

/* A call that was timed is over. */
void pj_sample_review(PjState *s, int64_t began)
{
    const int64_t now = pj_clock();
    bool sampled = now - began < SHORT;
    for (PjPoint *p = s->points; sampled && p != NULL; p = p->next) {
        sampled = p->count == 0 && !(p->listed && p->wait >= 0 && p->wait <= PJ_EVERY);
    }
    s->every = sampled ? PJ_EVERY : 1;
    pj_tick_review(s, now);
}

/* Something of the state was timed, which is over now. */
void pj_tick_review(PjState *s, int64_t now)
{
    if (s->next_met == NULL && s->code != NULL) {
        s->next_met = met;
        met = s;
    }
    pj_tick_due = now - ticked > TICK;
}

/* The state goes away. */
void pj_sample_forget(PjState *s)
{
    if (s->next_met == NULL) {
        return;
    }
    PjState **place = &met;
    while (*place != s) {
        place = &(*place)->next_met;
    }
    *place = s->next_met;
    s->next_met = NULL;
}

/* The states that were met since the last tick. NULL with an exception: no memory. */
static PyObject *take_met(void)
{
    PyObject *states = PyList_New(0);
    bool good = states != NULL;
    while (met != &end) {
        PjState *s = met;
        met = s->next_met;
        s->next_met = NULL;
        good = good && PyList_Append(states, (PyObject *)s) == 0;
    }
    if (!good) {
        Py_CLEAR(states);
    }
    return states;
}

/* No frame but that of the call or loop that is counted now may be in the middle of anything. */
void pj_tick(void)
{
    if (pj_thread.in_callback || pj_finalizing()) {
        return; /* another time */
    }
    PyObject *exc = pj_err_take();
    PyObject *states = take_met();
    if (states == NULL) {
        PyErr_Clear();
    }
    else {
        pj_call_on_tick(states);
        Py_DECREF(states);
    }
    pj_err_give(exc);
    ticked = pj_clock();
    pj_tick_due = false;
}
