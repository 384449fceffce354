/* exits.c - leaving native code: the frame, and those of inlined callees, become what the interpreter needs. */
#include <alloca.h>
#include "frame.h"
#include "recipes.h"

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

/* The result of a return exit without a frame. NULL without an exception: another kind of exit, or no memory; or a callback is due, which looks at
 * the frame, unless that may wait. */
PyObject *pj_return(PjExit *e, int64_t *W, bool may_wait)
{
    const bool due = e->count + 1 == e->next;
    if (e->kind != PJ_RETURN || e->nnames > 0 || (due && !may_wait)) {
        return NULL;
    }
    PyObject *result = build_shared(e, W) < 0 ? NULL : pj_build(e->result, W);
    if (result == NULL) {
        PyErr_Clear();
        return NULL;
    }
    e->count += !due;
    return result;
}

/* The same of a number that is a word; whether it is one. */
bool pj_return_raw(PjExit *e, int64_t *W, PjPassed as, int64_t *out)
{
    static const int kinds[] = {[PJ_INT] = R_INT, [PJ_FLOAT] = R_FLOAT, [PJ_BOOL] = R_BOOL};
    if (e->kind != PJ_RETURN || e->nnames > 0 || as > PJ_BOOL) {
        return false;
    }
    const bool came_in = e->result->op == R_INPUT;
    if ((came_in ? e->result->c : e->result->op) != kinds[as]) {
        return false;
    }
    *out = W[came_in ? e->result->b : e->result->a];
    e->count += e->count + 1 != e->next;
    return true;
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

/* What the instruction that is done again finds on top of the stack of its frame (borrowed), or NULL. */
static PyObject *operand_of(PjRun *r, PjExit *e, PjPending *pending)
{
    const int n = e->frames[e->nframes - 1].nstack;
    if (e->kind != PJ_REDO || n == 0) {
        return NULL;
    }
    return pending != NULL ? pending->values[e->nvalues - 1] : pj_frame_stack(r->frame)[n - 1];
}

/* Takes the exit. An exception must be set for a "raise" exit and only then. */
PjStep pj_apply_exit(PjRun *r, PjFragment *fragment, int index, int64_t *W)
{
    PjExit *e = &fragment->exits[index];
    e->count++;
    if (e->kind == PJ_RETURN) {
        PjStep step = apply_return(r, e, W);
        if (PJ_UNLIKELY(e->count == e->next) && r->result != NULL) {
            pj_call_on_exit(r, fragment, index, NULL);
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
        pj_call_on_exit(r, fragment, index, operand_of(r, e, pending)); /* other threads may run: all objects have been made */
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
