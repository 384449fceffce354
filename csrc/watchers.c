/* watchers.c - the program's audit hooks, and its watchers of functions and code objects (3.12+), are told of what it does, not of
 * what pijit does meanwhile: an audit hook may raise, and what it raises is to stop the program, not pijit.
 *
 * Whoever watches functions may be called with an exception set, too: one whose frame is left by it is gone at that moment.
 * So a filter stands in the place of each. */
#include "frame.h"

/* ---- audit hooks in Python: callables in a list that nothing but sys.addaudithook() adds to ---- */

typedef struct {
    PyObject_HEAD
    PyObject *hook;
} AuditFilter;

static void filter_dealloc(PyObject *self)
{
    Py_DECREF(((AuditFilter *)self)->hook);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *filter_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    return pj_thread.in_callback ? Py_NewRef(Py_None) : PyObject_Call(((AuditFilter *)self)->hook, args, kwargs);
}

/* CPython asks each hook for __cantrace__, which may be code of the program's as well. */
static PyObject *filter_attribute(PyObject *self, PyObject *name)
{
    if (pj_thread.in_callback) {
        PyErr_SetObject(PyExc_AttributeError, name);
        return NULL;
    }
    return PyObject_GetAttr(((AuditFilter *)self)->hook, name);
}

static PyTypeObject filter_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pijit._native.AuditFilter",
    .tp_basicsize = sizeof(AuditFilter),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = filter_dealloc,
    .tp_call = filter_call,
    .tp_getattro = filter_attribute,
};

/* A hook stays as it is when there is no memory for its filter. */
static void filter_audit_hooks(void)
{
    PyObject *hooks = PyInterpreterState_Main()->audit_hooks;
    for (Py_ssize_t i = hooks == NULL || PyType_Ready(&filter_type) < 0 ? 0 : PyList_GET_SIZE(hooks); i-- > 0;) {
        PyObject *hook = PyList_GET_ITEM(hooks, i);
        AuditFilter *filter = Py_IS_TYPE(hook, &filter_type) ? NULL : PyObject_New(AuditFilter, &filter_type);
        if (filter != NULL) {
            filter->hook = hook; /* the list's reference */
            PyList_SET_ITEM(hooks, i, (PyObject *)filter);
        }
    }
    PyErr_Clear();
}

#if PJ_OWN_CALLS

/* ---- watchers ---- */

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

static void filter_watchers(void)
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

static void filter_watchers(void)
{
}

#endif

void pj_filter_watchers(void)
{
    filter_audit_hooks();
    filter_watchers();
}
