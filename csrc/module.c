/* module.c - the Python face of pijit._native: CodeState, Fragment and the functions. */
#include "frame.h"
#include <structmember.h>

Py_ssize_t pj_extra_index;
PyObject *pj_unset;
int64_t pj_exit_threshold = 64;

PjState *pj_state_lookup(PyCodeObject *code)
{
    PjExtra *x = pj_code_extra(code, pj_extra_index);
    if (x == NULL || x->what == PJ_IS_SEEN) {
        return NULL;
    }
    return x->what == PJ_IS_STATE ? pj_state_of_extra(x) : ((PjClone *)x)->state;
}

/* ---- UNSET ---- */

static PyObject *unset_repr(PyObject *self)
{
    (void)self;
    return PyUnicode_FromString("UNSET");
}

static int unset_bool(PyObject *self)
{
    (void)self;
    return 0;
}

static PyNumberMethods unset_number = {.nb_bool = unset_bool};

static PyTypeObject Unset_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pijit._native.UnsetType",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = unset_repr,
    .tp_as_number = &unset_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The type of UNSET, which stands for an unbound variable or a NULL on the value stack.",
};

/* ---- Fragment ---- */

static void fragment_clear(PjFragment *f)
{
    pj_rows_free(f->rows);
    f->rows = NULL;
    for (int i = 0; f->exits != NULL && i < f->nexits; i++) {
        pj_exit_clear(&f->exits[i]);
    }
    PyMem_Free(f->exits);
    f->exits = NULL;
    for (int i = 0; f->sites != NULL && i < f->nsites; i++) {
        pj_site_clear(&f->sites[i]);
    }
    PyMem_Free(f->sites);
    f->sites = NULL;
    Py_CLEAR(f->texts);
    Py_CLEAR(f->keep);
    Py_CLEAR(f->data);
}

static void fragment_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject *exc = pj_err_take();
    fragment_clear((PjFragment *)self);
    pj_err_give(exc);
    type->tp_free(self);
}

static int check_rows(PjRows *rows, int nwords)
{
    for (int i = 0; i < rows->count; i++) {
        PjRow *row = &rows->rows[i];
        int extra = row->op == PJ_GUARD_RANGE_ITERATOR ? 3 : row->op == PJ_GUARD_COMPLEX || row->op == PJ_GUARD_NP;
        if (row->word + extra >= nwords) {
            PyErr_Format(PyExc_ValueError, "guard row %d writes behind the last word", i);
            return -1;
        }
    }
    return 0;
}

static int check_recipe(PjRecipe *r, int nwords)
{
    if (r != NULL && pj_recipe_words(r) >= nwords) {
        PyErr_SetString(PyExc_ValueError, "a recipe reads behind the last word");
        return -1;
    }
    return 0;
}

static int check_exit(PjExit *e, int nwords)
{
    if (check_recipe(e->result, nwords) < 0) {
        return -1;
    }
    for (int i = 0; i < e->nnames; i++) {
        if (check_recipe(e->name_recipes[i], nwords) < 0) {
            return -1;
        }
    }
    for (int i = 0; i < e->nshared; i++) {
        if (check_recipe(e->shared[i], nwords) < 0) {
            return -1;
        }
        if (e->shared_words[i] < 2 || e->shared_words[i] >= nwords) {
            PyErr_SetString(PyExc_ValueError, "the word of a shared object is not a word");
            return -1;
        }
    }
    for (int i = 0; i < e->nframes; i++) {
        PjExitFrame *f = &e->frames[i];
        for (int j = 0; j < f->nlocals; j++) {
            if (check_recipe(f->locals[j], nwords) < 0) {
                return -1;
            }
        }
        for (int j = 0; j < f->nstack; j++) {
            if (check_recipe(f->stack[j], nwords) < 0) {
                return -1;
            }
        }
        if (check_recipe(f->function, nwords) < 0) {
            return -1;
        }
    }
    return 0;
}

static int check_site(PjSite *s, int nwords)
{
    if ((s->nlinks > 0 || s->root != -1) && (s->root < 2 || s->root >= nwords)) {
        PyErr_SetString(PyExc_ValueError, "the root of a call site is not a word");
        return -1;
    }
    if (check_recipe(s->callable, nwords) < 0 || check_rows(s->rows, nwords) < 0) {
        return -1;
    }
    for (int i = 0; i < s->nargs; i++) {
        if (check_recipe(s->args[i], nwords) < 0) {
            return -1;
        }
    }
    for (int i = 0; i < s->nlinks; i++) {
        if (check_recipe(s->chain[i].function, nwords) < 0) {
            return -1;
        }
    }
    return 0;
}

static int fragment_fill(PjFragment *f, PyObject *guards, PyObject *exits, PyObject *sites)
{
    if ((f->rows = pj_rows_new(guards, 0)) == NULL || check_rows(f->rows, f->nwords) < 0) {
        return -1;
    }
    PyObject *fast = PySequence_Fast(exits, "exits must be a sequence");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    f->exits = PyMem_Calloc((size_t)n + 1, sizeof(PjExit));
    int bad = f->exits == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        f->nexits++;
        bad = pj_exit_parse(&f->exits[i], PySequence_Fast_GET_ITEM(fast, i)) < 0 ||
              check_exit(&f->exits[i], f->nwords) < 0;
    }
    Py_DECREF(fast);
    if (bad || (fast = PySequence_Fast(sites, "sites must be a sequence")) == NULL) {
        return -1;
    }
    n = PySequence_Fast_GET_SIZE(fast);
    f->sites = PyMem_Calloc((size_t)n + 1, sizeof(PjSite));
    bad = f->sites == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        f->nsites++;
        bad = pj_site_parse(&f->sites[i], PySequence_Fast_GET_ITEM(fast, i)) < 0 ||
              check_site(&f->sites[i], f->nwords) < 0;
    }
    Py_DECREF(fast);
    return bad ? -1 : 0;
}

static PyObject *fragment_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"address", "nwords", "roots_start", "nroots", "guards", "texts", "exits",
                            "sites",   "keep",   "data",        NULL};
    PyObject *address, *guards, *texts, *exits, *sites = NULL, *keep = Py_None, *data = Py_None;
    int nwords, roots_start, nroots;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OiiiOOO|OOO:Fragment", names, &address, &nwords, &roots_start,
                                     &nroots, &guards, &texts, &exits, &sites, &keep, &data)) {
        return NULL;
    }
    void *native = PyLong_AsVoidPtr(address);
    if (native == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "the address is null");
        }
        return NULL;
    }
    if (nwords < 2 || nwords > 1 << 24 || nroots < 0 || (nroots > 0 && roots_start < 2) ||
        roots_start + nroots > nwords) {
        PyErr_SetString(PyExc_ValueError, "the roots are not among the words");
        return NULL;
    }
    PjFragment *f = (PjFragment *)type->tp_alloc(type, 0);
    if (f == NULL) {
        return NULL;
    }
    f->native = (PjNative)native;
    f->nwords = nwords;
    f->roots_start = roots_start;
    f->nroots = nroots;
    f->texts = Py_NewRef(texts);
    f->keep = Py_NewRef(keep);
    f->data = Py_NewRef(data);
    PyObject *none = PyTuple_New(0);
    if (none == NULL || fragment_fill(f, guards, exits, sites == NULL || sites == Py_None ? none : sites) < 0) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        Py_XDECREF(none);
        Py_DECREF(f);
        return NULL;
    }
    Py_DECREF(none);
    return (PyObject *)f;
}

static PyObject *fragment_exits(PyObject *self, void *closure)
{
    (void)closure;
    PjFragment *f = (PjFragment *)self;
    PyObject *list = PyList_New(f->nexits);
    for (int i = 0; list != NULL && i < f->nexits; i++) {
        PyObject *n = PyLong_FromLongLong(f->exits[i].count);
        if (n == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, i, n);
        }
    }
    return list;
}

static PyMemberDef fragment_members[] = {
    {"hits", T_LONGLONG, offsetof(PjFragment, hits), READONLY, "times the guards held"},
    {"sampled", T_LONGLONG, offsetof(PjFragment, sampled), READONLY, "nanoseconds spent in the runs that were timed"},
    {"samples", T_LONGLONG, offsetof(PjFragment, samples), READONLY, "how many runs were timed"},
    {"misses", T_LONGLONG, offsetof(PjFragment, misses), READONLY, "times a guard failed"},
    {"data", T_OBJECT_EX, offsetof(PjFragment, data), 0, "what Python keeps with the fragment"},
    {"texts", T_OBJECT_EX, offsetof(PjFragment, texts), READONLY, "one text per guard row"},
    {NULL},
};

static PyGetSetDef fragment_getset[] = {
    {"exits", fragment_exits, NULL, "times each exit was taken", NULL},
    {NULL},
};

PyTypeObject PjFragment_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pijit._native.Fragment",
    .tp_basicsize = sizeof(PjFragment),
    .tp_dealloc = fragment_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "Native code with its guards, exits and call sites.",
    .tp_new = fragment_new,
    .tp_members = fragment_members,
    .tp_getset = fragment_getset,
};

/* ---- CodeState ---- */

static void state_dealloc(PyObject *self)
{
    PjState *s = (PjState *)self;
    PyObject *exc = pj_err_take();
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
    Py_CLEAR(s->data);
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

static PyObject *state_fragments(PyObject *self, PyObject *pc)
{
    long n = PyLong_AsLong(pc);
    if (n == -1 && PyErr_Occurred()) {
        return NULL;
    }
    PyObject *list = PyList_New(0);
    PjPoint *p = pj_point((PjState *)self, (int)n, false);
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
    return 0;
}

static PyMethodDef state_methods[] = {
    {"set_entries", state_set_entries, METH_O, "set_entries([(pc, kind, target, depth, threshold)])"},
    {"add_fragment", state_add_fragment, METH_VARARGS, "add_fragment(pc, fragment)"},
    {"remove_fragment", state_remove_fragment, METH_VARARGS, "remove_fragment(pc, fragment)"},
    {"fragments", state_fragments, METH_O, "fragments(pc) -> list"},
    {NULL},
};

static PyMemberDef state_members[] = {
    {"data", T_OBJECT_EX, offsetof(PjState, data), 0, "what Python keeps with the code object"},
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

/* ---- functions ---- */

static PyObject *attach(PyObject *module, PyObject *args)
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
    s->code = co;
    s->data = Py_NewRef(data);
    s->off = off || (co->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ITERABLE_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    s->kinds = co->co_ncellvars || co->co_nfreevars ? PyBytes_AS_STRING(co->co_localspluskinds) : NULL;
    if (pj_set_code_extra(code, pj_extra_index, &s->extra) < 0) {
        Py_DECREF(s);
        return NULL;
    }
    return Py_NewRef((PyObject *)s); /* the first reference is the code object's */
}

static PyObject *state_of(PyObject *module, PyObject *code)
{
    (void)module;
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "a code object is needed");
        return NULL;
    }
    PjState *s = pj_state_lookup((PyCodeObject *)code);
    return Py_NewRef(s != NULL ? (PyObject *)s : Py_None);
}

static PyObject *set_callbacks(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    static char *names[] = {"on_frame", "on_entry", "on_exit", "on_error", "exit_threshold", NULL};
    PyObject *given[4] = {NULL, NULL, NULL, NULL};
    PyObject **places[4] = {&pj_on_frame, &pj_on_entry, &pj_on_exit, &pj_on_error};
    long long threshold = pj_exit_threshold;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOOL:set_callbacks", names, &given[0], &given[1], &given[2],
                                     &given[3], &threshold)) {
        return NULL;
    }
    pj_exit_threshold = threshold;
    for (int i = 0; i < 4; i++) {
        if (given[i] != NULL) {
            PyObject *old = *places[i];
            *places[i] = given[i] == Py_None ? NULL : Py_NewRef(given[i]);
            Py_XDECREF(old);
        }
    }
    Py_RETURN_NONE;
}

static PyObject *watch_globals(PyObject *module, PyObject *dict)
{
    (void)module;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "globals must be a dict");
        return NULL;
    }
    return pj_watch(dict) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *unwatch_globals(PyObject *module, PyObject *dict)
{
    (void)module;
    return pj_unwatch(dict) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *watch_all(PyObject *module, PyObject *on)
{
    (void)module;
    int truth = PyObject_IsTrue(on);
    if (truth < 0) {
        return NULL;
    }
    pj_watch_all(truth);
    Py_RETURN_NONE;
}

static PyObject *install(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_install() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *rest(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_rest() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *own(PyObject *module, PyObject *function)
{
    (void)module;
    int done = pj_own(function);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

static PyObject *uninstall(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_uninstall() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *is_installed(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyBool_FromLong(pj_installed());
}

static PyObject *symbols(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_symbols();
}

static PyObject *current_errmask(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyLong_FromLongLong(pj_errmask());
}

static PyObject *set_forced_exit(PyObject *module, PyObject *n)
{
    (void)module;
    long long v = PyLong_AsLongLong(n);
    if (v == -1 && PyErr_Occurred()) {
        return NULL;
    }
    pj_forced = v;
    Py_RETURN_NONE;
}

static PyObject *get_forced_exit(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyLong_FromLongLong(pj_forced);
}

static PyObject *counters(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    const PjCounters *c = &pj_counters;
    return Py_BuildValue("{sLsLsLsLsLsLsLsLsLsLsLsLsLsL}", "crossings", (long long)c->crossings, "walks",
                         (long long)c->walks, "enabled", (long long)c->enabled, "delegated_plain",
                         (long long)c->delegated_plain, "delegated_off", (long long)c->delegated_off,
                         "delegated_generator", (long long)c->delegated_generator, "delegated_tracing",
                         (long long)c->delegated_tracing, "delegated_callback", (long long)c->delegated_callback,
                         "delegated_throw", (long long)c->delegated_throw, "delegated_overflow",
                         (long long)c->delegated_overflow, "rebuilt", (long long)c->rebuilt, "entries_called",
                         (long long)c->entries_called, "exits_called", (long long)c->exits_called, "clones",
                         (long long)c->clones);
}

static PyMethodDef functions[] = {
    {"attach", attach, METH_VARARGS, "attach(code, data, mode='on') -> CodeState"},
    {"state_of", state_of, METH_O, "state_of(code) -> CodeState or None"},
    {"set_callbacks", (PyCFunction)(void (*)(void))set_callbacks, METH_VARARGS | METH_KEYWORDS,
     "set_callbacks(*, on_frame, on_entry, on_exit, on_error, exit_threshold); None switches one off"},
    {"watch_globals", watch_globals, METH_O, "enables a namespace for on_frame"},
    {"unwatch_globals", unwatch_globals, METH_O, "disables a namespace for on_frame"},
    {"watch_all", watch_all, METH_O, "enables every namespace for on_frame"},
    {"install", install, METH_NOARGS, "installs the frame evaluation hook"},
    {"uninstall", uninstall, METH_NOARGS, "removes the frame evaluation hook"},
    {"rest", rest, METH_NOARGS, "removes the hook, but not what functions that were given to own() have"},
    {"own", own, METH_O, "lets calls of a function reach pijit without an installed hook; False where that cannot be (3.11)"},
    {"installed", is_installed, METH_NOARGS, "is the hook installed?"},
    {"symbols", symbols, METH_NOARGS, "{name: address} of what native code may call"},
    {"current_errmask", current_errmask, METH_NOARGS, "NumPy's error state: 0 the default, -1 unknown"},
    {"field", pj_field_of, METH_VARARGS, "field(object, name): what an instance holds, read without running Python, or UNSET"},
    {"set_forced_exit", set_forced_exit, METH_O, "sets the counter that generated code may count down"},
    {"get_forced_exit", get_forced_exit, METH_NOARGS, "what is left of the counter"},
    {"counters", counters, METH_NOARGS, "{what: how often}"},
    {NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pijit._native",
    .m_doc = "Frames, guards, boxing and exits; see docs/native.md.",
    .m_size = -1,
    .m_methods = functions,
};

static int check_version(void)
{
    if (Py_Version >> 16 != PY_VERSION_HEX >> 16) {
        PyErr_Format(PyExc_ImportError,
                     "pijit._native was built for Python %d.%d; pijit supports CPython 3.11, 3.12 and 3.13",
                     PY_MAJOR_VERSION, PY_MINOR_VERSION);
        return -1;
    }
    return 0;
}

PyMODINIT_FUNC PyInit__native(void)
{
    if (check_version() < 0 || pj_box_init() < 0 || pj_hook_init() < 0 || PyType_Ready(&Unset_Type) < 0 ||
        PyType_Ready(&PjFragment_Type) < 0 || PyType_Ready(&PjState_Type) < 0) {
        return NULL;
    }
    if (pj_unset == NULL) {
        pj_unset = PyObject_New(PyObject, &Unset_Type);
        pj_extra_index = pj_request_extra_index(pj_extra_free);
        if (pj_unset == NULL || pj_extra_index < 0) {
            PyErr_SetString(PyExc_ImportError, "pijit: no place is left for data on code objects");
            return NULL;
        }
        pj_errstate_init();
    }
    PyObject *m = PyModule_Create(&module_def);
    if (m == NULL) {
        return NULL;
    }
    PyObject *supported = Py_BuildValue("((ii)(ii)(ii))", 3, 11, 3, 12, 3, 13);
    int bad = supported == NULL || PyModule_AddObjectRef(m, "SUPPORTED", supported) < 0 ||
              PyModule_AddIntConstant(m, "OWN_CALLS", PJ_OWN_CALLS) < 0 ||
              PyModule_AddObjectRef(m, "UNSET", pj_unset) < 0 ||
              PyModule_AddObjectRef(m, "CodeState", (PyObject *)&PjState_Type) < 0 ||
              PyModule_AddObjectRef(m, "Fragment", (PyObject *)&PjFragment_Type) < 0;
    Py_XDECREF(supported);
    if (bad) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
