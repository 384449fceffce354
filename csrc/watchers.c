/* watchers.c - the program's watchers of functions and code objects (3.12+) are told of its own, not of what pijit makes and drops.
 *
 * Whoever watches is called for the functions of pijit's Python side too, and may be called with an exception set: a function whose
 * frame is left by one is gone at that moment. So a filter stands in each watcher's place while pijit is at work. */
#include "frame.h"

#if PJ_OWN_CALLS

#define SLOTS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

static PyFunction_WatchCallback function_watchers[FUNC_MAX_WATCHERS];
static PyCode_WatchCallback code_watchers[CODE_MAX_WATCHERS];

/* Which watcher it is shows in nothing that it is given: one filter per place. */
#define X(i)                                                                                                          \
    static int function_event_##i(PyFunction_WatchEvent event, PyFunctionObject *f, PyObject *value)                  \
    {                                                                                                                 \
        return pj_thread.in_callback ? 0 : function_watchers[i](event, f, value);                                     \
    }                                                                                                                 \
    static int code_event_##i(PyCodeEvent event, PyCodeObject *code)                                                  \
    {                                                                                                                 \
        return pj_thread.in_callback || pj_clone_record(code) != NULL ? 0 : code_watchers[i](event, code);            \
    }
SLOTS(X)
#undef X

#define X(i) function_event_##i,
static const PyFunction_WatchCallback function_filters[] = {SLOTS(X)};
#undef X
#define X(i) code_event_##i,
static const PyCode_WatchCallback code_filters[] = {SLOTS(X)};
#undef X

_Static_assert(sizeof(function_filters) == sizeof(function_watchers) && sizeof(code_filters) == sizeof(code_watchers),
               "one filter per watcher");

void pj_filter_watchers(void)
{
    PyInterpreterState *interp = PyInterpreterState_Main();
    for (int i = 0; i < FUNC_MAX_WATCHERS; i++) {
        PyFunction_WatchCallback now = interp->func_watchers[i];
        if (now != NULL && now != function_filters[i] && i != pj_function_watcher) {
            function_watchers[i] = now;
            interp->func_watchers[i] = function_filters[i];
        }
    }
    for (int i = 0; i < CODE_MAX_WATCHERS; i++) {
        PyCode_WatchCallback now = interp->code_watchers[i];
        if (now != NULL && now != code_filters[i]) {
            code_watchers[i] = now;
            interp->code_watchers[i] = code_filters[i];
        }
    }
}

#else

void pj_filter_watchers(void)
{
}

#endif
