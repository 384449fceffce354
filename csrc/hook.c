/* hook.c - the frame evaluation hook: what happens to every Python frame while pijit is installed.
 *
 * pj_hook decides whether a frame is ours; run_frame is the whole life of one that is. */
#include "frame.h"

_Thread_local PjThread pj_thread __attribute__((tls_model("initial-exec"))) = {
    .stack_limit = (char *)UINTPTR_MAX};
PjCounters pj_counters;

/* What runs the frames that are not ours: CPython's default, or the hook that was there before. */
static _PyFrameEvalFunction plain_eval = _PyEval_EvalFrameDefault;

static int unhooked;   /* frames that run without the hook because a C stack is used up */
static bool suspended; /* the hook is out because somebody traces */
static bool installed;

/* Deep recursion: an installed hook makes every Python call a C call, the interpreter alone does not. So this frame and
 * what it calls run as if pijit were not there, and the limit is Python's own. */
static __attribute__((noinline)) PyObject *run_unhooked(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    pj_counters.delegated_deep++;
    PyInterpreterState *interp = ts->interp;
    int kept = pj_limit_c_recursion(ts, pj_stack_left((char *)__builtin_frame_address(0)));
    unhooked++;
    if (pj_get_eval(interp) == pj_hook) {
        _PyInterpreterState_SetEvalFrameFunc(interp, plain_eval);
    }
    PyObject *result = plain_eval(ts, frame, throwflag);
    pj_restore_c_recursion(ts, kept);
    if (--unhooked == 0 && installed && !suspended && _PyInterpreterState_GetEvalFrameFunc(interp) == plain_eval) {
        _PyInterpreterState_SetEvalFrameFunc(interp, pj_hook);
    }
    return result;
}

/* Runs the frame as if there were no hook. An installed hook makes every Python call a C call: the C recursion counter
 * would stop programs that run without it, so it is compensated and the C stack itself is looked at. */
static inline PyObject *delegate(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    if (pj_stack_low()) {
        return run_unhooked(ts, frame, throwflag);
    }
#if PJ_CALLER_CLEARS
    return plain_eval(ts, frame, throwflag);
#else
    PjFrame *prev = PJ_CURRENT(ts);
    ts->c_recursion_remaining += PJ_C_UNITS;
    PyObject *result = plain_eval(ts, frame, throwflag);
    ts->c_recursion_remaining -= PJ_C_UNITS;
    pj_frame_ended(ts, frame, prev);
    return result;
#endif
}

/* ---- the run of a frame ---- */

/* Puts the frame on the code object to run on: the original without a state or under tracing, else the clone in which
 * `open_pc` does not leave (-1: any entry does). */
static void place(PjRun *r, int open_pc)
{
    PyCodeObject *now = pj_frame_code(r->frame);
    if (r->state == NULL) {
        return;
    }
    PjPlan *plan = r->state->plan;
    if (PJ_LIKELY(plan != NULL && now == plan->full && plan->full_clone->patched && !r->state->off &&
                  pj_plan_entry(plan, open_pc) == NULL)) {
        return; /* where it should be. A patched clone that a frame runs on says that nobody traces */
    }
    if (pj_traced(r->ts, now)) {
        PjClone *clone = pj_clone_record(now);
        if (clone == NULL || !clone->patched) {
            return; /* CPython has instrumented this very code object */
        }
        pj_frame_swap_code(r->frame, r->original);
        return;
    }
    PyCodeObject *code = r->state->off ? NULL : pj_clone_for(r->state, open_pc);
    pj_frame_swap_code(r->frame, code != NULL ? code : r->original);
}

#if PJ_CONDITIONAL_BACKWARD
/* Does the conditional jump jump for this value? Its truth may be Python code. -1 with an exception. */
static int jump_taken(PyObject *value, int opcode)
{
    if (opcode == POP_JUMP_BACKWARD_IF_NONE || opcode == POP_JUMP_BACKWARD_IF_NOT_NONE) {
        return (value == Py_None) == (opcode == POP_JUMP_BACKWARD_IF_NONE);
    }
    int truth = PyObject_IsTrue(value);
    return truth < 0 ? -1 : (truth != 0) == (opcode == POP_JUMP_BACKWARD_IF_TRUE);
}

static PjStep conditional_jump(PjRun *r, PjEntry *entry)
{
    int target = entry->target, next = entry->next, opcode = entry->opcode;
    PjPoint *point = entry->point; /* the plan may be gone after Python ran, its points not */
    PyObject *value = pj_frame_stack(r->frame)[entry->depth - 1];
    pj_frame_set_depth(r->frame, entry->depth - 1);
    pj_frame_call_at(r->frame, r->pc);
    pj_frame_link(r->ts, r->frame, r->prev);
    int taken = jump_taken(value, opcode);
    Py_DECREF(value);
    pj_frame_unlink(r->ts, r->prev);
    if (taken < 0) {
        r->exc = pj_err_take();
        return PJ_STEP_THROW;
    }
    r->pc = taken ? target : next;
    r->point = taken ? point : pj_point(r->state, next, false);
    return r->point != NULL ? PJ_STEP_TRY : PJ_STEP_GO;
}
#endif

/* The frame left the interpreter at r->pc, an entry of its clone. */
static PjStep crossing(PjRun *r, PjEntry *entry)
{
    pj_frame_set_depth(r->frame, entry->depth);
    pj_counters.crossings++;
    r->point = entry->point;
    if (entry->kind == PJ_AFTER) {
        return PJ_STEP_TRY;
    }
    if (PJ_UNLIKELY(*pj_breaker(r->ts) != 0)) {
        return PJ_STEP_GO; /* the interpreter takes this jump, and looks at what is pending */
    }
#if PJ_CONDITIONAL_BACKWARD
    if (entry->conditional) {
        return conditional_jump(r, entry);
    }
#endif
    r->pc = entry->target;
    return PJ_STEP_TRY;
}

/* A jump that only counts: the frame goes on at its target on the same clone, with nothing else to look at. */
static inline bool only_counts(PjRun *r, PjClone *clone, PjEntry *entry)
{
    PjPoint *point = entry->point;
    return entry->kind == PJ_JUMP && !entry->conditional && !entry->lands && point->count == 0 &&
           (point->wait < 0 || point->wait > 1) && clone->state != NULL && clone->plan == clone->state->plan &&
           clone->open_pc < 0 && *pj_breaker(r->ts) == 0;
}

/* After an exit opcode: what comes next. *again: run on as it stands. */
static inline PjStep left_at_entry(PjRun *r, bool *again)
{
    PjClone *clone = pj_clone_record(pj_frame_code(r->frame));
    r->pc = pj_frame_left_at(r->frame);
    PjEntry *entry = pj_plan_entry(clone->plan, r->pc);
    *again = only_counts(r, clone, entry);
    if (*again) {
        PjPoint *point = entry->point;
        point->misses++;
        point->wait -= point->wait > 0;
        pj_counters.crossings++;
        pj_frame_set_depth(r->frame, entry->depth);
        pj_frame_resume_at(r->frame, entry->target);
        return PJ_STEP_GO;
    }
    return crossing(r, entry);
}

/* Calls the function of the next frame of `pending` so that the hook, seeing its frame, fills it. */
static PjStep rebuild_callee(PjRun *r)
{
    PjPending *pending = r->pending;
    r->pending = NULL;
    PyObject *then = Py_XNewRef(pending->exit->frames[pending->index].then);
    PyObject *then_args = then == NULL ? NULL : pending->values[pending->used++];
    pj_frame_call_at(r->frame, r->pc);
    pj_frame_link(r->ts, r->frame, r->prev);
    PyObject *result = pj_call_function(r->ts, pending);
    if (then != NULL) {
        result = pj_then(then, result, then_args);
        Py_DECREF(then);
        Py_DECREF(then_args);
    }
    pj_frame_unlink(r->ts, r->prev);
    if (result == NULL) {
        r->exc = pj_err_take();
        return PJ_STEP_THROW;
    }
    if (result == pj_unset) { /* the instruction pushes nothing */
        Py_DECREF(result);
    }
    else {
        int depth = pj_frame_depth(r->frame);
        pj_frame_stack(r->frame)[depth] = result;
        pj_frame_set_depth(r->frame, depth + 1);
    }
    r->pc = pj_next_pc(r->original, r->pc);
    r->point = r->state != NULL ? pj_point(r->state, r->pc, false) : NULL;
    return r->point != NULL ? PJ_STEP_TRY : PJ_STEP_GO;
}

/* May native code take over? Not under tracing; while a frame is on a patched clone nobody traces. */
static inline bool may_enter(PjRun *r)
{
    if (r->state == NULL || r->state->off) {
        return false;
    }
    PyCodeObject *now = pj_frame_code(r->frame);
    PjClone *clone = pj_clone_record(now);
    return (clone != NULL && clone->patched) || !pj_traced(r->ts, now);
}

/* From here to the end of the frame. */
static PyObject *run_frame(PjRun *r, PjStep step)
{
    bool left = false, again = false;
    PyObject *result = NULL;
    for (;;) {
        switch (step) {
        case PJ_STEP_TRY: /* the frame stands at r->pc: is there native code for it? */
            step = may_enter(r) ? pj_try_point(r, r->point) : PJ_STEP_GO;
            continue;
        case PJ_STEP_CALLEE: /* native code stopped inside an inlined call */
            step = rebuild_callee(r);
            continue;
        case PJ_STEP_DONE:
            return r->result;
        case PJ_STEP_THROW:
            place(r, -1);
            pj_frame_raise_at(r->frame, pj_skip_prefixes(r->original, r->pc));
            pj_err_give(r->exc);
            r->exc = NULL;
            result = pj_frame_eval(r, 1, &left);
            break;
        case PJ_STEP_MISS:
        case PJ_STEP_GO:
            place(r, r->pc);
            pj_frame_resume_at(r->frame, r->pc);
            result = pj_frame_eval(r, 0, &left);
            break;
        }
        while (left) {
            step = left_at_entry(r, &again);
            if (!again) {
                break;
            }
            result = pj_frame_eval(r, 0, &left);
        }
        if (!left) {
            return result;
        }
    }
}

/* A call of a function that is tried (trial.c): is it the interpreter's? */
static __attribute__((noinline)) bool is_plain_call(PjState *state)
{
    bool counted = pj_thread.tried == state;
    pj_thread.tried = NULL;
    if (state->trial.slower) {
        pj_call_on_trial(state);
        return state->off;
    }
    return counted ? state->trial.now : pj_trial_call(state);
}

/* A frame of a code object with a state, at its beginning. */
static PyObject *run_enabled(PyThreadState *ts, PjFrame *frame, PjState *state)
{
    if (PJ_UNLIKELY(state->trial.on) && is_plain_call(state)) {
        return delegate(ts, frame, 0);
    }
    PjRun r;
    r.ts = ts;
    r.frame = frame;
    r.prev = PJ_CURRENT(ts);
    r.state = state;
    r.kinds = state->kinds;
    r.original = pj_frame_code(frame);
    r.fragment = NULL;
    r.result = r.exc = NULL;
    r.pending = NULL;
    r.pc = 0;
    r.fresh = true;
    pj_counters.enabled++;
    PyObject *result;
    Py_INCREF(state);
    Py_INCREF(r.original);
    PjPoint *start = state->start;
#if !PJ_OWN_CALLS
    if (start != NULL && start->count > 0 && start->fragments[0]->repeatable) {
        pj_own_met(pj_frame_function(frame));
    }
#endif
    PjStep step = start != NULL ? pj_try_point(&r, start) : PJ_STEP_MISS;
    if (PJ_LIKELY(step == PJ_STEP_DONE)) {
        result = r.result;
    }
    else if (step != PJ_STEP_MISS) {
        result = run_frame(&r, step);
    }
    else if (state->plan != NULL && state->plan->patched && !state->off) {
        /* from the very first instruction, so that the interpreter runs the prologue */
        place(&r, -1);
        pj_frame_resume_at(frame, 0);
        bool left;
        result = pj_frame_eval(&r, 0, &left);
        state->quiet++;
        if (left) {
            bool again;
            state->quiet = 0;
            r.fresh = false;
            step = left_at_entry(&r, &again);
            if (again) {
                r.pc = pj_plan_entry(pj_clone_record(pj_frame_code(frame))->plan, r.pc)->target;
            }
            result = run_frame(&r, step);
        }
    }
    else {
        result = delegate(ts, frame, 0);
    }
    Py_DECREF(r.original);
    Py_DECREF(state);
    return result;
}

/* What the request put in place goes: what the frame calls is not to be dearer for it. */
static void request_ends(PyThreadState *ts)
{
    pj_thread.request = NULL;
    ts->interp->eval_frame = pj_thread.before_request;
    pj_let_collect(pj_thread.collects);
}

/* The frame that pj_call_function asked for: an inlined callee in the middle of its work. */
static __attribute__((noinline)) PyObject *run_rebuilt(PyThreadState *ts, PjFrame *frame)
{
    PjPending *pending = pj_thread.request;
    request_ends(ts);
    pj_counters.rebuilt++;
    PjRun r;
    memset(&r, 0, sizeof(r));
    r.ts = ts;
    r.frame = frame;
    r.prev = PJ_CURRENT(ts);
    r.original = pj_frame_code(frame);
    r.state = pj_state_lookup(r.original);
    r.kinds = r.state != NULL ? r.state->kinds : NULL;
    Py_XINCREF(r.state);
    Py_INCREF(r.original);
    PyObject *result = run_frame(&r, pj_fill_frame(&r, pending));
    Py_DECREF(r.original);
    Py_XDECREF(r.state);
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
        return delegate(ts, frame, 0);
    }
    if (pj_stack_low()) {
        return run_unhooked(ts, frame, 0);
    }
    if (pj_thread.in_callback || pj_traced(ts, code)) {
        return delegate(ts, frame, 0); /* another time */
    }
    if (pj_set_code_extra(code, pj_extra_index, &pj_seen) < 0) {
        PyErr_Clear();
        return delegate(ts, frame, 0);
    }
    if (!pj_call_on_frame(code, frame->f_globals) && pj_set_code_extra(code, pj_extra_index, NULL) < 0) {
        PyErr_Clear();
    }
    PjState *state = pj_state_lookup(code);
    return state != NULL && !state->off ? run_enabled(ts, frame, state) : delegate(ts, frame, 0);
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
    return delegate(ts, frame, throwflag);
}

static __attribute__((noinline)) PyObject *look_closer(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    if (PJ_UNLIKELY(pj_thread.request != NULL) && pj_thread.request_function == (PyObject *)pj_frame_function(frame)) {
        return run_rebuilt(ts, frame);
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
        return delegate(ts, frame, throwflag);
    }
    if (extra->what != PJ_IS_STATE) {
        pj_counters.delegated_plain++;
        return delegate(ts, frame, throwflag);
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
        return run_unhooked(ts, frame, throwflag);
    }
    else {
        return run_enabled(ts, frame, state);
    }
    return delegate(ts, frame, throwflag);
}

/* 3.11: what is left alone comes by at each of its calls, and is let through before registers are needed. From 3.12 on it gets its own way of
 * being called back instead, and does not come again. */
PyObject *pj_hook(PyThreadState *ts, PjFrame *frame, int throwflag)
{
    PjExtra *extra = PJ_OWN_CALLS ? NULL : pj_code_extra(pj_frame_code(frame), pj_extra_index);
    if (extra != NULL && extra->what == PJ_IS_STATE && pj_state_of_extra(extra)->off && PJ_LIKELY(pj_thread.request == NULL)) {
        pj_counters.delegated_off++;
        return delegate(ts, frame, throwflag);
    }
    return look_closer(ts, frame, throwflag);
}

/* Calls the function of the frame pending->index with placeholders for its arguments; the hook fills the new frame.
 * New reference or NULL with an exception. Takes over `pending`. */
PyObject *pj_call_function(PyThreadState *ts, PjPending *pending)
{
    PyObject *function = pending->values[pending->used++];
    PyObject *result = NULL;
    if (!PJ_IS_FUNCTION(function)) {
        PyErr_SetString(PyExc_SystemError, "pijit: the callee of an exit is not a function");
        Py_DECREF(function);
        pj_pending_free(pending);
        return NULL;
    }
    pj_thread.request = pending;
    pj_thread.request_function = function;
    pj_thread.before_request = ts->interp->eval_frame;
    ts->interp->eval_frame = pj_hook; /* it may not be installed, or be replaced: for this one call it is there */
    pj_thread.collects = pj_keep_from_collecting(); /* a finalizer may make such a request of its own */
    result = pj_call_blank(function);
    if (pj_thread.request == pending) { /* the call failed before its frame ran */
        request_ends(ts);
        pj_pending_free(pending);
        if (result != NULL) {
            Py_CLEAR(result);
            PyErr_SetString(PyExc_SystemError, "pijit: the frame of an inlined call could not be rebuilt");
        }
    }
    Py_DECREF(function);
    return result;
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
        plain_eval = before;
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
        _PyInterpreterState_SetEvalFrameFunc(interp, plain_eval);
        suspended = true;
    }
    else if (!traced && suspended) {
        if (_PyInterpreterState_GetEvalFrameFunc(interp) == plain_eval) {
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
        _PyInterpreterState_SetEvalFrameFunc(interp, plain_eval);
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
