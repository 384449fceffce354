/* frameless.c - calls of Python functions for which no frame is made: what native code does there cannot be noticed before it returns. Should it leave
 * in another way, nothing has happened, and the call is made as usual.
 *
 * So a function that calls itself (pj_own_call) stays in native code: each call is a run of one of its own fragments. What was in vain is
 * known when the outermost such call has to be made after all; where that is too much, they are made as usual from then on. */
#include <alloca.h>
#include "frame.h"
#include "guards.h"
#include "helpers.h"

#define MOST_SLOTS 32

/* Whether a call may be a run of one of them; not where a callback is due, unless it is one in a run that has no frame either. */
static inline bool any_repeatable(const PjPoint *start)
{
    bool any = false;
    for (int i = 0; i < start->count; i++) {
        if (start->fragments[i]->due && pj_thread.frameless == 0) {
            start->fragments[i]->due = false;
            return false;
        }
        any |= start->fragments[i]->repeatable;
    }
    return any;
}

/* What native code and guards look at in a run without a frame of its own. */
static inline void begin(PjRun *r, PyThreadState *ts, PjFrame *frame, PjState *state)
{
    r->ts = ts;
    r->frame = frame;
    r->state = state;
    r->kinds = NULL;
    r->fresh = true;
    r->rounds = INT64_MAX;
    r->tried = NULL;
}

/* New reference, or NULL without an exception: the call has to be made. */
PyObject *pj_call_frameless(PyThreadState *ts, PyFunctionObject *f, PjState *state, PyObject *const *args, Py_ssize_t nargs)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
    PjPoint *start = state->start;
    if (state->off || state->trial.slower || start == NULL || !any_repeatable(start) || state->kinds != NULL ||
        pj_recursion_nearly_spent(ts) || code->co_argcount != nargs || code->co_kwonlyargcount != 0 || code->co_nlocalsplus > MOST_SLOTS ||
        (code->co_flags & (CO_VARARGS | CO_VARKEYWORDS)) != 0 || pj_traced(ts, code)) {
        return NULL;
    }
    union {
        PjFrame frame;
        char memory[sizeof(PjFrame) + MOST_SLOTS * sizeof(PyObject *)];
    } imagined;
    pj_frame_imagine(&imagined.frame, f, args, (int)nargs);
    PjRun r;
    begin(&r, ts, &imagined.frame, state);
    pj_recursion_deeper(ts, 1);
    PyObject *result = pj_try_repeatable(&r, start);
    pj_recursion_deeper(ts, -1);
    pj_counters.enabled += result != NULL;
    return result;
}

/* ---- calls in the middle of native code ---- */

#define CODE_BITS 3

static PjPassed code_at(int64_t codes, int at)
{
    return (PjPassed)(codes >> (CODE_BITS * at) & ((1 << CODE_BITS) - 1));
}

/* Takes over the object. */
static bool unbox(PyObject *o, PjPassed as, int64_t *out)
{
    bool good = true;
    switch (as) {
    case PJ_INT:
        good = pj_unbox_int(o, out) == 0;
        break;
    case PJ_FLOAT:
        good = PyFloat_CheckExact(o);
        if (good) {
            double value = PyFloat_AS_DOUBLE(o);
            memcpy(out, &value, sizeof(value));
        }
        break;
    case PJ_BOOL:
        good = PyBool_Check(o);
        *out = o == Py_True;
        break;
    default:
        *out = (int64_t)(intptr_t)o;
        return true;
    }
    Py_DECREF(o);
    return good;
}

static PyObject *boxed(PjPassed as, int64_t word)
{
    switch (as) {
    case PJ_INT:
        return PyLong_FromLongLong(word);
    case PJ_FLOAT:
        return PyFloat_FromDouble(pj_double_of(word));
    case PJ_BOOL:
        return Py_NewRef(word ? Py_True : Py_False);
    default:
        return Py_XNewRef((PyObject *)(intptr_t)word);
    }
}

/* By any fragment of the function's. 0: done. */
static int64_t call_boxed(PyThreadState *ts, PyObject *function, int64_t codes, int n, int64_t *words)
{
    PjState *state = PJ_IS_FUNCTION(function) ? pj_state_of_function(function) : NULL;
    PyObject *args[PJ_OWN_ARGUMENTS] = {NULL}, *result = NULL;
    int made = 0;
    while (made < n && (args[made] = boxed(code_at(codes, made + 1), words[made])) != NULL) {
        made++;
    }
    if (made == n && state != NULL) {
        result = pj_call_frameless(ts, (PyFunctionObject *)function, state, args, n);
    }
    while (made > 0) {
        Py_DECREF(args[--made]);
    }
    PyErr_Clear();
    return result == NULL || !unbox(result, code_at(codes, 0), words);
}

/* Whether an object may be passed. given: the caller's own. */
static inline bool fits_parameter(const PjParameter *p, PyObject *o, PyObject *given)
{
    if (o == given) {
        return o != NULL;
    }
    return o != NULL && !p->same && (p->type == NULL || Py_IS_TYPE(o, (PyTypeObject *)pj_held((PyObject *)p->type)));
}

/* Sets the words and registers of the parameters, which are those of the calling run so far. Whether they are passed as the fragment wants them,
 * and what may be asked for as an object is one: those that are made are left to the caller, in `made`. */
static bool pass(const PjFragment *f, int64_t codes, int n, const int64_t *words, int64_t *W, PyObject **registers, PyObject **made)
{
    for (int i = 0; i < n; i++) {
        const PjParameter *p = &f->parameters[i];
        PjPassed as = code_at(codes, i + 1);
        if (p->as == PJ_UNUSED && p->reg < 0) {
            continue;
        }
        if (p->as == PJ_UNUSED && p->same && as == PJ_OBJECT && (PyObject *)(intptr_t)words[i] == registers[p->reg]) {
            continue; /* what native code is given of it is, too */
        }
        if (p->as != as) {
            return false;
        }
        PyObject *o = as == PJ_OBJECT ? (PyObject *)(intptr_t)words[i] : f->nsites != 0 ? (made[i] = boxed(as, words[i])) : NULL;
        if (as != PJ_OBJECT ? o == NULL && f->nsites != 0 : !fits_parameter(p, o, registers[p->reg])) {
            return false;
        }
        W[p->word] = words[i];
        registers[p->reg] = o;
    }
    return true;
}

/* By the fragment that makes the call: all but its parameters is as it was when its guards were looked at. 0: done; -1: they do not fit. */
static int64_t call_direct(PjRun *r, PjFragment *f, int64_t codes, int n, int64_t *words, const int64_t *W)
{
    int registers = f->rows->registers;
    int64_t *inner = alloca(pj_run_words(f, f->nsites != 0) * sizeof(int64_t));
    PjRun run;
    begin(&run, r->ts, r->frame, r->state);
    run.registers = (PyObject **)(inner + f->nwords);
    memcpy(inner + 2, W + 2, (size_t)(f->inputs_end - 2) * sizeof(int64_t));
    memcpy(run.registers, r->registers, (size_t)registers * sizeof(PyObject *));
    PyObject *made[PJ_OWN_ARGUMENTS] = {NULL}, *result = NULL;
    PjPassed as = code_at(codes, 0);
    bool fits = pass(f, codes, n, words, inner, run.registers, made), got = false;
    if (fits) {
        pj_recursion_deeper(r->ts, 1);
        result = pj_run_repeatable(&run, f, inner, as, words, &got);
        pj_recursion_deeper(r->ts, -1);
    }
    for (int i = 0; f->nsites != 0 && i < n; i++) {
        Py_XDECREF(made[i]);
    }
    if (!fits) {
        PyErr_Clear(); /* no memory for one of them */
    }
    return !fits ? -1 : !got && (result == NULL || !unbox(result, as, words));
}

/* A call of the function whose native code this is, or (not NULL) another one of the same code. codes: for the result and each argument in turn;
 * words: the arguments, then the result. 0: done, else the interpreter has to make it. */
int64_t pj_own_call(int64_t *W, PyObject *function, int64_t codes, int64_t n, int64_t *words)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjFragment *f = r->fragment;
    if (*pj_breaker(r->ts) != 0 || pj_stack_low() || pj_recursion_nearly_spent(r->ts)) {
        return 1;
    }
    PyObject *own = (PyObject *)PJF_FUNC(r->frame);
    int64_t failed = -1;
    if (f->direct && f->repeatable && (function == NULL || function == own)) {
        failed = call_direct(r, f, codes, (int)n, words, W);
    }
    if (failed < 0) {
        failed = call_boxed(r->ts, function != NULL ? function : own, codes, (int)n, words);
    }
    if (failed == 0) {
        pj_thread.own_calls++;
        r->state->trial.left -= r->state->trial.on && r->state->trial.left > INT32_MIN; /* calls are compared */
    }
    return failed;
}
