/* follow.c - enabled functions without an installed hook (3.12+).
 *
 * A function that pijit may be concerned with gets a vectorcall of its own (own_call.c) when it is made, so that it is met at its
 * first call, and loses it once nothing of its code can run natively. The interpreter calls all others as if there were no
 * pijit: inlined and specialised. Code that is not called through a function, a module's or a class's body, gets the hook
 * for its one frame. */
#include "frame.h"

bool pj_following;
int pj_function_watcher = -1;

#if PJ_OWN_CALLS

#define NOT_PLAIN (CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)

/* Is a function with this code (NULL: its own) to be met at its calls? */
bool pj_concerns(PyFunctionObject *f, PyCodeObject *code)
{
    code = code != NULL ? code : (PyCodeObject *)f->func_code;
    PjExtra *extra = pj_code_extra(code, pj_extra_index);
    if (extra == NULL) {
        return pj_following && pj_watching && !(code->co_flags & NOT_PLAIN) && pj_is_watched(f->func_globals);
    }
    return extra->what == PJ_IS_STATE && !pj_state_idle(pj_state_of_extra(extra));
}

/* The body of a module or a class is about to run: the hook waits for its frame. */
static void await_body(PyFunctionObject *f)
{
    PyThreadState *ts = PyThreadState_Get();
    if (ts->interp->eval_frame == NULL && pj_thread.one_shot == NULL && !pj_traced_anywhere(ts->interp)) {
        pj_thread.one_shot = (PyObject *)f;
        ts->interp->eval_frame = pj_hook;
    }
}

static void consider(PyFunctionObject *f, PyCodeObject *code)
{
    if (!pj_concerns(f, code)) {
        return;
    }
    if (code->co_flags & CO_OPTIMIZED) {
        (void)pj_own_now((PyObject *)f); /* without memory it stays an ordinary one */
    }
    else {
        await_body(f);
    }
}

static int function_event(PyFunction_WatchEvent event, PyFunctionObject *f, PyObject *value)
{
    switch (event) {
    case PyFunction_EVENT_DESTROY:
        pj_own_gone(f);
        break;
    case PyFunction_EVENT_CREATE:
        if (pj_following && !pj_thread.in_callback) {
            consider(f, (PyCodeObject *)f->func_code);
        }
        break;
    case PyFunction_EVENT_MODIFY_CODE:
        consider(f, (PyCodeObject *)value);
        break;
    default:
        break;
    }
    return 0;
}

/* From here on functions are seen to come and go. 0; -1 without an exception: there are too many who watch. */
int pj_watch_functions(void)
{
    if (pj_function_watcher < 0 && (pj_function_watcher = PyFunction_AddWatcher(function_event)) < 0) {
        PyErr_Clear();
        return -1;
    }
    return 0;
}

/* 1: what is enabled is met without the hook; 0: that cannot be; -1 with an exception. */
int pj_follow(void)
{
    PyInterpreterState *interp = PyInterpreterState_Get();
    _PyFrameEvalFunction now = pj_get_eval(interp);
    if (!pj_in_main() || (now != NULL && now != pj_hook) || pj_watch_functions() < 0) {
        return 0;
    }
    if (pj_prepare() < 0) {
        return -1;
    }
    if (pj_thread.one_shot == NULL) {
        pj_rest();
    }
    pj_following = true;
    pj_own_switch(true);
    return 1;
}

static int meet_one(PyObject *o, void *ignored)
{
    (void)ignored;
    if (PJ_IS_FUNCTION(o)) {
        PyFunctionObject *f = (PyFunctionObject *)o;
        PyCodeObject *code = (PyCodeObject *)f->func_code;
        if (code->co_flags & CO_OPTIMIZED && pj_concerns(f, code)) {
            (void)pj_own_now(o);
        }
    }
    return 1;
}

/* The functions that were made before. */
int pj_meet(void)
{
    if (pj_following) {
        PyUnstable_GC_VisitObjects(meet_one, NULL);
    }
    return 0;
}

#else

int pj_follow(void)
{
    return 0;
}

int pj_meet(void)
{
    return 0;
}

#endif
