/* hook.h - what hook.c and run.c offer each other. */
#ifndef PIJIT_HOOK_H
#define PIJIT_HOOK_H

#include "frame.h"

/* What runs the frames that are not ours: CPython's default, or the hook that was there before. */
extern _PyFrameEvalFunction pj_plain_eval;

PyObject *pj_run_unhooked(PyThreadState *ts, PjFrame *frame, int throwflag, int64_t *counter);
PyObject *pj_run_enabled(PyThreadState *ts, PjFrame *frame, PjState *state);
PyObject *pj_run_rebuilt(PyThreadState *ts, PjFrame *frame);

/* Runs the frame as if there were no hook. An installed hook makes every Python call a C call: the C recursion counter
 * would stop programs that run without it, so it is compensated and the C stack itself is looked at. */
static inline PyObject *pj_delegate(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    if (pj_stack_low()) {
        return pj_run_unhooked(ts, frame, throwflag, &pj_counters.delegated_deep);
    }
#if PJ_CALLER_CLEARS
    return pj_plain_eval(ts, frame, throwflag);
#else
    PjFrame *prev = PJ_CURRENT(ts);
    int units = pj_c_units(ts);
    ts->c_recursion_remaining += units;
    PyObject *result = pj_plain_eval(ts, frame, throwflag);
    ts->c_recursion_remaining -= units;
    pj_frame_ended(ts, frame, prev);
    return result;
#endif
}

/* A frame that is not ours, and what it calls. */
#if PJ_OWN_CALLS
#define pj_pass pj_delegate
#else
PyObject *pj_pass(PyThreadState *ts, PjFrame *frame, int throwflag);
#endif

#endif
