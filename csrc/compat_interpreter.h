/* compat_interpreter.h - what differs between versions of CPython in interpreters and threads. */
#ifndef PIJIT_COMPAT_INTERPRETER_H
#define PIJIT_COMPAT_INTERPRETER_H

#include "compat.h"
#include <stdbool.h>
#include <stdint.h>

/* ---- recursion ---- */

/* Levels of recursion. 3.12: Python's counter is one of several. */
typedef struct {
    int python, c;
} PjLevels;

/* What the frames that run take. */
static inline PjLevels pj_levels_used(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (PjLevels){ts->py_recursion_limit - ts->py_recursion_remaining, Py_C_RECURSION_LIMIT - ts->c_recursion_remaining};
#elif PY_VERSION_HEX >= 0x030C0000
    return (PjLevels){ts->py_recursion_limit - ts->py_recursion_remaining, C_RECURSION_LIMIT - ts->c_recursion_remaining};
#else
    return (PjLevels){ts->recursion_limit - ts->recursion_remaining, 0};
#endif
}

static inline void pj_levels_give(PyThreadState *ts, PjLevels n)
{
#if PY_VERSION_HEX >= 0x030C0000
    ts->py_recursion_remaining += n.python;
    ts->c_recursion_remaining += n.c;
#else
    ts->recursion_remaining += n.python;
#endif
}

static inline void pj_levels_take(PyThreadState *ts, PjLevels n)
{
    pj_levels_give(ts, (PjLevels){-n.python, -n.c});
}

/* Close to Python's limit the interpreter runs all frames: it counts calls that native code has inlined, and 3.11 also comparisons and the like
 * that native code does itself. */
static inline bool pj_recursion_nearly_spent(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030C0000
    return ts->py_recursion_remaining < 16;
#else
    return ts->recursion_remaining < 16;
#endif
}

/* A call of native code's counts as one of the interpreter's. */
static inline void pj_recursion_deeper(PyThreadState *ts, int by)
{
#if PY_VERSION_HEX >= 0x030C0000
    ts->py_recursion_remaining -= by;
#else
    ts->recursion_remaining -= by;
#endif
}

/* What _PyEval_EvalFrameDefault takes from c_recursion_remaining. 3.11 has one recursion counter only. */
#if PY_VERSION_HEX >= 0x030C0000
#define PJ_C_UNITS 2
#define PJ_C_UNIT_BYTES 1024 /* of C stack, generously: CPython's own limit has 800 of the usual 8 MiB for one */
#endif

/* For code that runs with only so many bytes of C stack left: C calls may nest accordingly less. Returns what
 * pj_restore_c_recursion must give back. 3.11 counts C calls and Python calls together, and so does not tell. */
static inline int pj_limit_c_recursion(PyThreadState *ts, size_t bytes)
{
#if PY_VERSION_HEX >= 0x030C0000
    int levels = (int)(bytes / 2048); /* a level of the interpreter with what is between two of them */
    int cut = ts->c_recursion_remaining - levels;
    if (cut > 0) {
        ts->c_recursion_remaining -= cut;
        return cut;
    }
#else
    (void)ts;
    (void)bytes;
#endif
    return 0;
}

static inline void pj_restore_c_recursion(PyThreadState *ts, int cut)
{
#if PY_VERSION_HEX >= 0x030C0000
    ts->c_recursion_remaining += cut;
#else
    (void)ts;
    (void)cut;
#endif
}

/* ---- audit hooks ---- */

/* Is this the only one, of those in C and those in Python? */
static inline bool pj_only_audit_hook(Py_AuditHookFunction hook)
{
#if PY_VERSION_HEX >= 0x030C0000
    _Py_AuditHookEntry *first = _PyRuntime.audit_hooks.head;
#else
    _Py_AuditHookEntry *first = _PyRuntime.audit_hook_head;
#endif
    return first != NULL && first->hookCFunction == hook && first->next == NULL && PyInterpreterState_Get()->audit_hooks == NULL;
}

/* ---- the evaluation hook ---- */

static inline _PyFrameEvalFunction pj_get_eval(PyInterpreterState *interp)
{
    return interp->eval_frame; /* a plain field on all versions; NULL = the default */
}

/* The main thread is to look whether signals and pending calls have come: while it was not taken for that it may have forgotten to. */
static inline void pj_signals_came(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    uintptr_t came = (_Py_atomic_load_int(&_PyRuntime.signals.is_tripped) ? _PY_SIGNALS_PENDING_BIT : 0) |
                     (_Py_atomic_load_int32_relaxed(&_PyRuntime.ceval.pending_mainthread.npending) ? _PY_CALLS_TO_DO_BIT : 0);
    if (came != 0) {
        _Py_set_eval_breaker_bit(ts, came);
    }
#else
    struct _ceval_state *ceval = &ts->interp->ceval;
    bool calls = _Py_atomic_load_relaxed(&ceval->pending.calls_to_do);
#if PY_VERSION_HEX >= 0x030C0000
    calls |= _Py_atomic_load_relaxed(&_PyRuntime.ceval.pending_mainthread.calls_to_do);
#endif
    if (calls || _Py_atomic_load_relaxed(&_PyRuntime.ceval.signals_pending)) {
        _Py_atomic_store_relaxed(&ceval->eval_breaker, 1);
    }
#endif
}

/* The byte that is non-zero when the interpreter should look up: signals, pending calls, GIL requests, async
 * exceptions, garbage collection (3.12+). 3.13 keeps it per thread and its upper bits hold a version. */
static inline char *pj_breaker(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    char *p = (char *)&ts->eval_breaker;
    size_t n = sizeof(ts->eval_breaker);
#else
    char *p = (char *)&ts->interp->ceval.eval_breaker;
    size_t n = sizeof(ts->interp->ceval.eval_breaker);
#endif
#if PY_BIG_ENDIAN
    return p + n - 1;
#else
    (void)n;
    return p;
#endif
}

/* Serves what can be served from outside the interpreter loop; -1 with an exception set. What is left (async
 * exceptions and scheduled collections before 3.13) keeps the breaker set: the frame then goes on in the interpreter,
 * which does the rest at its next check. */
static inline int pj_serve(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030D0000
    return _Py_HandlePending(ts);
#else
    if (Py_MakePendingCalls() != 0) {
        return -1;
    }
    if (*(volatile int *)&ts->interp->ceval.gil_drop_request) {
        PyThreadState *me = PyEval_SaveThread();
        PyEval_RestoreThread(me);
    }
    return 0;
#endif
}

#if PJ_MONITORING
static inline int pj_any_tool(const uint8_t *tools, size_t events)
{
    uint8_t any = 0;
    for (size_t i = 0; i < events; i++) {
        any |= tools[i];
    }
    return any != 0;
}
#endif

/* Is there a tool that wants events of this very code object? */
static inline int pj_monitored(PyCodeObject *code)
{
#if PJ_MONITORING
    _PyCoMonitoringData *data = code->_co_monitoring;
    return data != NULL && pj_any_tool(data->local_monitors.tools, sizeof(data->local_monitors.tools));
#else
    (void)code;
    return 0;
#endif
}

/* Somebody traces, profiles or monitors: the user's events must come from the original, unpatched code. */
static inline int pj_traced(PyThreadState *ts, PyCodeObject *code)
{
#if PJ_MONITORING
    return pj_any_tool(ts->interp->monitors.tools, sizeof(ts->interp->monitors.tools)) || pj_monitored(code);
#else
    (void)code;
    return ts->cframe->use_tracing != 0;
#endif
}

/* Does anybody trace, profile or monitor more than single code objects, in any thread? */
static inline int pj_traced_anywhere(PyInterpreterState *interp)
{
#if PJ_MONITORING
    return pj_any_tool(interp->monitors.tools, sizeof(interp->monitors.tools));
#else
    for (PyThreadState *ts = PyInterpreterState_ThreadHead(interp); ts != NULL; ts = PyThreadState_Next(ts)) {
        if (ts->c_tracefunc != NULL || ts->c_profilefunc != NULL) {
            return 1;
        }
    }
    return 0;
#endif
}

/* ---- free lists: memory of objects that went, which the next of their kind get without being counted ---- */

typedef struct {
    void *at;
    size_t size;
} PjPart;

#if PY_VERSION_HEX >= 0x030D0000
enum { PJ_FREE_LISTS = 1, PJ_FREE_LISTS_SIZE = sizeof(struct _Py_object_freelists) };
#else
enum {
    PJ_FREE_LISTS = 7,
    PJ_FREE_LISTS_SIZE = sizeof(struct _Py_float_state) + sizeof(PySliceObject *) + sizeof(struct _Py_tuple_state) +
                         sizeof(struct _Py_list_state) + sizeof(struct _Py_dict_state) + sizeof(struct _Py_async_gen_state) +
                         sizeof(struct _Py_context_state)
};
#endif

/* Where the interpreter has them. All zeros: they are empty. */
static inline void pj_free_lists(PyInterpreterState *interp, PjPart parts[PJ_FREE_LISTS])
{
#if PY_VERSION_HEX >= 0x030D0000
    parts[0] = (PjPart){&interp->object_state.freelists, sizeof(interp->object_state.freelists)};
#else
    parts[0] = (PjPart){&interp->float_state, sizeof(interp->float_state)};
    parts[1] = (PjPart){&interp->slice_cache, sizeof(interp->slice_cache)};
    parts[2] = (PjPart){&interp->tuple, sizeof(interp->tuple)};
    parts[3] = (PjPart){&interp->list, sizeof(interp->list)};
    parts[5] = (PjPart){&interp->async_gen, sizeof(interp->async_gen)};
    parts[6] = (PjPart){&interp->context, sizeof(interp->context)};
#if PY_VERSION_HEX >= 0x030C0000
    struct _Py_dict_state *dicts = &interp->dict_state; /* between counters and watchers */
    parts[4] = (PjPart){dicts->free_list, (size_t)((char *)(&dicts->keys_numfree + 1) - (char *)dicts->free_list)};
#else
    parts[4] = (PjPart){&interp->dict_state, sizeof(interp->dict_state)};
#endif
#endif
}

/* While objects are made of what is borrowed nothing of the program may run. 3.11 collects garbage, and so runs finalizers, wherever
 * something is allocated; from 3.12 on that waits for the interpreter. What is given is for pj_let_collect. */
static inline int pj_keep_from_collecting(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return 0;
#else
    struct _gc_runtime_state *gc = &_PyInterpreterState_GET()->gc;
    const int before = gc->enabled;
    gc->enabled = 0;
    return before;
#endif
}

static inline void pj_let_collect(int before)
{
#if PY_VERSION_HEX >= 0x030C0000
    (void)before;
#else
    _PyInterpreterState_GET()->gc.enabled = before;
#endif
}

/* 3.13: the name became public. */
static inline int pj_finalizing(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    return Py_IsFinalizing();
#else
    return _Py_IsFinalizing();
#endif
}

/* ---- exceptions: one object in flight ---- */

static inline PyObject *pj_err_take(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *tb;
    PyErr_Fetch(&type, &value, &tb);
    if (type == NULL) {
        return NULL;
    }
    if (value == NULL || (PyObject *)Py_TYPE(value) != type) { /* else it would only ask a metaclass, which may be the program's */
        PyErr_NormalizeException(&type, &value, &tb);
    }
    if (tb != NULL) {
        PyException_SetTraceback(value, tb);
        Py_DECREF(tb);
    }
    Py_DECREF(type);
    return value;
#endif
}

/* Steals exc (may be NULL: clears). */
static inline void pj_err_give(PyObject *exc)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(exc);
#else
    if (exc == NULL) {
        PyErr_Clear();
        return;
    }
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exc)), exc, PyException_GetTraceback(exc));
#endif
}

static inline int pj_err_set(PyThreadState *ts)
{
#if PY_VERSION_HEX >= 0x030C0000
    return ts->current_exception != NULL;
#else
    return ts->curexc_type != NULL;
#endif
}

#endif
