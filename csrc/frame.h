/* frame.h - reading and writing interpreter frames; with frame.c the only code that touches their fields. */
#ifndef PIJIT_FRAME_H
#define PIJIT_FRAME_H

#include "pijit.h"

static inline PyCodeObject *pj_frame_code(PjFrame *f)
{
    return PJF_CODE(f);
}

static inline PyFunctionObject *pj_frame_function(PjFrame *f)
{
    return PJF_FUNC(f);
}

static inline PyObject **pj_frame_slots(PjFrame *f)
{
    return f->localsplus;
}

static inline int pj_frame_depth(PjFrame *f)
{
    return f->stacktop - PJF_CODE(f)->co_nlocalsplus;
}

static inline PyObject **pj_frame_stack(PjFrame *f)
{
    return f->localsplus + PJF_CODE(f)->co_nlocalsplus;
}

static inline void pj_frame_set_depth(PjFrame *f, int depth)
{
    f->stacktop = PJF_CODE(f)->co_nlocalsplus + depth;
}

/* Fills memory for a frame with what guards look at: a function about to be called. All is borrowed, and no interpreter
 * ever sees it. The slots after the arguments are unbound. */
static inline void pj_frame_imagine(PjFrame *f, PyFunctionObject *function, PyObject *const *args, int nargs)
{
    PJF_SET_CODE(f, function->func_code);
    PJF_SET_FUNC(f, function);
    f->f_globals = function->func_globals;
    f->f_builtins = function->func_builtins;
    f->f_locals = NULL;
    int n = PJF_CODE(f)->co_nlocalsplus;
    f->stacktop = n;
    for (int i = 0; i < n; i++) {
        f->localsplus[i] = i < nargs ? args[i] : NULL;
    }
}

/* Where the frame stands after the exit opcode. */
static inline int pj_frame_left_at(PjFrame *f)
{
    return (int)(PJF_IP(f) - _PyCode_CODE(PJF_CODE(f))) - PJF_IP_LEFT;
}

static inline void pj_frame_resume_at(PjFrame *f, int pc)
{
    PJF_IP(f) = _PyCode_CODE(PJF_CODE(f)) + pc + PJF_IP_RESUME;
}

/* Start of the exception handler of a code unit, -1 without one. */
int pj_handler_at(PyCodeObject *code, int pc);

/* On 3.13 the traceback's line is that of the unit at ip, the handler that of the unit before: ip is the instruction
 * itself where both have one handler (its operands are loaded just before it), else the unit after it. */
static inline void pj_frame_raise_at(PjFrame *f, int pc)
{
    PyCodeObject *code = PJF_CODE(f);
    int ahead = PJF_IP_RAISE;
    if (ahead && pc > 0 && pj_handler_at(code, pc - 1) == pj_handler_at(code, pc)) {
        ahead = 0;
    }
    PJF_IP(f) = _PyCode_CODE(code) + pc + ahead;
}

static inline void pj_frame_call_at(PjFrame *f, int pc)
{
    PJF_IP(f) = _PyCode_CODE(PJF_CODE(f)) + pc + PJF_IP_CALL;
}

/* Makes the frame the current one, as it is while the interpreter runs it. */
static inline void pj_frame_link(PyThreadState *ts, PjFrame *f, PjFrame *prev)
{
    f->previous = prev;
    PJ_CURRENT(ts) = f;
}

static inline void pj_frame_unlink(PyThreadState *ts, PjFrame *prev)
{
    PJ_CURRENT(ts) = prev;
}

/* The interpreter has run the frame to its end. On the data stack its memory still points to the interpreter's dead C frame, and who
 * walks this thread's frames without its lock (faulthandler's watchdog) may be at it just now. */
static inline void pj_frame_ended(PyThreadState *ts, PjFrame *f, PjFrame *prev)
{
#if PJ_CALLER_CLEARS
    (void)ts;
    (void)f;
    (void)prev;
#else
    if (PJ_LIKELY((PyObject **)f == ts->datastack_top)) {
        f->previous = prev;
    }
#endif
}

static inline PjFrame *pj_generator_frame(PyObject *generator)
{
    return (PjFrame *)((PyGenObject *)generator)->gi_iframe;
}

/* A new generator looks as if it had passed a yield. */
static inline void pj_generator_suspend(PyObject *generator)
{
    ((PyGenObject *)generator)->gi_frame_state = FRAME_SUSPENDED;
}

/* Replaces the code by one of the same layout; the pc must be set afterwards. */
static inline void pj_frame_swap_code(PjFrame *f, PyCodeObject *code)
{
    PyCodeObject *old = PJF_CODE(f);
    if (old != code) {
        Py_INCREF(code);
        PJF_SET_CODE(f, code);
        Py_DECREF(old);
    }
}

void pj_frame_finish(PyThreadState *ts, PjFrame *f, PjFrame *prev);
PyObject *pj_frame_eval(PjRun *r, int throwflag, bool *left);
int pj_frame_prologue(PjFrame *f);
PjFrame *pj_shadow_new(PyObject *function, int pc, PjFrame *prev);
void pj_shadow_free(PyThreadState *ts, PjFrame *f);

#endif
