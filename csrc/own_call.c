/* own_call.c - functions that reach pijit without an installed hook: jitted ones, and enabled ones (follow.c).
 *
 * An installed hook makes every Python call of the program dearer (1.1 to 1.6 times on call-heavy code), because it switches
 * off the interpreter's inlined calls. From 3.12 on all call paths honour a function's own vectorcall (3.13: all but
 * Class() to __init__), so such a function gets one: it puts the hook in place for its own frame only, and the hook takes
 * itself out again as its first act. 3.11 honours it under an installed hook, and so while anything is enabled.
 *
 * Where a fragment can be begun again without anybody noticing, no frame is made at all (frameless.c). */
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

static bool active; /* pijit is on */
static bool traced; /* somebody traces: calls are to be CPython's own */
static bool any_rests;

/* The functions that were given a vectorcall, borrowed: follow.c tells of those that go away. While pijit is off, somebody
 * traces or their code rests they have CPython's. */
static _Py_hashtable_t *owned;

static PyObject *own_vectorcall(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames);

static void give(PyFunctionObject *f)
{
    if (f->vectorcall == pj_default_vectorcall) {
        f->vectorcall = own_vectorcall;
        pj_take_version(f);
    }
}

/* Not where the code rests on: calls that are specialised for the function are to stay it. */
static void give_if_awake(PyFunctionObject *f)
{
    PjState *state = pj_state_of_function((PyObject *)f);
    if (state != NULL && state->resting) {
        any_rests = true;
    }
    else {
        give(f);
    }
}

static void take_back(PyFunctionObject *f)
{
    if (f->vectorcall == own_vectorcall) {
        f->vectorcall = pj_default_vectorcall;
        pj_give_version(f);
    }
}

/* It is an ordinary function from here on, or as long as its code rests. */
static void let_go(PyObject *f, PjState *state)
{
    if (state != NULL && state->resting) {
        any_rests = true;
        take_back((PyFunctionObject *)f);
    }
    else {
        pj_disown(f);
    }
}

/* The interpreter's own call, which would not have been one of C's: it does not count as one (see pj_delegate). */
static PyObject *usual_call(PyThreadState *ts, PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    int units = pj_c_units(ts);
    ts->c_recursion_remaining += units;
    PyObject *result = pj_default_vectorcall(f, args, nargsf, kwnames);
    ts->c_recursion_remaining -= units;
    return result;
}

/* The same where the C stack is nearly used up. */
static PyObject *deep_call(PyThreadState *ts, PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    int kept = pj_limit_c_recursion(ts, pj_stack_left((char *)__builtin_frame_address(0)));
    PyObject *result = pj_default_vectorcall(f, args, nargsf, kwnames);
    pj_restore_c_recursion(ts, kept);
    return result;
}

static PyObject *own_vectorcall(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyThreadState *ts = PyThreadState_Get();
    PyInterpreterState *interp = ts->interp;
    if (interp->eval_frame != NULL || pj_thread.in_callback || pj_thread.one_shot != NULL) {
        return pj_default_vectorcall(f, args, nargsf, kwnames);
    }
    PjState *state = pj_state_of_function(f);
    bool deep = pj_stack_low();
    if (PJ_UNLIKELY(state != NULL ? pj_state_idle(state) : !pj_concerns((PyFunctionObject *)f, NULL)) || deep) {
        let_go(f, state); /* an ordinary function is called without more of the C stack */
        return deep ? deep_call(ts, f, args, nargsf, kwnames) : usual_call(ts, f, args, nargsf, kwnames);
    }
    if (state != NULL && pj_next_is_uncounted(state)) {
        pj_passes_uncounted(state);
        return usual_call(ts, f, args, nargsf, kwnames);
    }
    if (state != NULL && PJ_UNLIKELY(state->trial.on)) {
        if (pj_trial_call(state)) {
            return usual_call(ts, f, args, nargsf, kwnames);
        }
        pj_thread.tried = state;
    }
    if (state != NULL && kwnames == NULL) {
        PyObject *result = pj_call_frameless(ts, (PyFunctionObject *)f, state, args, PyVectorcall_NARGS(nargsf));
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

static int give_one(_Py_hashtable_t *table, const void *f, const void *ignored, void *data)
{
    (void)table;
    (void)ignored;
    (void)data;
    give_if_awake((PyFunctionObject *)f);
    return 0;
}

static int take_back_one(_Py_hashtable_t *table, const void *f, const void *ignored, void *data)
{
    (void)table;
    (void)ignored;
    (void)data;
    take_back((PyFunctionObject *)f);
    return 0;
}

static void own_set(bool on, bool tracing)
{
    bool before = active && !traced, now = on && !tracing;
    active = on;
    traced = tracing;
    if (before != now && owned != NULL && !pj_finalizing()) {
        _Py_hashtable_foreach(owned, now ? give_one : take_back_one, NULL);
    }
}

/* Gives a function its own vectorcall, or has it in mind for when that may be. False: no memory. */
bool pj_own_now(PyObject *function)
{
    if (owned == NULL) {
        owned = _Py_hashtable_new(_Py_hashtable_hash_ptr, _Py_hashtable_compare_direct);
    }
    if (owned == NULL || (_Py_hashtable_get_entry(owned, function) == NULL && _Py_hashtable_set(owned, function, function) < 0)) {
        return false;
    }
    if (active && !traced) {
        give((PyFunctionObject *)function);
    }
    return true;
}

/* Gives the function its own vectorcall. 1: done; 0: not on this version; -1 with an exception. */
int pj_own(PyObject *function)
{
    if (!PJ_IS_FUNCTION(function)) {
        PyErr_SetString(PyExc_TypeError, "a Python function is needed");
        return -1;
    }
    if (!pj_in_main() || pj_watch_functions() < 0) {
        return 0;
    }
    if (pj_prepare() < 0) {
        return -1;
    }
    pj_own_switch(true);
    if (!pj_own_now(function)) {
        PyErr_NoMemory();
        return -1;
    }
    return 1;
}

/* The function goes away. */
void pj_own_gone(PyFunctionObject *f)
{
    if (owned != NULL && (f->vectorcall != pj_default_vectorcall || traced || !active || any_rests)) {
        _Py_hashtable_steal(owned, f);
    }
}

/* The function's code is run by the interpreter from now on: it is an ordinary one again. */
void pj_disown(PyObject *function)
{
    PyFunctionObject *f = (PyFunctionObject *)function;
    if (f->vectorcall == own_vectorcall) {
        _Py_hashtable_steal(owned, f);
        take_back(f);
    }
}

void pj_own_switch(bool on)
{
    own_set(on, traced);
}

/* The functions whose code rested are looked at again. */
void pj_own_wake(void)
{
    if (any_rests && active && !traced && owned != NULL) {
        any_rests = false;
        _Py_hashtable_foreach(owned, give_one, NULL);
    }
}

void pj_own_traced(bool on)
{
    own_set(active, on);
}

#else

static PyObject *own_vectorcall(PyObject *f, PyObject *const *args, size_t nargsf, PyObject *kwnames)
{
    PyThreadState *ts = PyThreadState_Get();
    if (ts->interp->eval_frame == pj_hook && kwnames == NULL && !pj_thread.in_callback && pj_thread.request == NULL && !pj_stack_low()) {
        PjState *state = pj_state_of_function(f);
        if (state != NULL && PJ_UNLIKELY(state->trial.on)) {
            pj_thread.tried = state;
            if (pj_trial_call(state)) {
                return pj_default_vectorcall(f, args, nargsf, kwnames); /* the hook lets it through */
            }
        }
        PyObject *result = state == NULL ? NULL : pj_call_frameless(ts, (PyFunctionObject *)f, state, args, PyVectorcall_NARGS(nargsf));
        if (result != NULL) {
            return result;
        }
    }
    return pj_default_vectorcall(f, args, nargsf, kwnames);
}

/* The function's frames come by the hook, which need not be: a fragment serves its calls. */
void pj_own_met(PyFunctionObject *f)
{
    if (f->vectorcall == pj_default_vectorcall) {
        f->vectorcall = own_vectorcall;
    }
}

int pj_own(PyObject *function)
{
    (void)function;
    return 0;
}

void pj_disown(PyObject *function)
{
    PyFunctionObject *f = (PyFunctionObject *)function;
    if (f->vectorcall == own_vectorcall) {
        f->vectorcall = pj_default_vectorcall;
    }
}

void pj_own_switch(bool on)
{
    (void)on;
}

void pj_own_wake(void)
{
}

void pj_own_traced(bool on)
{
    (void)on;
}

#endif
