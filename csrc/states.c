/* states.c - the Python type CodeState: what pijit knows of one code object. */
#include "pijit.h"
#include <structmember.h>

PjState *pj_state_lookup(PyCodeObject *code)
{
    PjExtra *x = pj_code_extra(code, pj_extra_index);
    if (x == NULL || x->what == PJ_IS_SEEN) {
        return NULL;
    }
    return x->what == PJ_IS_STATE ? pj_state_of_extra(x) : ((PjClone *)x)->state;
}

#define QUIET (1 << 16)

bool pj_state_idle(PjState *s)
{
    PjPoint *start = s->start;
    if (s->off || s->plan == NULL) {
        return true;
    }
    if (start != NULL && (start->count != 0 || start->wait >= 0)) {
        return false;
    }
    if (PJ_LIKELY(s->plan->patched != 0 && s->quiet < QUIET)) {
        return false;
    }
    for (PjPoint *p = s->points; s->plan->patched != 0 && p != NULL; p = p->next) {
        if (p->count != 0) {
            return false;
        }
    }
    return true;
}

static void state_dealloc(PyObject *self)
{
    PjState *s = (PjState *)self;
    PyObject *exc = pj_err_take();
    pj_sample_forget(s);
    pj_plan_retire(s->plan);
    while (s->points != NULL) {
        PjPoint *p = s->points;
        s->points = p->next;
        for (int i = 0; i < p->count; i++) {
            Py_DECREF(p->fragments[i]);
        }
        PyMem_Free(p->fragments);
        PyMem_Free(p);
    }
    pj_let_go(&s->data);
    pj_err_give(exc);
    PyObject_Free(self);
}

static bool state_alive(PjState *s)
{
    if (s->code == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the code object of this state is gone");
        return false;
    }
    return true;
}

static PyObject *state_set_entries(PyObject *self, PyObject *entries)
{
    PjState *s = (PjState *)self;
    if (!state_alive(s)) {
        return NULL;
    }
    PjPlan *plan = pj_plan_new(s, entries);
    if (plan == NULL) {
        return NULL;
    }
    for (PjPoint *p = s->points; p != NULL; p = p->next) {
        bool listed = false;
        for (int i = 0; i < plan->count; i++) {
            if (plan->entries[i].point == p) {
                /* a point that was an entry before keeps its countdown */
                if (!p->listed) {
                    p->wait = plan->entries[i].threshold > 0 ? plan->entries[i].threshold : 1;
                }
                listed = true;
                break;
            }
        }
        if (!listed) {
            p->wait = -1;
        }
        p->listed = listed;
    }
    s->start = NULL;
    for (int i = 0; i < plan->count; i++) {
        if (plan->entries[i].kind == PJ_START) {
            s->start = plan->entries[i].point;
        }
    }
    PjPlan *old = s->plan;
    s->plan = plan;
    s->every = 1;
    pj_plan_retire(old);
    Py_RETURN_NONE;
}

static PjPoint *point_argument(PjState *s, PyObject *args, PjFragment **fragment)
{
    int pc;
    PyObject *f;
    if (!PyArg_ParseTuple(args, "iO!", &pc, &PjFragment_Type, &f) || !state_alive(s)) {
        return NULL;
    }
    *fragment = (PjFragment *)f;
    return pj_point(s, pc, true);
}

static PyObject *state_add_fragment(PyObject *self, PyObject *args)
{
    PjFragment *f;
    PjPoint *p = point_argument((PjState *)self, args, &f);
    if (p == NULL) {
        return NULL;
    }
    /* the rows of a fragment may name slots: they must be slots of this code */
    for (int i = 0; i < f->rows->count; i++) {
        PjRow *row = &f->rows->rows[i];
        if ((row->op == PJ_GUARD_LOCAL || row->op == PJ_GUARD_UNSET) &&
            row->a >= ((PjState *)self)->code->co_nlocalsplus) {
            PyErr_Format(PyExc_ValueError, "guard row %d: the code has no slot %d", i, (int)row->a);
            return NULL;
        }
    }
    for (int i = 0; i < f->nexits; i++) {
        PjExit *e = &f->exits[i];
        PyCodeObject *code = ((PjState *)self)->code;
        if (e->nframes && (e->frames[0].pc < 0 || e->frames[0].pc >= Py_SIZE(code) ||
                           e->frames[0].nstack > code->co_stacksize)) {
            PyErr_Format(PyExc_ValueError, "exit %d does not fit the code", i);
            return NULL;
        }
    }
    PjFragment **list = PyMem_Realloc(p->fragments, ((size_t)p->count + 1) * sizeof(PjFragment *));
    if (list == NULL) {
        return PyErr_NoMemory();
    }
    p->fragments = list;
    list[p->count++] = (PjFragment *)Py_NewRef((PyObject *)f);
    ((PjState *)self)->every = 1;
    Py_RETURN_NONE;
}

static PyObject *state_remove_fragment(PyObject *self, PyObject *args)
{
    PjFragment *f;
    PjPoint *p = point_argument((PjState *)self, args, &f);
    if (p == NULL) {
        return NULL;
    }
    for (int i = 0; i < p->count; i++) {
        if (p->fragments[i] == f) {
            p->count--;
            memmove(&p->fragments[i], &p->fragments[i + 1], (size_t)(p->count - i) * sizeof(PjFragment *));
            Py_DECREF(f);
            Py_RETURN_NONE;
        }
    }
    PyErr_SetString(PyExc_ValueError, "the fragment is not there");
    return NULL;
}

/* The point of a pc, or NULL where there is none. False with an exception: no number. */
static bool point_at(PyObject *self, PyObject *pc, PjPoint **point)
{
    long n = PyLong_AsLong(pc);
    if (n == -1 && PyErr_Occurred()) {
        return false;
    }
    *point = pj_point((PjState *)self, (int)n, false);
    return true;
}

static PyObject *state_fragments(PyObject *self, PyObject *pc)
{
    PjPoint *p = NULL;
    if (!point_at(self, pc, &p)) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && p != NULL && i < p->count; i++) {
        if (PyList_Append(list, (PyObject *)p->fragments[i]) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *state_code(PyObject *self, void *closure)
{
    (void)closure;
    PyCodeObject *code = ((PjState *)self)->code;
    return Py_NewRef(code != NULL ? (PyObject *)code : Py_None);
}

static PyObject *state_mode(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(((PjState *)self)->off ? "off" : "on");
}

static int parse_mode(PyObject *mode, bool *off)
{
    if (PyUnicode_Check(mode) && PyUnicode_CompareWithASCIIString(mode, "on") == 0) {
        *off = false;
        return 0;
    }
    if (PyUnicode_Check(mode) && PyUnicode_CompareWithASCIIString(mode, "off") == 0) {
        *off = true;
        return 0;
    }
    PyErr_SetString(PyExc_ValueError, "mode must be 'on' or 'off'");
    return -1;
}

static int state_set_mode(PyObject *self, PyObject *mode, void *closure)
{
    (void)closure;
    PjState *s = (PjState *)self;
    bool off;
    if (mode == NULL || parse_mode(mode, &off) < 0) {
        if (mode == NULL) {
            PyErr_SetString(PyExc_AttributeError, "mode cannot be deleted");
        }
        return -1;
    }
    s->off = off || s->code == NULL;
    for (PjPoint *p = s->resting && !s->off ? s->points : NULL; p != NULL; p = p->next) {
        p->wait = p->wait > 1 ? 1 : p->wait; /* what they waited for has come */
    }
    s->resting = false;
    s->every = 1;
    return 0;
}

static PyObject *state_try_calls(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (!((PjState *)self)->trial.on) {
        pj_trial_of_calls((PjState *)self);
    }
    Py_RETURN_NONE;
}

static PyObject *state_rest(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    ((PjState *)self)->off = ((PjState *)self)->resting = true;
    Py_RETURN_NONE;
}

/* Seconds. */
static PyObject *state_took(PyObject *self, PyObject *pc)
{
    PjPoint *p = NULL;
    if (!point_at(self, pc, &p)) {
        return NULL;
    }
    return PyFloat_FromDouble(p != NULL ? 1e-9 * ((double)p->took + (double)(p->misses - p->laps) * (double)p->last) : 0.0);
}

static PyObject *state_misses(PyObject *self, PyObject *pc)
{
    PjPoint *p = NULL;
    if (!point_at(self, pc, &p)) {
        return NULL;
    }
    return PyLong_FromLongLong(p != NULL ? p->misses : 0);
}

static PyMethodDef state_methods[] = {
    {"set_entries", state_set_entries, METH_O, "set_entries([(pc, kind, target, depth, threshold)])"},
    {"add_fragment", state_add_fragment, METH_VARARGS, "add_fragment(pc, fragment)"},
    {"remove_fragment", state_remove_fragment, METH_VARARGS, "remove_fragment(pc, fragment)"},
    {"try_calls", state_try_calls, METH_NOARGS, "try_calls(): on_trial is told if its calls turn out to be slower than the interpreter's"},
    {"rest", state_rest, METH_NOARGS, "rest(): off until the mode is \"on\" again and wake() is called"},
    {"fragments", state_fragments, METH_O, "fragments(pc) -> list"},
    {"misses", state_misses, METH_O, "misses(pc) -> how often no fragment fitted there"},
    {"took", state_took, METH_O, "took(pc) -> about how many seconds the interpreter has taken from there on, where no fragment fitted"},
    {NULL},
};

static PyMemberDef state_members[] = {
    {"data", T_OBJECT_EX, offsetof(PjState, data), 0, "what Python keeps with the code object"},
    {"met", T_LONGLONG, offsetof(PjState, met), READONLY, "calls that were counted, or that others stand for"},
    {NULL},
};

static PyGetSetDef state_getset[] = {
    {"code", state_code, NULL, "the code object, or None once it is gone", NULL},
    {"mode", state_mode, state_set_mode, "'on' or 'off' (delegate at once)", NULL},
    {NULL},
};

PyTypeObject PjState_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pijit._native.CodeState",
    .tp_basicsize = sizeof(PjState),
    .tp_dealloc = state_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "What pijit knows of one code object.",
    .tp_methods = state_methods,
    .tp_members = state_members,
    .tp_getset = state_getset,
};

PyObject *pj_attach(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *code, *data, *mode = NULL;
    bool off = false;
    if (!PyArg_ParseTuple(args, "O!O|O:attach", &PyCode_Type, &code, &data, &mode) ||
        (mode != NULL && parse_mode(mode, &off) < 0)) {
        return NULL;
    }
    PyCodeObject *co = (PyCodeObject *)code;
    PjState *s = pj_state_lookup(co);
    if (s != NULL) {
        return Py_NewRef((PyObject *)s);
    }
    s = PyObject_New(PjState, &PjState_Type);
    if (s == NULL) {
        return NULL;
    }
    memset((char *)s + sizeof(PyObject), 0, sizeof(PjState) - sizeof(PyObject));
    s->extra.what = PJ_IS_STATE;
    s->every = 1;
    s->code = co;
    s->data = Py_NewRef(data);
    s->off = off || (co->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    s->kinds = co->co_ncellvars || co->co_nfreevars ? PyBytes_AS_STRING(co->co_localspluskinds) : NULL;
    if (pj_set_code_extra(co, pj_extra_index, &s->extra) < 0) {
        Py_DECREF(s);
        return NULL;
    }
    return Py_NewRef((PyObject *)s); /* the first reference is the code object's */
}

PyObject *pj_state_of(PyObject *module, PyObject *code)
{
    (void)module;
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "a code object is needed");
        return NULL;
    }
    PjState *s = pj_state_lookup((PyCodeObject *)code);
    return Py_NewRef(s != NULL ? (PyObject *)s : Py_None);
}
