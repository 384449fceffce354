/* watch.c - what must never see a clone: trace functions, profilers, monitoring tools, and frame.f_code. */
#include "frame.h"

/* ---- tracing ---- */

static int review(void *ignored)
{
    (void)ignored;
    pj_review_tracing();
    return 0;
}

/* Also for tracers in C, which call PyEval_SetTrace. What is pending may be served too early, by an audit hook in Python:
 * pj_hook looks again when it meets tracing. */
static int audit(const char *event, PyObject *args, void *data)
{
    (void)args;
    (void)data;
    if (event[0] == 's' && event[1] == 'y' &&
        (strcmp(event, "sys.settrace") == 0 || strcmp(event, "sys.setprofile") == 0)) {
        pj_restore_all();
        Py_AddPendingCall(review, NULL); /* once it is done; a full queue only means that the hook stays and delegates */
    }
    /* before CPython looks who wants to be called when it forks: what is imported meanwhile may be one of them */
    return strncmp(event, "os.fork", 7) == 0 ? pj_call_on_fork() : 0;
}

/* The functions that switch tracing on and off are wrapped in place: through their method definitions, which every
 * reference to them shares. */
enum { SETTRACE, SETPROFILE, SETTRACE_ALL, SETPROFILE_ALL, SETTERS };
static const char *const setter_names[SETTERS] = {"settrace", "setprofile", "_settraceallthreads",
                                                  "_setprofileallthreads"};
static PyCFunction plain_setters[SETTERS];

static PyObject *set_tracer(int which, PyObject *module, PyObject *function)
{
    PyObject *result = plain_setters[which](module, function);
    pj_review_tracing();
    return result;
}

#define SETTER(name, which)                                                                                           \
    static PyObject *name(PyObject *module, PyObject *function)                                                       \
    {                                                                                                                 \
        return set_tracer(which, module, function);                                                                   \
    }
SETTER(set_trace, SETTRACE)
SETTER(set_profile, SETPROFILE)
SETTER(set_trace_all, SETTRACE_ALL)
SETTER(set_profile_all, SETPROFILE_ALL)
static const PyCFunction own_setters[SETTERS] = {set_trace, set_profile, set_trace_all, set_profile_all};

/* Puts `own` in the place of a function in C of this name that is called with these flags; *plain is the one that was there. A
 * function of another kind, or none, is left alone. */
static void wrap(PyObject *function, const char *name, int flags, PyCFunction own, PyCFunction *plain)
{
    if (function == NULL || !PyCFunction_Check(function) || PyCFunction_GET_FLAGS(function) != flags) {
        return;
    }
    PyMethodDef *def = ((PyCFunctionObject *)function)->m_ml;
    if (def->ml_meth != own && strcmp(def->ml_name, name) == 0) {
        *plain = def->ml_meth;
        def->ml_meth = own;
    }
}

/* An audit hook makes id() three times as dear, and nobody but pijit may want to know: then its own does what is left. */
static PyCFunction plain_id;

static PyObject *own_id(PyObject *module, PyObject *value)
{
    return pj_only_audit_hook(audit) ? PyLong_FromVoidPtr(value) : plain_id(module, value);
}

static void wrap_id(void)
{
    PyObject *builtins = PyEval_GetBuiltins(); /* borrowed */
    wrap(builtins != NULL ? PyDict_GetItemString(builtins, "id") : NULL, "id", METH_O, own_id, &plain_id);
}

#if PJ_MONITORING
/* sys.monitoring raises no audit event. */
typedef PyObject *(*FastMethod)(PyObject *, PyObject *const *, Py_ssize_t);

static PyCFunction plain_set_events, plain_set_local_events;

static inline PyObject *call_fast(PyCFunction method, PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return ((FastMethod)(void (*)(void))method)(module, args, nargs);
}

static PyObject *set_events(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    pj_restore_all();
    PyObject *result = call_fast(plain_set_events, module, args, nargs);
    pj_review_tracing();
    return result;
}

static PyObject *set_local_events(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    pj_restore_all();
    if (nargs != 3 || !PyCode_Check(args[1])) {
        return call_fast(plain_set_local_events, module, args, nargs);
    }
    /* events asked for a clone are meant for the original, and those of the original for the frames on clones too */
    PyCodeObject *original = pj_original_of((PyCodeObject *)args[1]);
    PyObject *codes = pj_clones_of(original);
    PyObject *result = codes == NULL ? NULL : Py_NewRef(Py_None);
    for (Py_ssize_t i = -1; result != NULL && i < PyList_GET_SIZE(codes); i++) {
        PyObject *const changed[3] = {args[0], i < 0 ? (PyObject *)original : PyList_GET_ITEM(codes, i), args[2]};
        Py_SETREF(result, call_fast(plain_set_local_events, module, changed, nargs));
    }
    Py_XDECREF(codes);
    return result;
}

/* -1 with an exception. */
static int wrap_monitoring(void)
{
    PyObject *monitoring = PySys_GetObject("monitoring"); /* borrowed */
    if (monitoring == NULL) {
        return 0;
    }
    PyObject *events = PyObject_GetAttrString(monitoring, "set_events");
    PyObject *local = events == NULL ? NULL : PyObject_GetAttrString(monitoring, "set_local_events");
    if (local != NULL) {
        wrap(events, "set_events", METH_FASTCALL, (PyCFunction)(void (*)(void))set_events, &plain_set_events);
        wrap(local, "set_local_events", METH_FASTCALL, (PyCFunction)(void (*)(void))set_local_events, &plain_set_local_events);
    }
    Py_XDECREF(events);
    Py_XDECREF(local);
    return local == NULL ? -1 : 0;
}
#endif

/* Sees to it that clones are restored before any tracing begins. Idempotent; cannot be undone. */
int pj_guard_tracing(void)
{
    static bool done;
    if (done) {
        return 0;
    }
#if PJ_MONITORING
    if (wrap_monitoring() < 0) {
        return -1;
    }
#endif
    for (int i = 0; i < SETTERS; i++) {
        wrap(PySys_GetObject(setter_names[i]), setter_names[i], METH_O, own_setters[i], &plain_setters[i]);
    }
    if (PySys_AddAuditHook(audit, NULL) < 0) {
        return -1;
    }
    wrap_id();
    done = true;
    return 0;
}

/* ---- attributes of frames ---- */

static getter plain_f_code;
static setter plain_f_trace, plain_f_trace_opcodes;

/* frame.f_code of a frame on a clone reads as the original. */
static PyObject *f_code(PyObject *frame, void *closure)
{
    PyObject *code = plain_f_code(frame, closure);
    if (code != NULL && PyCode_Check(code)) {
        PyCodeObject *original = pj_original_of((PyCodeObject *)code);
        if ((PyObject *)original != code) {
            Py_INCREF(original);
            Py_DECREF(code);
            return (PyObject *)original;
        }
    }
    return code;
}

/* Both may instrument the frame's code object at once, before any tracing is on (pdb does that). */
static int set_f_trace(PyObject *frame, PyObject *value, void *closure)
{
    pj_restore_all();
    return plain_f_trace(frame, value, closure);
}

static int set_f_trace_opcodes(PyObject *frame, PyObject *value, void *closure)
{
    pj_restore_all();
    return plain_f_trace_opcodes(frame, value, closure);
}

/* Puts the functions above in the place of the plain ones. Idempotent; is not undone. */
int pj_patch_frame_type(void)
{
    int found = 0;
    for (PyGetSetDef *def = PyFrame_Type.tp_getset; def != NULL && def->name != NULL; def++) {
        if (strcmp(def->name, "f_code") == 0) {
            found++;
            if (def->get != f_code) {
                plain_f_code = def->get;
                def->get = f_code;
            }
        }
        else if (strcmp(def->name, "f_trace") == 0) {
            found++;
            if (def->set != set_f_trace) {
                plain_f_trace = def->set;
                def->set = set_f_trace;
            }
        }
        else if (strcmp(def->name, "f_trace_opcodes") == 0 && def->set != set_f_trace_opcodes) {
            plain_f_trace_opcodes = def->set; /* a plain member before 3.12: nothing is instrumented then */
            def->set = set_f_trace_opcodes;
        }
    }
    if (found != 2) {
        PyErr_SetString(PyExc_SystemError, "frame objects are not as expected");
        return -1;
    }
    return 0;
}
