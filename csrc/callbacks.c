/* callbacks.c - calling pijit's Python side. While a callback runs the hook delegates on this thread; the exception
 * state is as before afterwards; what a callback raises goes to on_error and never to the user. */
#include "frame.h"

#include <errno.h>
#include <signal.h>

PyObject *pj_on_frame, *pj_on_entry, *pj_on_exit, *pj_on_error, *pj_on_fork, *pj_on_trial, *pj_on_tick; /* strong or NULL */

/* Levels of recursion that a callback has whatever the program has used up: a compilation close to the limit is not the
 * program's RecursionError. The C stack is far from its end, since the hook has checked it. */
static const PjLevels HEADROOM = {400, 400};

/* Calls Python code of ours in the middle of a frame. */
PyObject *pj_call_back(PyObject *callback, PyObject *args)
{
    PyThreadState *ts = PyThreadState_Get();
    pj_levels_give(ts, HEADROOM);
    pj_filter_watchers();
    PyObject *theirs[PJ_IMPORT_PARTS];
    bool left = pj_imports_leave(ts, theirs);
    pj_thread.in_callback++;
    PyObject *result = PyObject_Call(callback, args, NULL);
    pj_thread.in_callback--;
    pj_imports_back(left, theirs);
    pj_levels_take(ts, HEADROOM);
    return result;
}

/* Signals wait until pijit has done its work, so that their handlers find the program's frames, and what they raise does not tear an import or a
 * compilation: those that come to this thread, but for those that tell of an error in it. Other threads are given some, and one may have come just
 * before: Python calls their handlers in its main thread, which this one is not taken to be meanwhile. */
typedef struct {
    sigset_t mask;
    unsigned long main; /* what the main thread is, 0 where this is another one */
} Held;

static Held hold_signals(void)
{
    static const int errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    Held held = {.main = _PyRuntime.main_thread};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        sigdelset(&all, errors[i]);
    }
    pthread_sigmask(SIG_BLOCK, &all, &held.mask);
    if (held.main == PyThread_get_thread_ident()) {
        _PyRuntime.main_thread = 0;
    }
    else {
        held.main = 0;
    }
    return held;
}

static void release_signals(Held held)
{
    if (held.main != 0) {
        _PyRuntime.main_thread = held.main;
        pj_signals_came(PyThreadState_Get());
    }
    pthread_sigmask(SIG_SETMASK, &held.mask, NULL);
}

/* Calls on_error with the text and the current exception, if any, which is cleared. Whatever that raises is printed as
 * unraisable. */
void pj_report(const char *what)
{
    PyObject *exc = pj_err_take();
    if (pj_on_error != NULL) {
        PyObject *callback = Py_NewRef(pj_on_error);
        PyObject *text;
        if (exc != NULL) {
            text = PyUnicode_FromFormat("%s: %s: %S", what, Py_TYPE(exc)->tp_name, exc);
        }
        else {
            text = PyUnicode_FromString(what);
        }
        if (text == NULL) {
            PyErr_Clear();
            text = PyUnicode_FromString(what);
        }
        pj_filter_watchers();
        Held held = hold_signals();
        pj_thread.in_callback++;
        PyObject *result = text == NULL ? NULL : PyObject_CallOneArg(callback, text);
        pj_thread.in_callback--;
        release_signals(held);
        if (result == NULL) {
            PyErr_WriteUnraisable(callback);
        }
        Py_XDECREF(result);
        Py_XDECREF(text);
        Py_DECREF(callback);
    }
    Py_XDECREF(exc);
}

/* Letting go of what the Python side has made runs Python code, of llvmlite's and of weakref's: nothing for a tracer or profiler of the program's,
 * nor for what its signal handlers raise. No exception may be set. */
void pj_let_go(PyObject **slot)
{
    if (*slot == NULL) {
        return;
    }
    const int error = errno;
    PyThreadState *ts = PyThreadState_Get();
    Held held = hold_signals();
    PyThreadState_EnterTracing(ts);
    pj_thread.in_callback++;
    Py_CLEAR(*slot);
    pj_thread.in_callback--;
    PyThreadState_LeaveTracing(ts);
    release_signals(held);
    errno = error;
}

/* Calls callback(*args); steals args (may be NULL with an exception). NULL: it failed and was reported. errno is the program's: C code may look at
 * it after Python code that it has called. */
static PyObject *call(PyObject *callback, PyObject *args, const char *name)
{
    const int error = errno;
    PyObject *result = NULL;
    Py_INCREF(callback);
    if (args != NULL) {
        Held held = hold_signals();
        int64_t start = pj_clock();
        result = pj_call_back(callback, args);
        pj_times.elsewhere += pj_clock() - start;
        release_signals(held);
        Py_DECREF(args);
    }
    if (result == NULL) {
        pj_report(name);
    }
    Py_DECREF(callback);
    errno = error;
    return result;
}

/* Runs as a pending call, which owns the exception. */
static int raise_now(void *exc)
{
    pj_err_give(exc);
    return -1;
}

/* What a signal's handler raised while a callback ran is raised when the main thread next looks at its signals, in the
 * program's code. Steals exc. */
void pj_raise_later(PyObject *exc)
{
    if (Py_AddPendingCall(raise_now, exc) < 0) {
        pj_err_give(exc);
        pj_report("too many pending calls");
    }
}

/* The int a callback returned, or `otherwise` when it failed or gave an exception to raise. Steals result. */
static int64_t number_of(PyObject *result, int64_t otherwise, const char *name)
{
    if (result == NULL) {
        return otherwise;
    }
    if (PyExceptionInstance_Check(result)) {
        pj_raise_later(result);
        return otherwise;
    }
    int64_t n = result == Py_None ? otherwise : PyLong_AsLongLong(result);
    if (n == -1 && PyErr_Occurred()) {
        pj_report(name);
        n = otherwise;
    }
    Py_DECREF(result);
    return n;
}

bool pj_call_on_frame(PyCodeObject *code, PyObject *globals)
{
    if (pj_on_frame == NULL) {
        return true;
    }
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    PyObject *exc = pj_err_take();
    PyObject *args = PyTuple_Pack(2, (PyObject *)code, globals);
    bool done = number_of(call(pj_on_frame, args, "on_frame failed"), 0, "on_frame failed") == 0;
    pj_err_give(exc);
    pj_collector_back(ts, left);
    return done;
}

/* Signals do not wait: this may take as long as a compilation in another thread. */
int pj_call_on_fork(void)
{
    if (pj_on_fork == NULL || !pj_in_main()) {
        return 0;
    }
    PyObject *nothing = PyTuple_New(0);
    if (nothing == NULL) {
        return -1;
    }
    PyObject *result = pj_call_back(pj_on_fork, nothing);
    Py_DECREF(nothing);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static PyObject *or_unset(PyObject *o)
{
    return Py_NewRef(o != NULL ? o : pj_unset);
}

/* Which objects of the stack nothing else refers to, as bits. */
static uint64_t alone_on_stack(PjFrame *f)
{
    uint64_t bits = 0;
    for (int i = 0, depth = pj_frame_depth(f); i < depth && i < 64; i++) {
        PyObject *o = pj_frame_stack(f)[i];
        bits |= (uint64_t)(o != NULL && pj_alone(o)) << i;
    }
    return bits;
}

/* (function, globals, builtins, f_locals or None, localsplus, stack, which of it are alone); of cells the contents. */
static PyObject *frame_view(PjRun *r, uint64_t alone)
{
    PjFrame *f = r->frame;
    PyCodeObject *code = pj_frame_code(f);
    int n = code->co_nlocalsplus, depth = pj_frame_depth(f);
    PyObject *locals = PyTuple_New(n), *stack = PyTuple_New(depth), *view = NULL;
    PyObject *bits = PyLong_FromUnsignedLongLong(alone);
    if (locals != NULL && stack != NULL && bits != NULL) {
        for (int i = 0; i < n; i++) {
            PyTuple_SET_ITEM(locals, i, or_unset(pj_local_value(r, i)));
        }
        for (int i = 0; i < depth; i++) {
            PyTuple_SET_ITEM(stack, i, or_unset(pj_frame_stack(f)[i]));
        }
        view = PyTuple_Pack(7, (PyObject *)pj_frame_function(f), f->f_globals, f->f_builtins,
                            f->f_locals != NULL ? f->f_locals : Py_None, locals, stack, bits);
    }
    Py_XDECREF(locals);
    Py_XDECREF(stack);
    Py_XDECREF(bits);
    return view;
}

static PyObject *failure_list(PjRun *r, PjPoint *point)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < point->count; i++) {
        PyObject *object;
        int row = pj_failure(r, point->fragments[i], &object);
        PyObject *item = Py_BuildValue("(OiO)", (PyObject *)point->fragments[i], row,
                                       object != NULL ? object : pj_unset);
        if (item == NULL || PyList_Append(list, item) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

/* How many misses to wait before asking again; 0: try the fragments now; -1: never ask. When the callback returns an
 * exception, r->exc is it. */
int64_t pj_call_on_entry(PjRun *r, PjPoint *point)
{
    if (pj_on_entry == NULL) {
        return -1;
    }
    pj_counters.entries_called++;
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    PyObject *exc = pj_err_take();
    uint64_t alone = alone_on_stack(r->frame); /* what follows refers to the objects; the failures first, as "sole" guards are walked again */
    PyObject *failures = failure_list(r, point);
    PyObject *view = failures == NULL ? NULL : frame_view(r, alone);
    PyObject *args = view == NULL ? NULL
                                      : Py_BuildValue("(OiOO)", (PyObject *)r->state, point->pc, view, failures);
    Py_XDECREF(view);
    Py_XDECREF(failures);
    PyObject *result = call(pj_on_entry, args, "on_entry failed");
    int64_t wait = -1;
    if (result != NULL && PyExceptionInstance_Check(result)) {
        r->exc = result; /* a "fullgraph" request that cannot be met is the user's to see */
        wait = 1;
    }
    else {
        wait = number_of(result, -1, "on_entry failed");
    }
    pj_err_give(exc);
    pj_collector_back(ts, left);
    return wait;
}

/* Sets the count at which on_exit is called again; never after a failure. No exception may be set. */
void pj_call_on_exit(PjRun *r, PjFragment *fragment, int index, PyObject *operand)
{
    PjExit *e = &fragment->exits[index];
    if (pj_on_exit == NULL || pj_thread.in_callback) {
        e->next = e->count + 1; /* the next time, then */
        return;
    }
    pj_counters.exits_called++;
    e->next = -1;
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    PyObject *args = Py_BuildValue("(OOiLO)", (PyObject *)(r->state != NULL ? (PyObject *)r->state : Py_None), (PyObject *)fragment, index,
                                   (long long)e->count, operand != NULL ? operand : pj_unset);
    int64_t next = number_of(call(pj_on_exit, args, "on_exit failed"), -1, "on_exit failed");
    e->next = next > e->count ? next : -1;
    pj_collector_back(ts, left);
}

/* Tells that a function is slower with its fragments, or f's loop natively. No exception may be set. */
void pj_call_on_trial(PjState *s, PjTrial *t, PjFragment *f)
{
    if (pj_thread.in_callback) {
        return; /* at the next call or burst, then */
    }
    t->on = t->slower = false;
    if (pj_on_trial == NULL) {
        return;
    }
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    PyObject *args = Py_BuildValue("(OiiO)", (PyObject *)s, t->won, t->lost, f != NULL ? (PyObject *)f : Py_None);
    number_of(call(pj_on_trial, args, "on_trial failed"), 0, "on_trial failed");
    pj_collector_back(ts, left);
}

/* Gives on the states that were met since the last tick. No exception may be set. */
void pj_call_on_tick(PyObject *states)
{
    if (pj_on_tick == NULL) {
        return;
    }
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    number_of(call(pj_on_tick, PyTuple_Pack(1, states), "on_tick failed"), 0, "on_tick failed");
    pj_collector_back(ts, left);
}
