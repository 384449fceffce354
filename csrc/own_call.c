/* own_call.c - jitted functions without an installed hook.
 *
 * An installed hook makes every Python call of the program dearer (1.1 to 1.6 times on call-heavy code), because it switches
 * off the interpreter's inlined calls. From 3.12 on all call paths honour a function's own vectorcall (3.13: all but
 * Class() to __init__), so a jitted function gets one: it puts the hook in place for its own frame only, and the hook takes
 * itself out again as its first act. Where a fragment can be begun again without anybody noticing, no frame is made at all
 * until it leaves in another way than by returning. */
#include "frame.h"

vectorcallfunc pj_default_vectorcall;

/* What every function is made with; 3.13 does not export it. 0 or -1 with an exception. */
int pj_own_init(void)
{
    PyCodeObject *code = PyCode_NewEmpty("pijit", "pijit", 1);
    PyObject *globals = PyDict_New();
    PyObject *function = code != NULL && globals != NULL ? PyFunction_New((PyObject *)code, globals) : NULL;
    if (function != NULL) {
        pj_default_vectorcall = ((PyFunctionObject *)function)->vectorcall;
    }
    Py_XDECREF(function);
    Py_XDECREF(globals);
    Py_XDECREF(code);
    return function != NULL ? 0 : -1;
}

#if PJ_OWN_CALLS

static bool active;

#define MOST_SLOTS 32

/* Calls a function without making a frame, if its start has a fragment that allows it: everything that could be noticed
 * in between lies behind its return. NULL without an exception: the call has to be made. */
static inline PyObject *without_frame(PyThreadState *ts, PyFunctionObject *f, PyObject *const *args, Py_ssize_t nargs)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
    PjExtra *extra = pj_code_extra(code, pj_extra_index);
    if (extra == NULL || extra->what != PJ_IS_STATE) {
        return NULL;
    }
    PjState *state = pj_state_of_extra(extra);
    PjPoint *start = state->start;
    if (state->off || start == NULL || start->count == 0 || !start->fragments[0]->repeatable || state->kinds != NULL ||
        code->co_argcount != nargs || code->co_kwonlyargcount != 0 || code->co_nlocalsplus > MOST_SLOTS ||
        (code->co_flags & (CO_VARARGS | CO_VARKEYWORDS)) != 0 || pj_traced(ts, code)) {
        return NULL;
    }
    union {
        PjFrame frame;
        char memory[sizeof(PjFrame) + MOST_SLOTS * sizeof(PyObject *)];
    } imagined;
    pj_frame_imagine(&imagined.frame, f, args, (int)nargs);
    PjRun r;
    r.ts = ts;
    r.frame = &imagined.frame;
    r.state = state;
    r.kinds = NULL;
    r.fresh = true;
    r.held = false;
    PyObject *result = pj_try_repeatable(&r, start->fragments[0]);
    pj_counters.enabled += result != NULL;
    return result;
}

static PyObject *own_vectorcall(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyThreadState *ts = PyThreadState_Get();
    PyInterpreterState *interp = ts->interp;
    if (!active || interp->eval_frame != NULL || pj_thread.in_callback || pj_thread.one_shot != NULL) {
        return pj_default_vectorcall(f, args, nargsf, kwnames);
    }
    if (kwnames == NULL) {
        PyObject *result = without_frame(ts, (PyFunctionObject *)f, args, PyVectorcall_NARGS(nargsf));
        if (result != NULL) {
            return result;
        }
    }
    pj_thread.one_shot = f;
    interp->eval_frame = pj_hook;
    PyObject *result = pj_default_vectorcall(f, args, nargsf, kwnames);
    if (PJ_UNLIKELY(pj_thread.one_shot == f)) { /* the arguments did not fit: no frame was made */
        pj_thread.one_shot = NULL;
        interp->eval_frame = NULL;
    }
    return result;
}

/* Gives the function its own vectorcall. 1: done; 0: not on this version; -1 with an exception. */
int pj_own(PyObject *function)
{
    if (!PJ_IS_FUNCTION(function)) {
        PyErr_SetString(PyExc_TypeError, "a Python function is needed");
        return -1;
    }
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        return 0;
    }
    if (pj_prepare() < 0) {
        return -1;
    }
    active = true;
    PyFunctionObject *f = (PyFunctionObject *)function;
    if (f->vectorcall == pj_default_vectorcall) {
        f->vectorcall = own_vectorcall;
        f->func_version = 0; /* calls that were specialised for it look again */
    }
    return 1;
}

/* The function's code is run by the interpreter from now on: it is an ordinary function again. */
void pj_disown(PyObject *function)
{
    PyFunctionObject *f = (PyFunctionObject *)function;
    if (f->vectorcall == own_vectorcall) {
        f->vectorcall = pj_default_vectorcall;
        pj_give_version(f);
    }
}

void pj_own_switch(bool on)
{
    active = on;
}

#else

int pj_own(PyObject *function)
{
    (void)function;
    return 0;
}

void pj_disown(PyObject *function)
{
    (void)function;
}

void pj_own_switch(bool on)
{
    (void)on;
}

#endif
