/* hook.c - the frame evaluation hook: whether a Python frame is ours, and when the hook is in place. */
#include "hook.h"

_Thread_local PjThread pj_thread __attribute__((tls_model("initial-exec"))) = {
    .stack_limit = (char *)UINTPTR_MAX};
PjCounters pj_counters;
_PyFrameEvalFunction pj_plain_eval = _PyEval_EvalFrameDefault;

static int unhooked;   /* frames that run without the hook: a C stack is used up, or nothing of ours is expected (passing.c) */
static bool suspended; /* the hook is out because somebody traces */
static bool installed;

/* This frame and what it calls run as if pijit were not there: inlined calls, and Python's own limit of recursion, as an installed hook
 * makes every Python call a C call. */
__attribute__((noinline)) PyObject *pj_run_unhooked(PyThreadState *ts, PjFrame *frame, int throwflag, int64_t *counter)
{
    ++*counter;
    PyInterpreterState *interp = ts->interp;
    int kept = pj_limit_c_recursion(ts, pj_stack_left((char *)__builtin_frame_address(0)));
    unhooked++;
    if (pj_get_eval(interp) == pj_hook) {
        _PyInterpreterState_SetEvalFrameFunc(interp, pj_plain_eval);
    }
    PyObject *result = pj_plain_eval(ts, frame, throwflag);
    pj_restore_c_recursion(ts, kept);
    if (--unhooked == 0 && installed && !suspended && _PyInterpreterState_GetEvalFrameFunc(interp) == pj_plain_eval) {
        _PyInterpreterState_SetEvalFrameFunc(interp, pj_hook);
        pj_review_tracing(); /* it may have begun within */
    }
    return result;
}

#define NOT_PLAIN (CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)

/* A code object without a state in an enabled namespace: tell Python about it, once. */
static __attribute__((noinline)) PyObject *first_sight(PyThreadState *ts, PjFrame *frame)
{
    PyCodeObject *code = pj_frame_code(frame);
    if (code->co_flags & NOT_PLAIN || frame->owner != FRAME_OWNED_BY_THREAD) {
        pj_counters.delegated_generator++;
        if (pj_set_code_extra(code, pj_extra_index, &pj_seen) < 0) {
            PyErr_Clear();
        }
        return pj_delegate(ts, frame, 0);
    }
    if (pj_stack_low()) {
        return pj_run_unhooked(ts, frame, 0, &pj_counters.delegated_deep);
    }
    if (pj_thread.in_callback || pj_traced(ts, code)) {
        return pj_delegate(ts, frame, 0); /* another time */
    }
    if (pj_set_code_extra(code, pj_extra_index, &pj_seen) < 0) {
        PyErr_Clear();
        return pj_delegate(ts, frame, 0);
    }
    if (!pj_call_on_frame(code, frame->f_globals) && pj_set_code_extra(code, pj_extra_index, NULL) < 0) {
        PyErr_Clear();
    }
    PjState *state = pj_state_lookup(code);
    return state != NULL && !state->off ? pj_run_enabled(ts, frame, state) : pj_delegate(ts, frame, 0);
}

#define MOST_PASSED 1000

/* Another frame than the one that the hook is in place for: a finalizer that ran before that was made, or what stands between a
 * class and its body. It may never come. */
static __attribute__((noinline)) PyObject *passed_by(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    if (++pj_thread.passed > MOST_PASSED) {
        pj_thread.one_shot = NULL;
        pj_thread.passed = 0;
        ts->interp->eval_frame = NULL;
    }
    return pj_delegate(ts, frame, throwflag);
}

static __attribute__((noinline)) PyObject *look_closer(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    if (PJ_UNLIKELY(pj_thread.request != NULL) && pj_thread.request_function == (PyObject *)pj_frame_function(frame)) {
        return pj_run_rebuilt(ts, frame);
    }
    if (PJ_UNLIKELY(pj_thread.one_shot != NULL)) {
        if (pj_thread.one_shot != (PyObject *)pj_frame_function(frame)) {
            return passed_by(ts, frame, throwflag);
        }
        pj_thread.one_shot = NULL;
        pj_thread.passed = 0;
        ts->interp->eval_frame = NULL;
    }
    PyCodeObject *code = pj_frame_code(frame);
    PjExtra *extra = pj_code_extra(code, pj_extra_index);
    if (extra == NULL) {
        if (pj_watching && !throwflag && pj_is_watched(frame->f_globals)) {
            return first_sight(ts, frame);
        }
        pj_counters.delegated_plain++;
        return pj_pass(ts, frame, throwflag);
    }
    if (extra->what != PJ_IS_STATE) {
        pj_counters.delegated_plain++;
        return pj_pass(ts, frame, throwflag);
    }
    PjState *state = pj_state_of_extra(extra);
    if (PJ_UNLIKELY(state->off)) {
        pj_counters.delegated_off++;
        pj_disown((PyObject *)pj_frame_function(frame));
    }
    else if (PJ_UNLIKELY(throwflag)) {
        pj_counters.delegated_throw++;
    }
    else if (PJ_UNLIKELY(pj_traced(ts, code))) {
        pj_counters.delegated_tracing++;
        pj_review_tracing();
    }
    else if (PJ_UNLIKELY(pj_thread.in_callback)) {
        pj_counters.delegated_callback++;
    }
    else if (PJ_UNLIKELY(pj_stack_low())) {
        return pj_run_unhooked(ts, frame, throwflag, &pj_counters.delegated_deep);
    }
    else if (pj_next_is_uncounted(state)) {
        pj_passes_uncounted(state);
    }
    else {
        return pj_run_enabled(ts, frame, state);
    }
    return pj_delegate(ts, frame, throwflag);
}

/* 3.11: what is left alone comes by at each of its calls, and is let through before registers are needed. From 3.12 on it gets its own way of
 * being called back instead, and does not come again. */
PyObject *pj_hook(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    PjExtra *extra = PJ_OWN_CALLS ? NULL : pj_code_extra(pj_frame_code(frame), pj_extra_index);
    if (extra != NULL && extra->what == PJ_IS_STATE && pj_state_of_extra(extra)->off && PJ_LIKELY(pj_thread.request == NULL)) {
        pj_counters.delegated_off++;
        return pj_pass(ts, frame, throwflag);
    }
    return look_closer(ts, frame, throwflag);
}

/* ---- installing ---- */

/* Is this the Python that the extension was compiled for? Internal structures may differ between releases. */
static int check_layout(PyInterpreterState *interp, PyThreadState *ts)
{
    PyFrameObject *top = PyThreadState_GetFrame(ts);
    bool same = pj_get_eval(interp) == pj_hook;
    if (top != NULL) {
        PjFrame *frame = PJ_CURRENT(ts);
        same = same && frame != NULL && frame == top->f_frame && pj_frame_code(frame)->co_nlocalsplus >= 0;
    }
    Py_XDECREF(top);
    if (!same) {
        PyErr_Format(PyExc_RuntimeError, "pijit was compiled for Python %s; compile it for this one", PY_VERSION);
    }
    return same ? 0 : -1;
}

/* What has to be in place before the first frame of ours runs. */
int pj_prepare(void)
{
    return pj_guard_tracing() < 0 || pj_patch_frame_type() < 0 ? -1 : 0;
}

int pj_install(void)
{
    PyThreadState *ts = PyThreadState_Get();
    PyInterpreterState *interp = PyInterpreterState_Get();
    if (!pj_in_main()) {
        PyErr_SetString(PyExc_RuntimeError, "pijit works in the main interpreter only");
        return -1;
    }
    _PyFrameEvalFunction before = _PyInterpreterState_GetEvalFrameFunc(interp);
    pj_own_switch(true);
    if (before == pj_hook) {
        installed = true;
        return 0;
    }
    if (pj_prepare() < 0) {
        return -1;
    }
    if (unhooked == 0) {
        pj_plain_eval = before;
    }
    _PyInterpreterState_SetEvalFrameFunc(interp, pj_hook);
    if (check_layout(interp, ts) < 0) {
        _PyInterpreterState_SetEvalFrameFunc(interp, before);
        return -1;
    }
    installed = true;
    pj_review_tracing();
    return 0;
}

/* While anybody traces the hook would only delegate, and CPython's own events differ under any hook (calls count as calls
 * of C functions, generators raise StopIteration): it is taken out until tracing ends. */
void pj_review_tracing(void)
{
    if (!pj_in_main()) {
        return;
    }
    PyInterpreterState *interp = PyInterpreterState_Get();
    bool traced = pj_traced_anywhere(interp);
    pj_own_traced(traced);
    if (!installed || unhooked > 0) {
        return;
    }
    if (traced && pj_get_eval(interp) == pj_hook) {
        _PyInterpreterState_SetEvalFrameFunc(interp, pj_plain_eval);
        suspended = true;
    }
    else if (!traced && suspended) {
        if (_PyInterpreterState_GetEvalFrameFunc(interp) == pj_plain_eval) {
            _PyInterpreterState_SetEvalFrameFunc(interp, pj_hook);
        }
        suspended = false;
    }
}

/* Takes the hook out; functions with a vectorcall of their own go on. Frames that run on clones do too, and a hook that was
 * put above ours stays. */
int pj_rest(void)
{
    PyInterpreterState *interp = PyInterpreterState_Get();
    if (_PyInterpreterState_GetEvalFrameFunc(interp) == pj_hook) {
        _PyInterpreterState_SetEvalFrameFunc(interp, pj_plain_eval);
    }
    installed = suspended = pj_following = false;
    return 0;
}

int pj_uninstall(void)
{
    pj_own_switch(false);
    pj_collector_end();
    return pj_rest();
}

/* Do frames of enabled code reach pijit? */
bool pj_installed(void)
{
    return pj_following || (installed && (unhooked > 0 || suspended || pj_get_eval(PyInterpreterState_Get()) == pj_hook));
}
