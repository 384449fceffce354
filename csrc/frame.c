/* frame.c - what is done to interpreter frames: finishing, running, the prologue by hand, shadow frames. */
#include "frame.h"

static int varint(const unsigned char **p, const unsigned char *end)
{
    int value = 0;
    for (bool more = true; more && *p < end; (*p)++) {
        value = (value << 6) | (**p & 63);
        more = (**p & 64) != 0;
    }
    return value;
}

int pj_handler_at(PyCodeObject *code, int pc)
{
    const unsigned char *p = (const unsigned char *)PyBytes_AS_STRING(code->co_exceptiontable);
    const unsigned char *end = p + PyBytes_GET_SIZE(code->co_exceptiontable);
    int found = -1;
    while (p < end) {
        int start = varint(&p, end), length = varint(&p, end), target = varint(&p, end);
        varint(&p, end); /* depth and whether lasti is pushed */
        if (start <= pc && pc < start + length) {
            found = target;
        }
    }
    return found;
}

/* Gives a frame object that outlives its frame a copy of it (take_ownership of CPython's frame.c, which is not
 * exported). Steals the frame's references. `prev` is the calling frame, now current. */
static void frame_object_keep(PyFrameObject *fo, PjFrame *f, PyThreadState *ts)
{
    size_t size = (size_t)((char *)&f->localsplus[f->stacktop] - (char *)f);
    memcpy(fo->_f_frame_data, f, size);
    PjFrame *kept = (PjFrame *)fo->_f_frame_data;
    kept->owner = FRAME_OWNED_BY_FRAME_OBJECT;
    kept->frame_obj = NULL; /* as CPython leaves it: the object does not own itself */
    fo->f_frame = kept;
    if (PJF_IP(kept) < _PyCode_CODE(PJF_CODE(kept)) + PJF_CODE(kept)->_co_firsttraceable) {
        /* never ran: pretend that the first RESUME did, else it counts as incomplete for ever */
        pj_frame_call_at(kept, PJF_CODE(kept)->_co_firsttraceable + PJF_IP_RAISE);
    }
    kept->previous = NULL;
    PyFrameObject *back = PyThreadState_GetFrame(ts);
    if (fo->f_back == NULL) {
        fo->f_back = back;
    }
    else {
        Py_XDECREF(back);
    }
    if (!PyObject_GC_IsTracked((PyObject *)fo)) {
        PyObject_GC_Track(fo);
    }
}

/* Drops everything the frame holds. The frame must not be current. */
static void frame_clear(PyThreadState *ts, PjFrame *f)
{
    PyFrameObject *fo = f->frame_obj;
    if (fo != NULL) {
        f->frame_obj = NULL;
        if (Py_REFCNT(fo) > 1) {
            frame_object_keep(fo, f, ts);
            Py_DECREF(fo);
            return;
        }
        Py_DECREF(fo);
    }
    PyCodeObject *code = PJF_CODE(f);
    int top = f->stacktop;
    f->stacktop = 0;
    for (int i = 0; i < top; i++) {
        Py_XDECREF(f->localsplus[i]);
    }
    Py_XDECREF(f->f_locals);
    Py_DECREF(PJF_FUNC(f));
    Py_DECREF(code);
}

#if !PJ_CALLER_CLEARS
/* For a frame that starts a chunk of the data stack: what frees chunks is not exported everywhere, so the interpreter
 * returns from the frame, by a RETURN_VALUE of our own. */
static __attribute__((noinline)) void finish_by_returning(PyThreadState *ts, PjFrame *f)
{
    static _Py_CODEUNIT ret[4];
    ((uint8_t *)&ret[1])[0] = RETURN_VALUE;
    PyObject *exc = pj_err_take();
    int nlocals = PJF_CODE(f)->co_nlocalsplus;
    while (f->stacktop > nlocals) {
        f->stacktop--;
        PyObject *o = f->localsplus[f->stacktop];
        Py_XDECREF(o);
    }
    PyFrameObject *fo = f->frame_obj;
    f->frame_obj = NULL;
    if (fo != NULL && Py_REFCNT(fo) > 1) {
        /* a kept frame object gets its copy now: its pc must not point outside its code */
        Py_INCREF(PJF_CODE(f));
        Py_INCREF(PJF_FUNC(f));
        Py_XINCREF(f->f_locals);
        for (int i = 0; i < nlocals; i++) {
            Py_XINCREF(f->localsplus[i]);
        }
        frame_object_keep(fo, f, ts);
    }
    Py_XDECREF(fo);
    f->localsplus[f->stacktop++] = Py_NewRef(Py_None);
    PJF_IP(f) = &ret[1] + PJF_IP_RESUME;
    ts->c_recursion_remaining += PJ_C_UNITS;
    ts->py_recursion_remaining++;
    PyObject *none = _PyEval_EvalFrameDefault(ts, f, 0);
    ts->py_recursion_remaining--;
    ts->c_recursion_remaining -= PJ_C_UNITS;
    Py_XDECREF(none);
    pj_err_give(exc);
}
#endif

/* Finishes a frame that will not run any more: its stack must hold only owned references. `prev` is current again
 * afterwards. 3.11: the caller of the hook clears the locals, only the value stack is emptied. */
void pj_frame_finish(PyThreadState *ts, PjFrame *f, PjFrame *prev)
{
    PJ_CURRENT(ts) = prev;
    f->previous = prev;
#if PJ_CALLER_CLEARS
    int base = PJF_CODE(f)->co_nlocalsplus;
    while (f->stacktop > base) {
        f->stacktop--;
        PyObject *o = f->localsplus[f->stacktop];
        Py_XDECREF(o);
    }
#else
    PyObject **base = (PyObject **)f;
    if (PJ_UNLIKELY(base == &ts->datastack_chunk->data[0])) {
        finish_by_returning(ts, f);
        return;
    }
    frame_clear(ts, f);
    ts->datastack_top = base;
#endif
}

/* Runs the frame in the interpreter from its pc. *left: it took the exit opcode and is still alive; the stack depth
 * is then unknown to it. Otherwise the frame is finished and the result is returned (NULL: raised). */
PyObject *pj_frame_eval(PjRun *r, int throwflag, bool *left)
{
    PyThreadState *ts = r->ts;
    PjFrame *f = r->frame;
#if PJ_CALLER_CLEARS
    PyObject *result = _PyEval_EvalFrameDefault(ts, f, throwflag);
    *left = false;
    if (result != NULL || !pj_err_set(ts)) {
        /* A real return leaves the pc at a real RETURN_VALUE, an exit at a patched unit. */
        PjClone *clone = pj_clone_record(PJF_CODE(f));
        if (clone != NULL && clone->patched) {
            int pc = pj_frame_left_at(f);
            *left = pc != clone->open_pc && pj_plan_entry(clone->plan, pc) != NULL;
        }
    }
#else
    PyObject **top = ts->datastack_top;
    int units = pj_c_units(ts);
    ts->c_recursion_remaining += units;
    PyObject *result = _PyEval_EvalFrameDefault(ts, f, throwflag);
    ts->c_recursion_remaining -= units;
    *left = ts->datastack_top == top; /* a finished frame is popped */
    if (*left) {
        ts->py_recursion_remaining++; /* the exit opcode belongs to another frame and does not count this one out */
        PJ_CURRENT(ts) = r->prev;     /* 3.13: it is the interpreter's dead C frame */
    }
#endif
    if (!*left) {
        pj_frame_ended(ts, f, r->prev);
        return result; /* the frame's memory may be gone */
    }
    f->previous = r->prev;
    return NULL;
}

/* What MAKE_CELL and COPY_FREE_VARS do at the start of a function. -1 with MemoryError. */
int pj_frame_prologue(PjFrame *f)
{
    PyCodeObject *code = PJF_CODE(f);
    const char *kinds = PyBytes_AS_STRING(code->co_localspluskinds);
    int first_free = code->co_nlocalsplus - code->co_nfreevars;
    for (int i = 0; i < first_free; i++) {
        if (kinds[i] & CO_FAST_CELL) {
            PyObject *cell = PyCell_New(f->localsplus[i]);
            if (cell == NULL) {
                return -1;
            }
            PyObject *old = f->localsplus[i];
            f->localsplus[i] = cell;
            Py_XDECREF(old);
        }
    }
    if (code->co_nfreevars) {
        PyObject *closure = PJF_FUNC(f)->func_closure;
        for (int i = 0; i < code->co_nfreevars; i++) {
            Py_XSETREF(f->localsplus[first_free + i], Py_NewRef(PyTuple_GET_ITEM(closure, i)));
        }
    }
    return 0;
}

/* ---- shadows: frames that only show, so that callers of Python in an inlined function are seen with name and line ---- */

/* What was a shadow is never anything else: who walks this thread's frames without its lock (faulthandler's watchdog) may still be at it.
 * By the power of two that its slots fit in; one leads to the next by f_locals, at which such a walk does not look. */
#define SHADOW_SIZES 32
static PjFrame *spare_shadows[SHADOW_SIZES];

static int shadow_size(PyCodeObject *code)
{
    unsigned slots = (unsigned)code->co_nlocalsplus + (unsigned)code->co_stacksize;
    int size = 3;
    while (size < SHADOW_SIZES - 1 && (1u << size) < slots) {
        size++;
    }
    return size;
}

/* It lives outside the data stack. NULL with MemoryError. */
PjFrame *pj_shadow_new(PyObject *function, int pc, PjFrame *prev)
{
    PyFunctionObject *func = (PyFunctionObject *)function;
    PyCodeObject *code = (PyCodeObject *)func->func_code;
    PjFrame **spare = &spare_shadows[shadow_size(code)];
    PjFrame *f = *spare;
    if (f != NULL) {
        *spare = (PjFrame *)f->f_locals;
        f->f_locals = NULL;
    }
    else {
        f = PyMem_Calloc(1, sizeof(PjFrame) + ((size_t)1 << shadow_size(code)) * sizeof(PyObject *));
        if (f == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
    }
    PJF_SET_CODE(f, (PyCodeObject *)Py_NewRef(code));
    PJF_SET_FUNC(f, (PyFunctionObject *)Py_NewRef(func));
    f->f_globals = func->func_globals;
    f->f_builtins = func->func_builtins;
    f->owner = FRAME_OWNED_BY_THREAD;
    f->stacktop = code->co_nlocalsplus;
    f->previous = prev;
    pj_frame_call_at(f, pc);
    int first_free = code->co_nlocalsplus - code->co_nfreevars;
    memset(f->localsplus, 0, (size_t)first_free * sizeof(PyObject *));
    for (int i = 0; i < code->co_nfreevars; i++) {
        /* f_locals reads these cells without a check */
        f->localsplus[first_free + i] = Py_NewRef(PyTuple_GET_ITEM(func->func_closure, i));
    }
    return f;
}

/* The frame must not be current any more; the one before it must be. */
void pj_shadow_free(PyThreadState *ts, PjFrame *f)
{
    PjFrame **spare = &spare_shadows[shadow_size(PJF_CODE(f))];
    frame_clear(ts, f);
    f->f_locals = (PyObject *)*spare;
    *spare = f;
}

/* frames_name(names): does the code of a Python frame of this thread name one of these? */
PyObject *pj_frames_name(PyObject *module, PyObject *names)
{
    (void)module;
    for (PjFrame *f = PJ_CURRENT(PyThreadState_Get()); f != NULL; f = f->previous) {
        PyObject *code = (PyObject *)PJF_CODE(f);
        if (code == NULL || !PyCode_Check(code)) { /* where C code has called the interpreter */
            continue;
        }
        PyObject *own = ((PyCodeObject *)code)->co_names;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(own); i++) {
            int found = PySet_Contains(names, PyTuple_GET_ITEM(own, i));
            if (found != 0) {
                return found < 0 ? NULL : Py_NewRef(Py_True);
            }
        }
    }
    return Py_NewRef(Py_False);
}
