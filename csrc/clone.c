/* clone.c - private copies of code objects that leave the interpreter at entries, and the plans they are made from.
 *
 * Invariants:
 * 1. A clone has the layout of its original: every pc, line and handler is valid in both.
 * 2. The set of patched instructions of a clone never grows; new entries make a new plan with new clones.
 * 3. A plan is owned by the records of its clones and, while it is the newest, by its state, which then also owns the
 *    clones. A retired plan lets its clones go: they live as long as frames run on them. */
#include "pijit.h"

PjExtra pj_seen = {PJ_IS_SEEN};

/* All clones: those that leave at entries, and those that tracing has made plain copies. */
static PjClone *living[2];
enum { PATCHED, RESTORED };

static void list_add(PjClone *clone)
{
    PjClone **head = &living[clone->patched ? PATCHED : RESTORED];
    clone->prev = NULL;
    clone->next = *head;
    if (*head != NULL) {
        (*head)->prev = clone;
    }
    *head = clone;
}

static void list_remove(PjClone *clone)
{
    if (clone->prev != NULL) {
        clone->prev->next = clone->next;
    }
    else {
        living[clone->patched ? PATCHED : RESTORED] = clone->next;
    }
    if (clone->next != NULL) {
        clone->next->prev = clone->prev;
    }
}

PyCodeObject *pj_original_of(PyCodeObject *code)
{
    PjClone *clone = pj_in_main() ? pj_clone_record(code) : NULL; /* what others put on a code object is no business of ours */
    return clone != NULL && clone->state != NULL && clone->state->code != NULL ? clone->state->code : code;
}

static void plan_release(PjPlan *plan)
{
    if (--plan->refs == 0) {
        PyMem_Free(plan->entries);
        PyMem_Free(plan->index);
        Py_XDECREF(plan->base);
        PyMem_Free(plan);
    }
}

static void drop_variants(PjPlan *plan)
{
    plan->nvariants = 0;
    for (int i = 0; i < plan->count; i++) {
        Py_CLEAR(plan->entries[i].variant);
    }
}

/* Lets the clones of a plan go; the caller gives up its reference to the plan. */
void pj_plan_retire(PjPlan *plan)
{
    if (plan == NULL) {
        return;
    }
    Py_CLEAR(plan->full);
    plan->full_clone = NULL;
    drop_variants(plan);
    plan_release(plan);
}

static inline uint8_t base_opcode(PyObject *base, int pc)
{
    return ((uint8_t *)PyBytes_AS_STRING(base))[2 * pc];
}

static inline uint8_t base_oparg(PyObject *base, int pc)
{
    return ((uint8_t *)PyBytes_AS_STRING(base))[2 * pc + 1];
}

static int base_units(PyObject *base)
{
    return (int)(PyBytes_GET_SIZE(base) / 2);
}

/* The instruction at pc behind its prefixes: its opcode, and the pc after it and its caches (the units with opcode
 * CACHE, 0, in co_code). 3.11: PRECALL and CALL are one call. */
static int decode(PyObject *base, int pc, int *next)
{
    int units = base_units(base), op = base_opcode(base, pc);
    while (pc + 1 < units && PJ_IS_PREFIX(op)) {
        op = base_opcode(base, ++pc);
    }
    pc++;
    while (pc < units && base_opcode(base, pc) == CACHE) {
        pc++;
    }
    *next = pc;
    return PJ_IS_PRECALL(op) && pc < units ? decode(base, pc, next) : op;
}

/* The opcode behind the prefixes at pc: what a traceback shows. */
int pj_skip_prefixes(PyCodeObject *original, int pc)
{
    int units = (int)Py_SIZE(original);
    while (pc + 1 < units && PJ_IS_PREFIX(pj_opcode_at(original, pc))) {
        pc++;
    }
    return pc;
}

int pj_next_pc(PyCodeObject *original, int pc)
{
    PyObject *base = PyCode_GetCode(original);
    int next = pc + 1;
    if (base == NULL) {
        PyErr_Clear();
        return next;
    }
    decode(base, pc, &next);
    Py_DECREF(base);
    return next;
}

/* ---- plans ---- */

static int entry_parse(PjEntry *e, PyObject *tuple, PyObject *base)
{
    const char *kind;
    int pc, target, depth;
    long long threshold;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "an entry is a tuple (pc, kind, target, depth, threshold)");
        return -1;
    }
    PyObject *t = PyTuple_GET_SIZE(tuple) == 5 ? PyTuple_GET_ITEM(tuple, 2) : NULL;
    PyObject *ignored;
    if (!PyArg_ParseTuple(tuple, "isOiL;an entry is (pc, kind, target, depth, threshold)", &pc, &kind, &ignored,
                          &depth, &threshold)) {
        return -1;
    }
    target = t == Py_None ? pc : (int)PyLong_AsLong(t);
    if (target == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (strcmp(kind, "start") == 0) {
        e->kind = PJ_START;
    }
    else if (strcmp(kind, "jump") == 0) {
        e->kind = PJ_JUMP;
    }
    else if (strcmp(kind, "after") == 0) {
        e->kind = PJ_AFTER;
    }
    else {
        PyErr_Format(PyExc_ValueError, "unknown kind of entry '%s'", kind);
        return -1;
    }
    int units = base_units(base);
    if (pc < 0 || pc >= units || target < 0 || target >= units || depth < 0 || base_opcode(base, pc) == CACHE) {
        PyErr_Format(PyExc_ValueError, "entry at %d: no such instruction", pc);
        return -1;
    }
    e->target = e->kind == PJ_JUMP ? target : pc;
    while (pc > 0 && PJ_IS_PREFIX(base_opcode(base, pc - 1))) {
        pc--; /* never between a prefix and its instruction: what the prefix sets would be lost */
    }
    e->pc = pc;
    e->opcode = decode(base, pc, &e->next);
    e->conditional = PJ_IS_CONDITIONAL(e->opcode);
    e->depth = depth;
    e->threshold = threshold;
    return 0;
}

/* New plan with one reference, or NULL with an exception; the state is not changed but for new points. */
PjPlan *pj_plan_new(PjState *state, PyObject *entries)
{
    PyObject *fast = PySequence_Fast(entries, "entries must be a sequence");
    if (fast == NULL) {
        return NULL;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    PjPlan *plan = PyMem_Calloc(1, sizeof(PjPlan));
    PyObject *base = PyCode_GetCode(state->code);
    if (plan != NULL && base != NULL && n < INT16_MAX) {
        plan->refs = 1;
        plan->base = Py_NewRef(base);
        plan->units = base_units(base);
        plan->entries = PyMem_Calloc((size_t)n + 1, sizeof(PjEntry));
        plan->index = PyMem_Malloc(((size_t)plan->units + 1) * sizeof(int16_t));
    }
    if (plan == NULL || plan->entries == NULL || plan->index == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        goto error;
    }
    for (int i = 0; i < plan->units; i++) {
        plan->index[i] = -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PjEntry *e = &plan->entries[i];
        if (entry_parse(e, PySequence_Fast_GET_ITEM(fast, i), base) < 0) {
            goto error;
        }
        e->point = pj_point(state, e->target, true);
        if (e->point == NULL) {
            goto error;
        }
        if (e->kind != PJ_START) {
            plan->index[e->pc] = (int16_t)i;
            plan->patched++;
        }
        plan->count++;
    }
    for (int i = 0; i < plan->count; i++) {
        plan->entries[i].lands = pj_plan_entry(plan, plan->entries[i].target) != NULL;
    }
    Py_DECREF(base);
    Py_DECREF(fast);
    return plan;
error:
    if (plan != NULL && plan->refs) {
        plan_release(plan);
    }
    else {
        PyMem_Free(plan);
    }
    Py_XDECREF(base);
    Py_DECREF(fast);
    return NULL;
}

/* The same entries again with no clones made: after tracing restored the old ones. NULL: no memory. */
static PjPlan *plan_again(PjPlan *old)
{
    PjPlan *plan = PyMem_Calloc(1, sizeof(PjPlan));
    PjEntry *entries = PyMem_Malloc(((size_t)old->count + 1) * sizeof(PjEntry));
    int16_t *index = PyMem_Malloc(((size_t)old->units + 1) * sizeof(int16_t));
    if (plan == NULL || entries == NULL || index == NULL) {
        PyMem_Free(plan);
        PyMem_Free(entries);
        PyMem_Free(index);
        return NULL;
    }
    *plan = *old;
    memcpy(entries, old->entries, (size_t)old->count * sizeof(PjEntry));
    memcpy(index, old->index, (size_t)old->units * sizeof(int16_t));
    plan->refs = 1;
    plan->entries = entries;
    plan->index = index;
    plan->full = NULL;
    plan->full_clone = NULL;
    plan->nvariants = 0;
    for (int i = 0; i < plan->count; i++) {
        entries[i].variant = NULL;
    }
    Py_INCREF(plan->base);
    return plan;
}

/* ---- clones ---- */

static void patch(PyCodeObject *code, PjPlan *plan, int open_pc)
{
    for (int i = 0; i < plan->count; i++) {
        PjEntry *e = &plan->entries[i];
        if (e->kind == PJ_START || e->pc == open_pc) {
            continue;
        }
        pj_write_unit(code, e->pc, PJ_EXIT_OPCODE, 0);
        for (int pc = e->pc + 1; pc < plan->units && base_opcode(plan->base, pc) == CACHE; pc++) {
            pj_write_unit(code, pc, NOP, 0);
        }
#if PJ_PAIRED_SUPERINSTRUCTIONS
        /* A quickened pair runs its second half undispatched: it would run past the patch. */
        if (e->pc > 0 && base_opcode(plan->base, e->pc - 1) != CACHE &&
            !(plan->index[e->pc - 1] >= 0 && e->pc - 1 != open_pc)) {
            pj_write_unit(code, e->pc - 1, base_opcode(plan->base, e->pc - 1), base_oparg(plan->base, e->pc - 1));
        }
#endif
    }
}

/* A new clone patched everywhere but at open_pc (-1: everywhere); NULL with an exception. */
static PyCodeObject *clone_new(PjState *state, PjPlan *plan, int open_pc)
{
    PjClone *clone = PyMem_Calloc(1, sizeof(PjClone));
    if (clone == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    PyThreadState *ts = PyThreadState_Get();
    bool left = pj_collector_leave(ts);
    pj_filter_watchers();
    pj_thread.in_callback++;
    PyObject *copy = PyObject_CallMethod((PyObject *)state->code, "replace", NULL);
    pj_thread.in_callback--;
    pj_collector_back(ts, left);
    if (copy != NULL && (!PyCode_Check(copy) || Py_SIZE(copy) != Py_SIZE(state->code))) {
        PyErr_SetString(PyExc_SystemError, "code.replace() gave another layout");
        Py_CLEAR(copy);
    }
    if (copy == NULL || pj_set_code_extra((PyCodeObject *)copy, pj_extra_index, clone) < 0) {
        Py_XDECREF(copy);
        PyMem_Free(clone);
        return NULL;
    }
    PyCodeObject *code = (PyCodeObject *)copy;
    clone->extra.what = PJ_IS_CLONE;
    clone->state = state;
    clone->code = code;
    clone->plan = plan;
    plan->refs++;
    clone->open_pc = open_pc;
    clone->patched = true;
    list_add(clone);
    state->clones++;
    patch(code, plan, open_pc);
    pj_counters.clones++;
    return code;
}

#define MAX_VARIANTS 256

/* Makes a clone and puts it into its place in the plan. Borrowed; NULL: it could not be made, which is reported, or the
 * plan is not the newest any more: making code objects may run Python (audit hooks, finalizers). */
static __attribute__((noinline)) PyCodeObject *make_clone(PjState *state, PjPlan *plan, int open_pc,
                                                          PyCodeObject **place)
{
    PyObject *exc = pj_err_take();
    plan->refs++;
    PyCodeObject *code = clone_new(state, plan, open_pc);
    if (code == NULL) {
        plan->failed = true;
        pj_report("a private copy of a code object could not be made");
    }
    else if (state->plan != plan || *place != NULL) {
        Py_DECREF(code);
        code = state->plan == plan ? *place : NULL;
    }
    else {
        *place = code;
        plan->nvariants += open_pc >= 0;
        if (open_pc < 0) {
            plan->full_clone = pj_clone_record(code);
        }
    }
    plan_release(plan);
    pj_err_give(exc);
    return code;
}

/* The code object to run on when the instruction at open_pc must not leave (-1: any may). Borrowed; NULL: the
 * original. Makes clones when needed; what goes wrong is reported and disables them. */
PyCodeObject *pj_clone_for(PjState *state, int open_pc)
{
    PjPlan *plan = state->plan;
    if (plan == NULL || plan->patched == 0 || plan->failed || state->code == NULL) {
        return NULL;
    }
    if (plan->full != NULL && !plan->full_clone->patched) {
        PjPlan *again = plan_again(plan);
        if (again == NULL) {
            return NULL;
        }
        state->plan = again;
        pj_plan_retire(plan);
        plan = again;
    }
    PjEntry *entry = pj_plan_entry(plan, open_pc);
    PyCodeObject **place = entry == NULL ? &plan->full : &entry->variant;
    if (PJ_LIKELY(*place != NULL)) {
        if (pj_clone_record(*place)->patched) {
            return *place;
        }
        drop_variants(plan); /* tracing has made plain copies of them */
    }
    if (plan->nvariants >= MAX_VARIANTS) {
        drop_variants(plan);
    }
    return make_clone(state, plan, entry == NULL ? -1 : open_pc, place);
}

/* Tracing is about to begin: every living clone becomes an ordinary copy of its original, so that the frames that run
 * on one give the events that the original would give. */
void pj_restore_all(void)
{
    while (pj_in_main() && living[PATCHED] != NULL) {
        PjClone *clone = living[PATCHED];
        PjPlan *plan = clone->plan;
        for (int i = 0; i < plan->count; i++) {
            PjEntry *e = &plan->entries[i];
            if (e->kind == PJ_START || e->pc == clone->open_pc) {
                continue;
            }
            int pc = e->pc;
            do {
                pj_write_unit(clone->code, pc, base_opcode(plan->base, pc), base_oparg(plan->base, pc));
                pc++;
            } while (pc < plan->units && base_opcode(plan->base, pc) == CACHE);
        }
        list_remove(clone);
        clone->patched = false;
        list_add(clone);
    }
}

/* New list of the living clones of an original, or NULL with an exception. */
PyObject *pj_clones_of(PyCodeObject *original)
{
    PyObject *list = PyList_New(0);
    for (int which = PATCHED; which <= RESTORED && pj_in_main(); which++) {
        for (PjClone *clone = living[which]; list != NULL && clone != NULL; clone = clone->next) {
            if (clone->state != NULL && clone->state->code == original &&
                PyList_Append(list, (PyObject *)clone->code) < 0) {
                Py_CLEAR(list);
            }
        }
    }
    return list;
}

/* ---- the end of code objects ---- */

/* The original code object is being destroyed. */
void pj_state_died(PjState *state)
{
    state->code = NULL;
    state->off = true;
    PjPlan *plan = state->plan;
    state->plan = NULL;
    pj_plan_retire(plan);
    for (int which = PATCHED; which <= RESTORED && state->clones > 0; which++) {
        for (PjClone *clone = living[which]; clone != NULL; clone = clone->next) {
            if (clone->state == state) { /* a kept frame is on it */
                clone->state = NULL;
                state->clones--;
            }
        }
    }
}

/* Called by code_dealloc for the co_extra of a code object. */
void pj_extra_free(void *p)
{
    PjExtra *x = p;
    if (x == NULL || x->what == PJ_IS_SEEN) {
        return;
    }
    PyObject *exc = pj_err_take();
    if (x->what == PJ_IS_STATE) {
        PjState *state = pj_state_of_extra(x);
        pj_state_died(state);
        Py_DECREF(state);
    }
    else {
        PjClone *clone = (PjClone *)x;
        list_remove(clone);
        if (clone->state != NULL) {
            clone->state->clones--;
        }
        plan_release(clone->plan);
        PyMem_Free(clone);
    }
    pj_err_give(exc);
}
