/* exits.c - leaving native code: the frame, and those of inlined callees, become what the interpreter needs. */
#include <alloca.h>
#include "frame.h"

/* ---- parsing ---- */

static void exit_frame_clear(PjExitFrame *f)
{
    pj_recipe_free(f->function);
    for (int i = 0; f->locals != NULL && i < f->nlocals; i++) {
        pj_recipe_free(f->locals[i]);
    }
    for (int i = 0; f->stack != NULL && i < f->nstack; i++) {
        pj_recipe_free(f->stack[i]);
    }
    PyMem_Free(f->slots);
    PyMem_Free(f->locals);
    PyMem_Free(f->stack);
    Py_XDECREF(f->then);
    pj_recipe_free(f->then_args);
}

void pj_exit_clear(PjExit *e)
{
    for (int i = 0; e->frames != NULL && i < e->nframes; i++) {
        exit_frame_clear(&e->frames[i]);
    }
    PyMem_Free(e->frames);
    for (int i = 0; i < e->nnames; i++) {
        Py_XDECREF(e->names[i]);
        pj_recipe_free(e->name_recipes[i]);
    }
    PyMem_Free(e->names);
    PyMem_Free(e->name_recipes);
    pj_recipe_free(e->result);
    for (int i = 0; i < e->nshared; i++) {
        pj_recipe_free(e->shared[i]);
    }
    PyMem_Free(e->shared);
    PyMem_Free(e->shared_words);
}

static int exit_frame_parse(PjExitFrame *f, PyObject *tuple)
{
    PyObject *function, *locals, *stack, *then = NULL, *then_args = NULL;
    if (!PyTuple_Check(tuple) ||
        !PyArg_ParseTuple(tuple, "OiO!O|(OO);a frame is (function, pc, locals, stack[, (then, arguments)])", &function,
                          &f->pc, &PyDict_Type, &locals, &stack, &then, &then_args)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "a frame is a tuple (function, pc, locals, stack)");
        }
        return -1;
    }
    if (then != NULL) {
        f->then = Py_NewRef(then);
        if ((f->then_args = pj_recipe_new(then_args)) == NULL) {
            return -1;
        }
    }
    if (function != Py_None && (f->function = pj_recipe_new(function)) == NULL) {
        return -1;
    }
    Py_ssize_t n = PyDict_GET_SIZE(locals), pos = 0;
    f->slots = PyMem_Calloc((size_t)n + 1, sizeof(int));
    f->locals = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    PyObject *fast = PySequence_Fast(stack, "the stack must be a sequence of recipes");
    if (fast == NULL) {
        return -1;
    }
    f->stack = PyMem_Calloc((size_t)PySequence_Fast_GET_SIZE(fast) + 1, sizeof(PjRecipe *));
    if (f->slots == NULL || f->locals == NULL || f->stack == NULL) {
        Py_DECREF(fast);
        PyErr_NoMemory();
        return -1;
    }
    PyObject *slot, *recipe;
    while (PyDict_Next(locals, &pos, &slot, &recipe)) {
        long s = PyLong_AsLong(slot);
        if ((s == -1 && PyErr_Occurred()) || s < 0 || s > INT32_MAX ||
            (f->locals[f->nlocals] = pj_recipe_new(recipe)) == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ValueError, "a slot is out of range");
            }
            Py_DECREF(fast);
            return -1;
        }
        f->slots[f->nlocals++] = (int)s;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); i++) {
        if ((f->stack[f->nstack] = pj_recipe_new(PySequence_Fast_GET_ITEM(fast, i))) == NULL) {
            Py_DECREF(fast);
            return -1;
        }
        f->nstack++;
    }
    Py_DECREF(fast);
    return 0;
}

static int exit_names_parse(PjExit *e, PyObject *names)
{
    PyObject *fast = PySequence_Fast(names, "names must be a sequence of (name, recipe)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->names = PyMem_Calloc((size_t)n + 1, sizeof(PyObject *));
    e->name_recipes = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    int bad = e->names == NULL || e->name_recipes == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        PyObject *name, *recipe, *pair = PySequence_Fast_GET_ITEM(fast, i);
        bad = !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "UO;a name is (name, recipe)", &name, &recipe) ||
              (e->name_recipes[i] = pj_recipe_new(recipe)) == NULL;
        if (!bad) {
            e->names[i] = Py_NewRef(name);
            PyUnicode_InternInPlace(&e->names[i]);
            e->nnames++;
        }
    }
    Py_DECREF(fast);
    if (bad && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "names must be a sequence of tuples (name, recipe)");
    }
    return bad ? -1 : 0;
}

static int exit_shared_parse(PjExit *e, PyObject *shared)
{
    PyObject *fast = PySequence_Fast(shared, "shared objects must be a sequence of (recipe, word)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->shared = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    e->shared_words = PyMem_Calloc((size_t)n + 1, sizeof(int));
    int bad = e->shared == NULL || e->shared_words == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        PyObject *recipe, *pair = PySequence_Fast_GET_ITEM(fast, i);
        bad = !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "Oi;a shared object is (recipe, word)", &recipe, &e->shared_words[i]) ||
              (e->shared[i] = pj_recipe_new(recipe)) == NULL;
        e->nshared += !bad;
    }
    Py_DECREF(fast);
    if (bad && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "shared objects must be a sequence of tuples (recipe, word)");
    }
    return bad ? -1 : 0;
}

/* Fills a zeroed exit; what was filled in is to be cleared by the caller also after a failure. */
int pj_exit_parse(PjExit *e, PyObject *tuple)
{
    static const char *const kinds[] = {"return", "redo", "continue", "raise", "poll"};
    const char *kind;
    PyObject *frames, *names, *result, *shared = NULL;
    if (!PyTuple_Check(tuple) || !PyArg_ParseTuple(tuple, "sOOO|O;an exit is (kind, frames, names, result[, shared])", &kind,
                                                   &frames, &names, &result, &shared)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "an exit is a tuple (kind, frames, names, result)");
        }
        return -1;
    }
    int k = 0;
    while (k < 5 && strcmp(kind, kinds[k]) != 0) {
        k++;
    }
    if (k == 5) {
        PyErr_Format(PyExc_ValueError, "unknown kind of exit '%s'", kind);
        return -1;
    }
    e->kind = (PjExitKind)k;
    PyObject *fast = PySequence_Fast(frames, "frames must be a sequence");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->frames = PyMem_Calloc((size_t)n + 1, sizeof(PjExitFrame));
    if (e->frames == NULL) {
        Py_DECREF(fast);
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PjExitFrame *f = &e->frames[e->nframes++];
        if (exit_frame_parse(f, PySequence_Fast_GET_ITEM(fast, i)) < 0) {
            Py_DECREF(fast);
            return -1;
        }
        if ((i == 0) != (f->function == NULL)) {
            PyErr_SetString(PyExc_ValueError, "the outermost frame of an exit, and only it, has no function");
            Py_DECREF(fast);
            return -1;
        }
        if (i > 0) {
            e->nvalues += 1 + f->nlocals + f->nstack + (f->then != NULL);
        }
    }
    Py_DECREF(fast);
    if (names != Py_None && exit_names_parse(e, names) < 0) {
        return -1;
    }
    if (shared != NULL && exit_shared_parse(e, shared) < 0) {
        return -1;
    }
    if (result != Py_None && (e->result = pj_recipe_new(result)) == NULL) {
        return -1;
    }
    if (e->kind == PJ_RETURN ? e->result == NULL : e->nframes == 0) {
        PyErr_SetString(PyExc_ValueError,
                        e->kind == PJ_RETURN ? "a return exit needs a result" : "an exit needs its frames");
        return -1;
    }
    e->next = pj_exit_threshold;
    return 0;
}

/* ---- writing frames ---- */

/* Builds one object per recipe; on failure releases them all and leaves the exception set. */
static int build_all(PjRecipe **list, int n, PyObject **values, int64_t *W)
{
    for (int i = 0; i < n; i++) {
        values[i] = pj_build(list[i], W);
        if (values[i] == NULL && !pj_recipe_keeps(list[i]) && !pj_recipe_empty(list[i])) {
            if (!PyErr_Occurred()) {
                PyErr_BadInternalCall();
            }
            while (i > 0) {
                i--;
                Py_XDECREF(values[i]);
            }
            return -1;
        }
    }
    return 0;
}

/* Builds what is used several times into its roots, which whoever owns W releases. 0 or -1 with an exception. */
static int build_shared(PjExit *e, int64_t *W)
{
    for (int i = 0; i < e->nshared; i++) {
        PyObject *o = pj_build(e->shared[i], W);
        if (o == NULL) {
            return -1;
        }
        PyObject *old = (PyObject *)(intptr_t)W[e->shared_words[i]];
        W[e->shared_words[i]] = (int64_t)(intptr_t)o;
        Py_XDECREF(old);
    }
    return 0;
}

/* Moves the objects into the frame. The old ones go to `old` (nlocals + old depth places), whose used length is
 * returned; -1 when a cell could not be made (the frame is complete, some value may be lost). */
static int write_frame(PjFrame *f, PjExitFrame *spec, PyObject **locals, PyObject **stack, PyObject **old)
{
    PyCodeObject *code = pj_frame_code(f);
    const char *kinds = code->co_ncellvars || code->co_nfreevars ? PyBytes_AS_STRING(code->co_localspluskinds) : NULL;
    PyObject **slots = pj_frame_slots(f);
    int used = 0, bad = 0;
    for (int i = 0; i < spec->nlocals; i++) {
        if (pj_recipe_keeps(spec->locals[i])) {
            continue;
        }
        if (locals[i] == pj_keep) {
            Py_DECREF(pj_keep);
            continue;
        }
        int slot = spec->slots[i];
        if (slot >= code->co_nlocalsplus) {
            Py_XDECREF(locals[i]);
            continue;
        }
        PyObject **place = &slots[slot];
        if (kinds != NULL && (kinds[slot] & (CO_FAST_CELL | CO_FAST_FREE)) && !pj_recipe_in_cell(spec->locals[i])) {
            if (*place == NULL && locals[i] != NULL) {
                *place = PyCell_New(NULL);
                if (*place == NULL) {
                    PyErr_Clear();
                    Py_DECREF(locals[i]);
                    bad = 1;
                    continue;
                }
            }
            if (*place != NULL && PyCell_Check(*place)) {
                place = &((PyCellObject *)*place)->ob_ref;
            }
        }
        old[used++] = *place;
        *place = locals[i];
    }
    PyObject **base = pj_frame_stack(f);
    int depth = pj_frame_depth(f);
    for (int i = 0; i < spec->nstack || i < depth; i++) {
        PyObject *before = i < depth ? base[i] : NULL;
        if (i >= spec->nstack) {
            old[used++] = before;
        }
        else if (!pj_recipe_keeps(spec->stack[i])) {
            old[used++] = before;
            base[i] = stack[i];
        }
        else if (i >= depth) {
            base[i] = NULL;
        }
    }
    pj_frame_set_depth(f, spec->nstack);
    return bad ? -1 : used;
}

static void release(PyObject **old, int used)
{
    while (used > 0) {
        used--;
        Py_XDECREF(old[used]);
    }
}

/* Stores names of a module or class body. 0 or -1 with an exception. */
static int store_names(PjFrame *f, PjExit *e, PyObject **values)
{
    PyObject *locals = f->f_locals;
    int bad = 0;
    for (int i = 0; i < e->nnames; i++) {
        PyObject *value = values[i];
        if (locals == NULL || bad) {
            Py_XDECREF(value);
            continue;
        }
        if (value != NULL) {
            bad = PyObject_SetItem(locals, e->names[i], value) < 0;
            Py_DECREF(value);
        }
        else if (!pj_recipe_keeps(e->name_recipes[i]) && PyObject_DelItem(locals, e->names[i]) < 0) {
            if (PyErr_ExceptionMatches(PyExc_KeyError)) {
                PyErr_Clear();
            }
            else {
                bad = 1;
            }
        }
    }
    return bad ? -1 : 0;
}

void pj_pending_free(PjPending *p)
{
    for (int i = p->used; i < p->exit->nvalues; i++) {
        Py_XDECREF(p->values[i]);
    }
    Py_XDECREF(p->exc);
    Py_DECREF(p->fragment);
    PyMem_Free(p);
}

/* Builds the objects of all frames but the root. NULL with an exception. */
static PjPending *pending_new(PjFragment *fragment, PjExit *e, int64_t *W)
{
    PjPending *p = PyMem_Calloc(1, sizeof(PjPending) + (size_t)e->nvalues * sizeof(PyObject *));
    if (p == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    p->fragment = (PjFragment *)Py_NewRef((PyObject *)fragment);
    p->exit = e;
    p->index = 1;
    int n = 0;
    for (int i = 1; i < e->nframes; i++) {
        PjExitFrame *f = &e->frames[i];
        if (f->then != NULL) {
            if (build_all(&f->then_args, 1, &p->values[n], W) < 0) {
                goto error;
            }
            n++;
        }
        if (build_all(&f->function, 1, &p->values[n], W) < 0) {
            goto error;
        }
        n++;
        if (build_all(f->locals, f->nlocals, &p->values[n], W) < 0) {
            goto error;
        }
        n += f->nlocals;
        if (build_all(f->stack, f->nstack, &p->values[n], W) < 0) {
            goto error;
        }
        n += f->nstack;
    }
    return p;
error:
    for (int i = n; i < e->nvalues; i++) {
        p->values[i] = NULL; /* build_all released what it had built of the part that failed */
    }
    pj_pending_free(p);
    return NULL;
}

/* What happens after the innermost frame stands at r->pc. Takes over exc. */
static PjStep after_exit(PjRun *r, PjExitKind kind, PyObject *exc)
{
    if (kind == PJ_RAISE) {
        r->exc = exc;
        return PJ_STEP_THROW;
    }
    if (kind == PJ_REDO) {
        return PJ_STEP_GO;
    }
    if (kind == PJ_POLL && *pj_breaker(r->ts) != 0) {
        pj_frame_call_at(r->frame, r->pc);
        pj_frame_link(r->ts, r->frame, r->prev);
        int bad = pj_serve(r->ts);
        pj_frame_unlink(r->ts, r->prev);
        if (bad) {
            r->exc = pj_err_take();
            return PJ_STEP_THROW;
        }
        if (*pj_breaker(r->ts) != 0) {
            return PJ_STEP_GO; /* the interpreter must look: see pj_serve */
        }
    }
    if (r->state != NULL) {
        r->point = pj_point(r->state, r->pc, false);
        if (r->point != NULL) {
            return PJ_STEP_TRY;
        }
    }
    return PJ_STEP_GO;
}

/* The result of a return exit without a frame. NULL without an exception: another kind of exit, or no memory. */
PyObject *pj_return(PjExit *e, int64_t *W)
{
    if (e->kind != PJ_RETURN || e->nnames > 0 || e->count + 1 == e->next) {
        return NULL; /* the last: a callback is due, and looks at the frame */
    }
    PyObject *result = build_shared(e, W) < 0 ? NULL : pj_build(e->result, W);
    if (result == NULL) {
        PyErr_Clear();
        return NULL;
    }
    e->count++;
    return result;
}

static PjStep apply_return(PjRun *r, PjExit *e, int64_t *W)
{
    PyObject **values = alloca((size_t)(e->nnames + 1) * sizeof(PyObject *));
    int collects = pj_keep_from_collecting();
    PyObject *result = build_shared(e, W) < 0 ? NULL : pj_build(e->result, W);
    if (result == NULL && !PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    if (result != NULL && build_all(e->name_recipes, e->nnames, values, W) < 0) {
        Py_CLEAR(result);
    }
    pj_let_collect(collects);
    if (result != NULL && store_names(r->frame, e, values) < 0) {
        Py_CLEAR(result);
    }
    if (e->nframes > 0) {
        pj_frame_call_at(r->frame, e->frames[0].pc); /* the line that a kept frame object shows */
    }
    PyObject *exc = result == NULL ? pj_err_take() : NULL;
    pj_frame_finish(r->ts, r->frame, r->prev);
    if (exc != NULL) {
        pj_err_give(exc);
    }
    r->result = result;
    return PJ_STEP_DONE;
}

/* Takes the exit. An exception must be set for a "raise" exit and only then. */
PjStep pj_apply_exit(PjRun *r, PjFragment *fragment, int index, int64_t *W)
{
    PjExit *e = &fragment->exits[index];
    e->count++;
    if (e->kind == PJ_RETURN) {
        PjStep step = apply_return(r, e, W);
        if (PJ_UNLIKELY(e->count == e->next) && r->result != NULL) {
            pj_call_on_exit(r, fragment, index);
        }
        return step;
    }
    PyObject *exc = NULL;
    if (e->kind == PJ_RAISE) {
        exc = pj_err_take();
        if (exc == NULL) {
            PyErr_SetString(PyExc_SystemError, "pijit: a raise exit without an exception");
            exc = pj_err_take();
        }
    }
    bool due = PJ_UNLIKELY(e->count == e->next) && e->kind != PJ_POLL;
    e->next += due; /* should this exit fail, the next time */
    PjExitFrame *root = &e->frames[0];
    PyObject **locals = alloca((size_t)(root->nlocals + root->nstack + e->nnames + 1) * sizeof(PyObject *));
    PyObject **stack = locals + root->nlocals;
    PyObject **names = stack + root->nstack;
    PjPending *pending = NULL;
    r->pc = root->pc;
    int built = 0, collects = pj_keep_from_collecting();
    if ((r->fresh && r->kinds != NULL && pj_frame_prologue(r->frame) < 0) || build_shared(e, W) < 0 ||
        build_all(root->locals, root->nlocals, locals, W) < 0) {
        goto failed;
    }
    built = 1;
    if (build_all(root->stack, root->nstack, stack, W) < 0) {
        goto failed;
    }
    built = 2;
    if (build_all(e->name_recipes, e->nnames, names, W) < 0) {
        goto failed;
    }
    built = 3;
    if (e->nframes > 1 && (pending = pending_new(fragment, e, W)) == NULL) {
        goto failed;
    }
    pj_let_collect(collects);
    r->fresh = false;
    PyObject **old = alloca((size_t)(root->nlocals + root->nstack + pj_frame_depth(r->frame) + 1) * sizeof(PyObject *));
    int used = write_frame(r->frame, root, locals, stack, old);
    if (used > 0 || e->nnames > 0) {
        /* names are stored and old values released with the frame complete and current: both may run Python */
        pj_frame_call_at(r->frame, r->pc);
        pj_frame_link(r->ts, r->frame, r->prev);
        int bad = store_names(r->frame, e, names);
        release(old, used);
        pj_frame_unlink(r->ts, r->prev);
        if (bad) {
            Py_XDECREF(exc);
            if (pending != NULL) {
                pj_pending_free(pending);
            }
            r->exc = pj_err_take();
            return PJ_STEP_THROW;
        }
    }
    if (due) {
        pj_call_on_exit(r, fragment, index); /* other threads may run: all objects have been made */
    }
    if (pending != NULL) {
        pending->exc = exc;
        r->pending = pending;
        return PJ_STEP_CALLEE;
    }
    return after_exit(r, e->kind, exc);
failed:
    /* Out of memory while the objects were built: the frame is as it was, and the error is raised in it. */
    pj_let_collect(collects);
    r->fresh = false;
    Py_XDECREF(exc);
    r->exc = pj_err_take();
    if (built > 0) {
        release(locals, root->nlocals);
    }
    if (built > 1) {
        release(stack, root->nstack);
    }
    if (built > 2) {
        release(names, e->nnames);
    }
    return PJ_STEP_THROW;
}

/* on_entry asked for r->exc to be raised where the frame stands. */
PjStep pj_raise_at_entry(PjRun *r, int pc)
{
    if (r->fresh && r->kinds != NULL && pj_frame_prologue(r->frame) < 0) {
        PyErr_Clear();
    }
    r->fresh = false;
    r->pc = pc;
    return PJ_STEP_THROW;
}

/* Turns the fresh frame of a rebuilt callee, called with placeholders, into the one the exit describes. Takes over
 * `pending`. */
PjStep pj_fill_frame(PjRun *r, PjPending *pending)
{
    PjFrame *f = r->frame;
    PjExit *e = pending->exit;
    PjExitFrame *spec = &e->frames[pending->index++];
    PyObject **slots = pj_frame_slots(f);
    for (int i = 0; i < pj_frame_code(f)->co_nlocalsplus; i++) {
        Py_CLEAR(slots[i]);
    }
    pj_frame_set_depth(f, 0);
    r->fresh = false;
    r->pc = spec->pc;
    PyObject **locals = &pending->values[pending->used];
    if (pj_frame_prologue(f) < 0) {
        r->exc = pj_err_take();
        pj_pending_free(pending);
        return PJ_STEP_THROW;
    }
    PyObject **old = alloca((size_t)(spec->nlocals + spec->nstack + 1) * sizeof(PyObject *));
    int used = write_frame(f, spec, locals, locals + spec->nlocals, old);
    pending->used += spec->nlocals + spec->nstack;
    release(old, used);
    if (pending->index < e->nframes) {
        r->pending = pending;
        return PJ_STEP_CALLEE;
    }
    PyObject *exc = pending->exc;
    pending->exc = NULL;
    PjExitKind kind = e->kind;
    pj_pending_free(pending);
    return after_exit(r, kind, exc);
}
