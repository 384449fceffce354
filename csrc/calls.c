/* calls.c - native code calls Python: at call sites, and as a whole where a fragment is a Python object. */
#include <alloca.h>
#include "frame.h"
#include "helpers.h"

/* ---- reading call sites ---- */

void pj_site_clear(PjSite *s)
{
    pj_recipe_free(s->callable);
    for (int i = 0; s->args != NULL && i < s->nargs; i++) {
        pj_recipe_free(s->args[i]);
    }
    PyMem_Free(s->args);
    Py_XDECREF(s->kwnames);
    for (int i = 0; s->chain != NULL && i < s->nlinks; i++) {
        pj_recipe_free(s->chain[i].function);
    }
    PyMem_Free(s->chain);
    pj_rows_free(s->rows);
}

int pj_site_args_parse(PjSite *s, PyObject *args, PyObject *names)
{
    PyObject *fast = PySequence_Fast(args, "arguments must be a sequence of recipes");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    s->args = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    for (Py_ssize_t i = 0; s->args != NULL && i < n; i++) {
        if ((s->args[i] = pj_recipe_new(PySequence_Fast_GET_ITEM(fast, i))) == NULL) {
            break;
        }
        s->nargs++;
    }
    Py_DECREF(fast);
    if (s->args == NULL) {
        PyErr_NoMemory();
    }
    if (PyErr_Occurred()) {
        return -1;
    }
    PyObject *tuple = names == Py_None ? PyTuple_New(0) : PySequence_Tuple(names);
    if (tuple == NULL) {
        return -1;
    }
    if (PyTuple_GET_SIZE(tuple) == 0) {
        Py_DECREF(tuple);
        return 0;
    }
    s->kwnames = tuple;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(tuple, i))) {
            PyErr_SetString(PyExc_TypeError, "keyword names must be str");
            return -1;
        }
    }
    if (PyTuple_GET_SIZE(tuple) > n) {
        PyErr_SetString(PyExc_ValueError, "more keyword names than arguments");
        return -1;
    }
    return 0;
}

static int site_chain_parse(PjSite *s, PyObject *chain)
{
    PyObject *fast = PySequence_Fast(chain, "the chain must be a sequence of (function recipe, pc)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    s->chain = PyMem_Calloc((size_t)n + 1, sizeof(PjLink));
    if (s->chain == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; s->chain != NULL && i < n; i++) {
        PyObject *function, *pair = PySequence_Fast_GET_ITEM(fast, i);
        PjLink *link = &s->chain[i];
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "Oi;a link is (function recipe, pc)", &function, &link->pc) ||
            (function != Py_None && (link->function = pj_recipe_new(function)) == NULL)) {
            break;
        }
        s->nlinks++;
        if ((i == 0) != (link->function == NULL)) {
            PyErr_SetString(PyExc_ValueError, "the outermost frame of a chain, and only it, has no function");
            break;
        }
    }
    Py_DECREF(fast);
    if (!PyErr_Occurred() && s->nlinks != n) {
        PyErr_SetString(PyExc_TypeError, "a link of a chain is a tuple (function recipe, pc)");
    }
    if (!PyErr_Occurred() && n == 0) {
        PyErr_SetString(PyExc_ValueError, "the chain of a call site needs the root frame");
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Fills a zeroed site; to be cleared by the caller also after a failure. */
int pj_site_parse(PjSite *s, PyObject *tuple)
{
    PyObject *callable, *args, *names, *chain, *rows;
    if (PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) > 0 && PyUnicode_Check(PyTuple_GET_ITEM(tuple, 0))) {
        const bool deed = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(tuple, 0), "do") == 0;
        return deed ? pj_deed_site_parse(s, tuple) : pj_object_site_parse(s, tuple);
    }
    if (!PyTuple_Check(tuple) ||
        !PyArg_ParseTuple(tuple, "OOOOOi;a call site is (callable, arguments, keyword names, chain, guards, root)",
                          &callable, &args, &names, &chain, &rows, &s->root)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "a call site is a tuple of six");
        }
        return -1;
    }
    if ((s->callable = pj_recipe_new(callable)) == NULL || pj_site_args_parse(s, args, names) < 0 ||
        site_chain_parse(s, chain) < 0 || (s->rows = pj_rows_new(rows, 1)) == NULL) {
        return -1;
    }
    return 0;
}

/* ---- calling ---- */

/* Builds callable and arguments into vector[1...]; vector[0] is left for the callee's use. Returns the number of
 * objects built (callable included); fewer than wanted: an exception is set. */
static int build_call(PjSite *s, int64_t *W, PyObject **vector, PyObject **callable)
{
    int n = 0;
    PjRecipe *c = s->callable;
    *callable = NULL;
    if (pj_recipe_is_bound(c)) {
        /* function and self apart: no method object is made */
        *callable = pj_build(c->kids[0], W);
        if (*callable == NULL || (vector[1] = pj_build(c->kids[1], W)) == NULL) {
            return 0;
        }
        n = 1;
    }
    else if ((*callable = pj_build(c, W)) == NULL) {
        return 0;
    }
    for (int i = 0; i < s->nargs; i++) {
        PyObject *arg = pj_build(s->args[i], W);
        if (arg == NULL) {
            return n;
        }
        vector[1 + n++] = arg;
    }
    return n;
}

/* Links the frames of the chain; 0 ok. The root frame gets its cells first: Python may look at it. */
static int link_chain(PjRun *r, PjSite *s, int64_t *W, PjFrame **shadows)
{
    if (r->fresh) {
        if (r->kinds != NULL && pj_frame_prologue(r->frame) < 0) {
            return -1;
        }
        r->fresh = false;
    }
    pj_frame_call_at(r->frame, s->chain[0].pc);
    pj_frame_link(r->ts, r->frame, r->prev);
    for (int i = 1; i < s->nlinks; i++) {
        PyObject *function = pj_build(s->chain[i].function, W);
        shadows[i] = NULL;
        if (function == NULL || !PJ_IS_FUNCTION(function)) {
            if (function != NULL) {
                Py_DECREF(function);
                PyErr_SetString(PyExc_SystemError, "pijit: a link of a chain is not a function");
            }
            return -1;
        }
        shadows[i] = pj_shadow_new(function, s->chain[i].pc, PJ_CURRENT(r->ts));
        Py_DECREF(function);
        if (shadows[i] == NULL) {
            return -1;
        }
        PJ_CURRENT(r->ts) = shadows[i];
    }
    return 0;
}

static void unlink_chain(PjRun *r, PjSite *s, PjFrame **shadows)
{
    for (int i = s->nlinks - 1; i > 0; i--) {
        if (shadows[i] != NULL) {
            PjFrame *before = shadows[i]->previous;
            PyObject *exc = pj_err_take(); /* clearing may run destructors */
            PJ_CURRENT(r->ts) = before;
            pj_shadow_free(r->ts, shadows[i]);
            pj_err_give(exc);
        }
    }
    PJ_CURRENT(r->ts) = r->frame;
}

static int64_t call(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *s = &r->fragment->sites[number];
    PyObject **vector = alloca(((size_t)s->nargs + 2) * sizeof(PyObject *));
    PjFrame **shadows = alloca(((size_t)s->nlinks + 1) * sizeof(PjFrame *));
    memset(shadows, 0, ((size_t)s->nlinks + 1) * sizeof(PjFrame *));
    PyObject *callable, *result = NULL;
    pj_drop_spare();
    pj_hold_inputs(r);
    int bound = pj_recipe_is_bound(s->callable);
    int n = build_call(s, W, vector, &callable);
    if (callable != NULL && n == s->nargs + bound) {
        if (link_chain(r, s, W, shadows) == 0) {
            size_t named = s->kwnames == NULL ? 0 : (size_t)PyTuple_GET_SIZE(s->kwnames);
            /* the keyword arguments are the last ones; vector[0] is free for the callee */
            result = PyObject_Vectorcall(callable, vector + 1,
                                         ((size_t)n - named) | PY_VECTORCALL_ARGUMENTS_OFFSET, s->kwnames);
        }
        unlink_chain(r, s, shadows);
    }
    else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, "pijit: the arguments of a call could not be built");
    }
    PyObject *exc = result == NULL ? pj_err_take() : NULL;
    for (int i = 0; i < n; i++) {
        Py_DECREF(vector[1 + i]);
    }
    Py_XDECREF(callable);
    if (result == NULL) {
        pj_err_give(exc);
        return 1;
    }
    PyObject *old = (PyObject *)(intptr_t)W[s->root];
    W[s->root] = (int64_t)(intptr_t)result;
    Py_XDECREF(old);
    PyObject **registers = alloca(((size_t)s->rows->registers + 1) * sizeof(PyObject *));
    registers[0] = result;
    if (pj_walk(s->rows, 0, r, registers, W) >= 0) {
        return 2;
    }
    /* The callee switched tracing on: what follows belongs to the tracer, so the frame goes on in the interpreter. */
    return pj_traced(r->ts, pj_frame_code(r->frame)) ? 2 : 0;
}

/* See docs/native.md. */
int64_t pj_call(int64_t *W, int64_t number)
{
    if (PJ_LIKELY(pj_times.runs == 0)) {
        return call(W, number);
    }
    const int64_t before = pj_times.in_numpy, start = pj_clock();
    int64_t status = call(W, number);
    pj_times.in_numpy = before + (pj_clock() - start); /* what was within is a part of it */
    return status;
}

static void call_along(PjLoop loop, char *const *data, const int64_t *lengths, const int64_t *steps, void *own, int64_t axes, const int64_t *outer)
{
    char *at[] = {data[0], data[1], data[2]};
    if (axes == 0) {
        loop(at, lengths, steps, own);
        return;
    }
    for (int64_t i = 0; i < outer[0]; i++) {
        call_along(loop, at, lengths, steps, own, axes - 1, outer + 4);
        for (int n = 0; n < 3; n++) {
            at[n] += outer[1 + n];
        }
    }
}

/* The same for a loop of NumPy's that takes two operands, with the floating-point flags cleared. It is called along further axes, the outermost
 * first; of each, how long it is and the steps of the operands and of the result. */
void pj_call_loop(PjLoop loop, char **data, const int64_t *lengths, const int64_t *steps, void *own, int64_t axes, const int64_t *outer)
{
    const bool timed = pj_times.runs != 0;
    const int64_t start = timed ? pj_clock() : 0;
    pj_fp_clear();
    call_along(loop, data, lengths, steps, own, axes, outer);
    if (timed) {
        pj_times.in_numpy += pj_clock() - start;
    }
}

/* ---- fragments that are Python objects ---- */

/* A native function that calls what its fragment keeps: keep(address of W) -> (exit, exception or None). Returns an exit
 * that does not exist when that fails; the caller reports it. */
int64_t pj_reference(int64_t *W)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    long long exit = -1;
    PyObject *exc = NULL;
    pj_hold_inputs(r);
    PyObject *args = Py_BuildValue("(n)", (Py_ssize_t)(intptr_t)W);
    PyObject *result = args == NULL ? NULL : pj_call_back(r->fragment->keep, args);
    Py_XDECREF(args);
    if (result == NULL || !PyArg_ParseTuple(result, "LO", &exit, &exc)) {
        Py_XDECREF(result);
        return -1; /* with an exception, which pj_report takes */
    }
    if (exc != Py_None) {
        PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    }
    Py_DECREF(result);
    return exit;
}
