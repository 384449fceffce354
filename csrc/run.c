/* run.c - the whole life of a frame that is ours: it runs in the interpreter, leaves it at entries, and native code takes over. */
#include "hook.h"

/* ---- between the interpreter and native code ---- */

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

/* A jump after which the frame can go on at its target on the same clone, unless it is native code's. */
static inline bool goes_on_at_target(PjRun *r, PjClone *clone, PjEntry *entry)
{
    return entry->kind == PJ_JUMP && !entry->conditional && !entry->lands && clone->state != NULL && clone->plan == clone->state->plan &&
           clone->open_pc < 0 && *pj_breaker(r->ts) == 0;
}

/* A jump that only counts, with nothing else to look at. */
static inline bool only_counts(PjRun *r, PjClone *clone, PjEntry *entry)
{
    PjPoint *point = entry->point;
    return point->count == 0 && !pj_tick_due && (point->wait < 0 || point->wait > r->weight) && goes_on_at_target(r, clone, entry);
}

/* After an exit opcode: what comes next. *again: run on as it stands. */
static inline PjStep left_at_entry(PjRun *r, bool *again)
{
    PjClone *clone = pj_clone_record(pj_frame_code(r->frame));
    r->pc = pj_frame_left_at(r->frame);
    PjEntry *entry = pj_plan_entry(clone->plan, r->pc);
    if (PJ_UNLIKELY(r->tried != NULL)) {
        *again = pj_turn_passes(r, entry, goes_on_at_target(r, clone, entry));
        return *again ? PJ_STEP_GO : crossing(r, entry);
    }
    *again = only_counts(r, clone, entry);
    if (*again) {
        PjPoint *point = entry->point;
        pj_lap_ends(r);
        point->misses += r->weight;
        point->wait -= point->wait > 0 ? r->weight : 0;
        pj_lap_begins(r, point);
        pj_counters.crossings++;
        pj_frame_set_depth(r->frame, entry->depth);
        pj_frame_resume_at(r->frame, entry->target);
        return PJ_STEP_GO;
    }
    return crossing(r, entry);
}

/* ---- inlined callees that are made frames ---- */

/* What the request put in place goes: what the frame calls is not to be dearer for it. */
static void request_ends(PyThreadState *ts)
{
    pj_thread.request = NULL;
    ts->interp->eval_frame = pj_thread.before_request;
    pj_let_collect(pj_thread.collects);
}

/* Calls the function of the frame pending->index with placeholders for its arguments; the hook fills the new frame.
 * New reference or NULL with an exception. Takes over `pending`. */
static PyObject *call_function(PyThreadState *ts, PjPending *pending)
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

/* Calls the function of the next frame of `pending` so that the hook, seeing its frame, fills it. */
static PjStep rebuild_callee(PjRun *r)
{
    PjPending *pending = r->pending;
    r->pending = NULL;
    PyObject *then = Py_XNewRef(pending->exit->frames[pending->index].then);
    PyObject *then_args = then == NULL ? NULL : pending->values[pending->used++];
    pj_frame_call_at(r->frame, r->pc);
    pj_frame_link(r->ts, r->frame, r->prev);
    pj_recursion_deeper(r->ts, 1); /* the frame that calls is not in the interpreter, which would count it */
    PyObject *result = call_function(r->ts, pending);
    pj_recursion_deeper(r->ts, -1);
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

/* ---- from beginning to end ---- */

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
        pj_call_on_trial(state, &state->trial, NULL);
        return state->off;
    }
    return counted ? state->trial.now : pj_trial_call(state);
}

/* A frame of a code object with a state, at its beginning. */
PyObject *pj_run_enabled(PyThreadState *ts, PjFrame *frame, PjState *state)
{
    pj_counters.enabled++;
    if (PJ_UNLIKELY(pj_recursion_nearly_spent(ts)) || (PJ_UNLIKELY(state->trial.on) && is_plain_call(state))) {
        return pj_delegate(ts, frame, 0);
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
    r.timed = NULL;
    r.tried = NULL;
    r.rounds = INT64_MAX;
    r.pc = 0;
    r.weight = state->every;
    state->met += r.weight;
    r.fresh = true;
    const int64_t began = (++state->calls & (PJ_EVERY - 1)) == 0 ? pj_clock() : 0;
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
        state->quiet += r.weight;
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
        result = pj_delegate(ts, frame, 0);
    }
    pj_lap_ends(&r);
    pj_turns_end(&r);
    if (PJ_UNLIKELY(began != 0)) {
        pj_sample_review(state, began);
    }
    Py_DECREF(r.original);
    Py_DECREF(state);
    return result;
}

/* The frame that call_function asked for: an inlined callee in the middle of its work. */
PyObject *pj_run_rebuilt(PyThreadState *ts, PjFrame *frame)
{
    PjPending *pending = pj_thread.request;
    request_ends(ts);
    pj_counters.rebuilt++;
    PjRun r;
    memset(&r, 0, sizeof(r));
    r.ts = ts;
    r.frame = frame;
    r.prev = PJ_CURRENT(ts);
    r.rounds = INT64_MAX;
    r.weight = 1;
    r.original = pj_frame_code(frame);
    r.state = pj_state_lookup(r.original);
    r.kinds = r.state != NULL ? r.state->kinds : NULL;
    Py_XINCREF(r.state);
    Py_INCREF(r.original);
    PyObject *result = run_frame(&r, pj_fill_frame(&r, pending));
    pj_lap_ends(&r);
    pj_turns_end(&r);
    Py_DECREF(r.original);
    Py_XDECREF(r.state);
    return result;
}
