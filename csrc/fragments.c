/* fragments.c - the Python type Fragment: native code with its guards, exits and call sites. */
#include "pijit.h"

#include "numpy_api.h"
#include <structmember.h>

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
    pj_let_go(&f->keep);
    pj_let_go(&f->data);
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
        bool two_words = row->op == PJ_GUARD_COMPLEX || (row->op == PJ_GUARD_NP && row->a == NPY_CDOUBLE);
        int extra = row->op == PJ_GUARD_RANGE_ITERATOR ? 3 : two_words;
        if (row->word + extra >= nwords) {
            PyErr_Format(PyExc_ValueError, "guard row %d writes behind the last word", i);
            return -1;
        }
    }
    return 0;
}

static int check_recipe(PjRecipe *r, int nwords, const int16_t *inputs)
{
    if (r != NULL && pj_recipe_words(r) >= nwords) {
        PyErr_SetString(PyExc_ValueError, "a recipe reads behind the last word");
        return -1;
    }
    if (r != NULL) {
        pj_recipe_bind(r, inputs);
    }
    return 0;
}

/* For each word the register that a guard row unboxes it from, or -1: where recipes are to give the originals. */
static int16_t *inputs_of(const PjRows *rows, int nwords, bool originals)
{
    int16_t *inputs = PyMem_Malloc((size_t)nwords * sizeof(int16_t));
    for (int i = 0; inputs != NULL && i < nwords; i++) {
        inputs[i] = -1;
    }
    for (int i = 0; inputs != NULL && originals && i < rows->count; i++) {
        const PjRow *row = &rows->rows[i];
        if (row->op == PJ_GUARD_INT || row->op == PJ_GUARD_FLOAT || row->op == PJ_GUARD_COMPLEX || row->op == PJ_GUARD_NP) {
            inputs[row->word] = row->reg;
        }
    }
    return inputs;
}

static int check_exit(PjExit *e, int nwords, const int16_t *inputs)
{
    if (check_recipe(e->result, nwords, inputs) < 0) {
        return -1;
    }
    for (int i = 0; i < e->nnames; i++) {
        if (check_recipe(e->name_recipes[i], nwords, inputs) < 0) {
            return -1;
        }
    }
    for (int i = 0; i < e->nshared; i++) {
        if (check_recipe(e->shared[i], nwords, inputs) < 0) {
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
            if (check_recipe(f->locals[j], nwords, inputs) < 0) {
                return -1;
            }
        }
        for (int j = 0; j < f->nstack; j++) {
            if (check_recipe(f->stack[j], nwords, inputs) < 0) {
                return -1;
            }
        }
        if (check_recipe(f->function, nwords, inputs) < 0 || check_recipe(f->then_args, nwords, inputs) < 0) {
            return -1;
        }
    }
    return 0;
}

static int check_site(PjSite *s, int nwords, const int16_t *inputs)
{
    if ((s->nlinks > 0 || s->root != -1) && (s->root < 2 || s->root >= nwords)) {
        PyErr_SetString(PyExc_ValueError, "the root of a call site is not a word");
        return -1;
    }
    if (check_recipe(s->callable, nwords, inputs) < 0 || (s->rows != NULL && check_rows(s->rows, nwords) < 0)) {
        return -1;
    }
    for (int i = 0; i < s->nargs; i++) {
        if (check_recipe(s->args[i], nwords, inputs) < 0) {
            return -1;
        }
    }
    for (int i = 0; i < s->nlinks; i++) {
        if (check_recipe(s->chain[i].function, nwords, inputs) < 0) {
            return -1;
        }
    }
    return 0;
}

static int fill_exits(PjFragment *f, PyObject *exits, PyObject *sites, const int16_t *inputs)
{
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
              check_exit(&f->exits[i], f->nwords, inputs) < 0;
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
              check_site(&f->sites[i], f->nwords, inputs) < 0;
    }
    Py_DECREF(fast);
    return bad ? -1 : 0;
}

/* Whether a row is the first that looks at its register, and gives native code what is there. */
static bool passes(PjParameter *p, const PjRow *row)
{
    PjPassed as = row->op == PJ_GUARD_INT ? PJ_INT : row->op == PJ_GUARD_FLOAT ? PJ_FLOAT : row->op == PJ_GUARD_BOOL ? PJ_BOOL : PJ_OBJECT;
    if (p->as != PJ_UNUSED || (as == PJ_OBJECT && row->op != PJ_GUARD_OBJECT && row->op != PJ_GUARD_ANY)) {
        return false;
    }
    p->as = as;
    p->word = row->word;
    p->type = row->op == PJ_GUARD_OBJECT ? (PyTypeObject *)row->object : NULL;
    return true;
}

/* What differs from call to call of a function that calls itself, if that is no more than how its parameters are passed. */
static void find_parameters(PjFragment *f)
{
    f->direct = pj_run_words(f, true) <= PJ_STACK_WORDS;
    f->inputs_end = 2;
    for (int i = 0; i < PJ_OWN_ARGUMENTS; i++) {
        f->parameters[i] = (PjParameter){PJ_UNUSED, -1, -1, NULL, false};
    }
    for (int i = 0; i < f->rows->count && f->direct; i++) {
        const PjRow *row = &f->rows->rows[i];
        if (row->word + 2 > f->inputs_end) {
            f->inputs_end = row->word + 2 < f->nwords ? row->word + 2 : f->nwords;
        }
        if (row->op == PJ_GUARD_LOCAL) {
            f->direct = row->a < PJ_OWN_ARGUMENTS && f->parameters[row->a].reg < 0;
            if (f->direct) {
                f->parameters[row->a].reg = row->target;
            }
            continue;
        }
        for (int k = 0; k < PJ_OWN_ARGUMENTS && f->direct; k++) {
            PjParameter *p = &f->parameters[k];
            if (p->reg >= 0 && (row->reg == p->reg || row->op == PJ_GUARD_APART) && !passes(p, row)) {
                p->same = true;
                f->direct = p->as == PJ_OBJECT || p->as == PJ_UNUSED;
            }
        }
    }
}

static int fragment_fill(PjFragment *f, PyObject *guards, PyObject *exits, PyObject *sites, bool originals)
{
    if ((f->rows = pj_rows_new(guards, 0)) == NULL || check_rows(f->rows, f->nwords) < 0) {
        return -1;
    }
    int16_t *inputs = inputs_of(f->rows, f->nwords, originals);
    if (inputs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int filled = fill_exits(f, exits, sites, inputs);
    PyMem_Free(inputs);
    find_parameters(f);
    return filled;
}

static PyObject *fragment_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"address", "nwords", "roots_start", "nroots", "guards", "texts", "exits",
                            "sites",   "keep",   "data",        "repeatable", "originals", "counts", NULL};
    PyObject *address, *guards, *texts, *exits, *sites = NULL, *keep = Py_None, *data = Py_None;
    int nwords, roots_start, nroots, repeatable = 0, originals = 0, counts = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OiiiOOO|OOOppp:Fragment", names, &address, &nwords, &roots_start,
                                     &nroots, &guards, &texts, &exits, &sites, &keep, &data, &repeatable, &originals,
                                     &counts)) {
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
    f->counts = counts && f->native != pj_reference;
    if (f->counts) {
        pj_turns_allow(f);
    }
    f->texts = Py_NewRef(texts);
    f->keep = Py_NewRef(keep);
    f->data = Py_NewRef(data);
    PyObject *none = PyTuple_New(0);
    if (none == NULL || fragment_fill(f, guards, exits, sites == NULL || sites == Py_None ? none : sites, originals) < 0) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        Py_XDECREF(none);
        Py_DECREF(f);
        return NULL;
    }
    Py_DECREF(none);
    f->repeatable = repeatable && f->native != pj_reference; /* which is Python */
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
    {"sampled", T_LONGLONG, offsetof(PjFragment, sampled), READONLY, "nanoseconds spent in the runs that were timed, but for what they called in NumPy"},
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
