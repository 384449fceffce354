/* compat.h - every difference between CPython 3.11, 3.12 and 3.13 that the extension depends on.
 *
 * The only file that looks at PY_VERSION_HEX and the only one that includes CPython's internal headers. The rest of
 * the sources sees the names defined here. */
#ifndef PIJIT_COMPAT_H
#define PIJIT_COMPAT_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE_MODULE 1 /* the internal headers, as CPython's own extension modules see them */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* CPython's headers are not clean under -Wextra */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <Python.h>

#if defined(PYPY_VERSION) || defined(GRAALVM_PYTHON)
#error "pijit needs CPython 3.11, 3.12 or 3.13"
#endif
#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "pijit needs CPython 3.11, 3.12 or 3.13"
#endif
#ifdef Py_GIL_DISABLED
#error "pijit needs a CPython with the GIL: the free-threaded build is not supported"
#endif

#include <frameobject.h>
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_object.h>
#include <internal/pycore_pystate.h>
#include <opcode.h>
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#endif
#if PY_VERSION_HEX >= 0x030C0000
#include <internal/pycore_hashtable.h>
#include <internal/pycore_range.h>
#endif
#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_ceval.h>
#endif
#pragma GCC diagnostic pop

typedef struct _PyInterpreterFrame PjFrame;

/* 3.12: RETURN_VALUE clears and pops a frame in the interpreter loop, so whoever finishes a frame clears it.
 * 3.11: _PyEval_Vector clears the frame after the hook has returned. */
#define PJ_CALLER_CLEARS (PY_VERSION_HEX < 0x030C0000)

/* 3.12: sys.monitoring. */
#define PJ_MONITORING (PY_VERSION_HEX >= 0x030C0000)

/* 3.12: opcode that leaves _PyEval_EvalFrameDefault with the frame alive. 3.11: RETURN_VALUE does (the caller clears). */
#if PJ_CALLER_CLEARS
#define PJ_EXIT_OPCODE RETURN_VALUE
#else
#define PJ_EXIT_OPCODE INTERPRETER_EXIT
#endif

/* 3.13: superinstructions are made by the compiler and are one code unit; before, by quickening, over two units. */
#define PJ_PAIRED_SUPERINSTRUCTIONS (PY_VERSION_HEX < 0x030D0000)

/* Instructions that set something for the next one in the interpreter's C variables. 3.13: KW_NAMES became CALL_KW. */
#if PY_VERSION_HEX < 0x030D0000
#define PJ_IS_PREFIX(op) ((op) == EXTENDED_ARG || (op) == KW_NAMES)
#else
#define PJ_IS_PREFIX(op) ((op) == EXTENDED_ARG)
#endif

/* 3.12: PRECALL is gone. */
#if PY_VERSION_HEX < 0x030C0000
#define PJ_IS_PRECALL(op) ((op) == PRECALL)
#else
#define PJ_IS_PRECALL(op) 0
#endif

/* 3.12: calls that were specialised for a function look at its vectorcall again when its version is 0. */
#define PJ_OWN_CALLS (PY_VERSION_HEX >= 0x030C0000)

/* 3.12: conditional jumps go forward only. */
#define PJ_CONDITIONAL_BACKWARD (PY_VERSION_HEX < 0x030C0000)
#if PJ_CONDITIONAL_BACKWARD
#define PJ_IS_CONDITIONAL(op)                                                                                         \
    ((op) == POP_JUMP_BACKWARD_IF_TRUE || (op) == POP_JUMP_BACKWARD_IF_FALSE || (op) == POP_JUMP_BACKWARD_IF_NONE ||  \
     (op) == POP_JUMP_BACKWARD_IF_NOT_NONE)
#else
#define PJ_IS_CONDITIONAL(op) 0
#endif

/* 3.12: Python's recursion counter is one of several. Gives n more levels; take them back with -n. */
static inline void pj_more_recursion(PyThreadState *ts, int n)
{
#if PY_VERSION_HEX >= 0x030C0000
    ts->py_recursion_remaining += n;
    ts->c_recursion_remaining += n;
#else
    ts->recursion_remaining += n;
#endif
}

/* What _PyEval_EvalFrameDefault takes from c_recursion_remaining. 3.11 has one recursion counter only. */
#if PY_VERSION_HEX >= 0x030C0000
#define PJ_C_UNITS 2
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

/* ---- frame fields: only frame.h and frame.c use these ---- */

#if PY_VERSION_HEX >= 0x030D0000
#define PJF_CODE(f) ((PyCodeObject *)(f)->f_executable)
#define PJF_SET_CODE(f, c) ((f)->f_executable = (PyObject *)(c))
#define PJF_FUNC(f) ((PyFunctionObject *)(f)->f_funcobj)
#define PJF_SET_FUNC(f, function) ((f)->f_funcobj = (PyObject *)(function))
#define PJF_IP(f) ((f)->instr_ptr)
#define PJF_IP_LEFT 0   /* after the exit opcode at X: ip = X + this */
#define PJF_IP_RESUME 0 /* to run X next */
#define PJF_IP_CALL 0   /* looks like a frame in the middle of X */
#define PJF_IP_RAISE 1  /* handler lookup uses the unit before ip; see pj_frame_raise_at */
#elif PY_VERSION_HEX >= 0x030C0000
#define PJF_CODE(f) ((f)->f_code)
#define PJF_SET_CODE(f, c) ((f)->f_code = (PyCodeObject *)(c))
#define PJF_FUNC(f) ((PyFunctionObject *)(f)->f_funcobj)
#define PJF_SET_FUNC(f, function) ((f)->f_funcobj = (PyObject *)(function))
#define PJF_IP(f) ((f)->prev_instr)
#define PJF_IP_LEFT 0
#define PJF_IP_RESUME (-1)
#define PJF_IP_CALL 0
#define PJF_IP_RAISE 0
#else
#define PJF_CODE(f) ((f)->f_code)
#define PJF_SET_CODE(f, c) ((f)->f_code = (PyCodeObject *)(c))
#define PJF_FUNC(f) ((f)->f_func)
#define PJF_SET_FUNC(f, function) ((f)->f_func = (function))
#define PJF_IP(f) ((f)->prev_instr)
#define PJF_IP_LEFT 0
#define PJF_IP_RESUME (-1)
#define PJF_IP_CALL 0
#define PJF_IP_RAISE 0
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define PJ_CURRENT(ts) ((ts)->current_frame)
#else
#define PJ_CURRENT(ts) ((ts)->cframe->current_frame)
#endif

/* A kept PyFrameObject's f_locals cache flag went away with 3.13's write-through proxies. */
#if PY_VERSION_HEX >= 0x030D0000
#define PJ_FRAME_OBJECT_RESET(fo) ((void)0)
#else
#define PJ_FRAME_OBJECT_RESET(fo) ((fo)->f_fast_as_locals = 0)
#endif

/* ---- code objects ---- */

#if PY_VERSION_HEX >= 0x030C0000
#define pj_request_extra_index PyUnstable_Eval_RequestCodeExtraIndex
#define pj_grow_code_extra PyUnstable_Code_SetExtra
#else
#define pj_request_extra_index _PyEval_RequestCodeExtraIndex
#define pj_grow_code_extra _PyCode_SetExtra
#endif

/* Mirrors _PyCodeObjectExtra of codeobject.c, the same in all three versions. */
typedef struct {
    Py_ssize_t size;
    void *extras[1];
} PjCodeExtra;

static inline void *pj_code_extra(PyCodeObject *code, Py_ssize_t index)
{
    PjCodeExtra *extra = (PjCodeExtra *)code->co_extra;
    return extra != NULL && index < extra->size ? extra->extras[index] : NULL;
}

/* CPython's own function makes room for every user there is, and then calls the free function of each, with NULL, also for
 * code objects that it never touched: Python code (ctypes) at the end of the interpreter, for one. So room is made here for
 * the users up to ours only. 0 or -1 with an exception. */
static inline int pj_set_code_extra(PyCodeObject *code, Py_ssize_t index, void *value)
{
    if (code->co_extra != NULL) {
        return pj_grow_code_extra((PyObject *)code, index, value);
    }
    PjCodeExtra *extra = PyMem_Calloc(1, sizeof(PjCodeExtra) + (size_t)index * sizeof(void *));
    if (extra == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    extra->size = index + 1;
    extra->extras[index] = value;
    code->co_extra = (void *)extra;
    return 0;
}

static inline uint8_t pj_opcode_at(PyCodeObject *code, int pc)
{
    return ((uint8_t *)_PyCode_CODE(code))[2 * pc];
}

static inline void pj_write_unit(PyCodeObject *code, int pc, uint8_t opcode, uint8_t oparg)
{
    uint8_t *unit = (uint8_t *)_PyCode_CODE(code) + 2 * pc;
    unit[0] = opcode;
    unit[1] = oparg;
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
    PyErr_NormalizeException(&type, &value, &tb);
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

/* ---- objects ---- */

typedef struct {
    PyObject_HEAD
    PyObject *object; /* borrowed */
} PjLasting; /* lasting.c */

extern PyTypeObject PjLasting_Type;

/* What rows and recipes hold for an object: the object itself, a weak reference to it, or what stands for it. Borrowed; NULL: it is gone. */
static inline PyObject *pj_held(PyObject *o)
{
    if (o != NULL && PyWeakref_CheckRefExact(o)) {
        PyObject *held = ((PyWeakReference *)o)->wr_object;
        return held != Py_None && Py_REFCNT(held) > 0 ? held : NULL;
    }
    return o != NULL && Py_IS_TYPE(o, &PjLasting_Type) ? ((PjLasting *)o)->object : o;
}

/* An exact int of one digit: no overflow check needed. */
static inline int pj_long_compact(PyObject *o, int64_t *out)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)o)) {
        *out = (int64_t)PyUnstable_Long_CompactValue((PyLongObject *)o);
        return 1;
    }
#else
    Py_ssize_t size = Py_SIZE(o);
    if (size >= -1 && size <= 1) {
        *out = size == 0 ? 0 : (int64_t)size * (int64_t)((PyLongObject *)o)->ob_digit[0];
        return 1;
    }
#endif
    return 0;
}

/* 3.12: the range iterator lost its index; start moves instead. */
#if PY_VERSION_HEX >= 0x030C0000
typedef _PyRangeIterObject PjRangeIter;
static inline void pj_range_iter_get(PjRangeIter *it, int64_t *next, int64_t *step, int64_t *length)
{
    *next = it->start;
    *step = it->step;
    *length = it->len;
}
static inline void pj_range_iter_set(PjRangeIter *it, int64_t next, int64_t step, int64_t length)
{
    it->start = (long)next;
    it->step = (long)step;
    it->len = (long)length;
}
#else
typedef struct {
    PyObject_HEAD
    long index;
    long start;
    long step;
    long len;
} PjRangeIter; /* rangeiterobject of 3.11's rangeobject.c */
static inline void pj_range_iter_get(PjRangeIter *it, int64_t *next, int64_t *step, int64_t *length)
{
    *next = (long)((unsigned long)it->start + (unsigned long)it->index * (unsigned long)it->step);
    *step = it->step;
    *length = it->len - it->index;
}
static inline void pj_range_iter_set(PjRangeIter *it, int64_t next, int64_t step, int64_t length)
{
    it->index = 0;
    it->start = (long)next;
    it->step = (long)step;
    it->len = (long)length;
}
#endif

/* A number that changes with every change of the dict and is never used again. 3.12 deprecates the field for
 * extensions; 3.14 removes it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline uint64_t pj_dict_version(PyDictObject *d)
{
    return d->ma_version_tag;
}
#pragma GCC diagnostic pop

static inline int pj_dict_split(PyDictObject *d)
{
    return d->ma_values != NULL;
}

/* The values of an instance's attributes, in the order of its type's shared keys; NULL: they are in a dict, or there are
 * none. 3.13 keeps them inside the object, also when there is a dict that shows them. */
static inline PyDictValues *pj_inline_values(PyObject *o)
{
#if PY_VERSION_HEX >= 0x030D0000
    if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_INLINE_VALUES)) {
        return NULL;
    }
    PyDictValues *values = _PyObject_InlineValues(o);
    return values->valid ? values : NULL;
#else
    if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_MANAGED_DICT)) {
        return NULL;
    }
#if PY_VERSION_HEX >= 0x030C0000
    PyDictOrValues place = *_PyObject_DictOrValuesPointer(o);
    return _PyDictOrValues_IsValues(place) ? _PyDictOrValues_GetValues(place) : NULL;
#else
    return *_PyObject_ValuesPointer(o);
#endif
#endif
}

/* The dict of an instance of a heap type, if it has been made (borrowed). */
static inline PyObject *pj_instance_dict(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
#if PY_VERSION_HEX >= 0x030D0000
        return (PyObject *)_PyObject_ManagedDictPointer(o)->dict;
#elif PY_VERSION_HEX >= 0x030C0000
        PyDictOrValues place = *_PyObject_DictOrValuesPointer(o);
        return _PyDictOrValues_IsValues(place) ? NULL : _PyDictOrValues_GetDict(place);
#else
        return *_PyObject_ManagedDictPointer(o);
#endif
    }
    return type->tp_dictoffset > 0 ? *(PyObject **)((char *)o + type->tp_dictoffset) : NULL;
}

static inline vectorcallfunc pj_function_vectorcall(PyObject *func)
{
    return ((PyFunctionObject *)func)->vectorcall;
}

#if PJ_OWN_CALLS
/* A version that nothing has; 0 once there are none any more. */
static inline uint32_t pj_new_version(void)
{
    uint32_t *next = &PyInterpreterState_Main()->func_state.next_version;
    return *next == 0 ? 0 : (*next)++;
}

/* Calls are specialised for a function's version: `def` gives it its code object's, with which it shares the number of defaults. Of
 * this one it is not known whether `def` made it as it is now: it gets a version of its own, 3.12 when it asks for one. */
static inline void pj_give_version(PyFunctionObject *f)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
    if (code->co_version == 0) {
        code->co_version = pj_new_version();
    }
#if PY_VERSION_HEX >= 0x030D0000
    f->func_version = pj_new_version();
#endif
}

/* Calls that were specialised for the function look again, and no call is specialised for it: neither for others that `def`
 * makes of its code. 3.13: a table leads from versions to functions and code. */
static inline void pj_take_version(PyFunctionObject *f)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
#if PY_VERSION_HEX >= 0x030D0000
    struct _func_version_cache_item *table = PyInterpreterState_Main()->func_state.func_version_cache;
    struct _func_version_cache_item *of_function = &table[f->func_version % FUNC_VERSION_CACHE_SIZE];
    struct _func_version_cache_item *of_code = &table[code->co_version % FUNC_VERSION_CACHE_SIZE];
    if (of_function->func == f) {
        of_function->func = NULL;
    }
    if (of_code->code == (PyObject *)code) { /* code that goes away is looked for by its version */
        of_code->code = NULL;
        of_code->func = NULL;
    }
#endif
    code->co_version = 0;
    f->func_version = 0;
}
#endif

#endif
