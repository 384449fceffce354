/* pijit.h - the types that the sources of pijit._native share, and who offers what. */
#ifndef PIJIT_H
#define PIJIT_H

#include "compat.h"
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define PJ_LIKELY(x) __builtin_expect(!!(x), 1)
#define PJ_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PJ_IS_FUNCTION(x) PyObject_TypeCheck(x, &PyFunction_Type) /* aliases too; see alias.c */

typedef int64_t (*PjNative)(int64_t *W);

/* ---- guards (guards.def, dispatch.c; parsed in rows.c) ---- */

typedef enum {
#define GUARD(id, name, fields, loads) PJ_GUARD_##id,
#include "guards.def"
#undef GUARD
    PJ_GUARD_COUNT
} PjGuardOp;

enum { PJ_ORDER_ANY, PJ_ORDER_C, PJ_ORDER_F, PJ_ORDER_S };

typedef struct {
    uint8_t op;
    uint8_t order;
    bool loads;
    bool mutable_source; /* pj_recheck looks at it again */
    int16_t reg;         /* the register a checking row reads, or -1; of "attr" and "item": the container */
    int16_t target;      /* the register a loading row writes */
    int32_t word;
    int32_t a; /* slot, index or NumPy type number */
    int32_t ndim;
    int64_t value; /* int value, error mask or required array flags */
    int64_t ones; /* or an address */
    PyObject *object; /* strong: name, object or type */
    PyObject *code;   /* strong or NULL: of a "python_function" */
    Py_hash_t hash;   /* of the name */
    /* where the name was found last time: a repeated check is three loads */
    void *keys;
    Py_ssize_t index;
    uint64_t tag;    /* version of a dict known to lack the name */
    PyObject *where; /* that dict; borrowed, compared only. Of a "member": what the type gave */
    uint32_t type_tag; /* tp_version_tag of the type that the row was resolved for; 0: none */
    Py_ssize_t known;  /* index is -1: that many shared keys are known to lack the name */
} PjRow;

typedef struct {
    int count;
    int registers;
    PjRow rows[];
} PjRows;

/* ---- recipes (box.c) ---- */

typedef struct PjRecipe {
    int op;
    int count; /* of kids */
    int64_t a, b, c, d;
    PyObject *object;       /* strong or NULL */
    struct PjRecipe **kids; /* owned */
    PjRows *rows;           /* owned or NULL */
} PjRecipe;

typedef struct {
    PjRecipe *function; /* NULL: the root frame */
    int pc;
    int nlocals, nstack;
    int *slots;
    PjRecipe **locals;
    PjRecipe **stack;
    PyObject *then;      /* makes of the frame's result what its caller gets; NULL: that is the result */
    PjRecipe *then_args; /* a tuple: what `then` is given after the result */
} PjExitFrame;

typedef enum { PJ_RETURN, PJ_REDO, PJ_CONTINUE, PJ_RAISE, PJ_POLL } PjExitKind;

typedef struct {
    PjExitKind kind;
    int nframes, nnames, nvalues; /* nvalues: objects of all frames but the root */
    PjExitFrame *frames;
    PyObject **names;
    PjRecipe **name_recipes;
    PjRecipe *result;
    int nshared; /* objects that are used several times: built first, into roots */
    PjRecipe **shared;
    int *shared_words;
    int64_t count, next; /* taken so often; on_exit is called at `next` */
} PjExit;

typedef struct {
    PjRecipe *function; /* NULL: the root frame */
    int pc;
} PjLink;

/* A call; or a "look" or "put" (objects.c): callable is the object, rows are walked on it or say where to store. */
typedef struct {
    PjRecipe *callable;
    int nargs; /* positional and keyword */
    PjRecipe **args;
    PyObject *kwnames; /* tuple or NULL */
    int nlinks;
    PjLink *chain;
    PjRows *rows;
    int root; /* of a "put": the word of the index, or -1 */
} PjSite;

typedef struct {
    PyObject_HEAD
    PjNative native;
    int nwords, roots_start, nroots;
    PjRows *rows;
    int nexits, nsites;
    PjExit *exits;
    PjSite *sites;
    int64_t hits, misses;
    int64_t sampled, samples; /* nanoseconds in native code, and of how many runs */
    bool repeatable; /* nothing it does can be noticed before it returns: what it began may be begun again */
    int unreturned;  /* how often that was in vain */
    PyObject *texts, *keep, *data;
} PjFragment;

/* ---- code states (states.c, clone.c) ---- */

/* co_extra points to one of these: it starts a state, a clone record or the mark "seen". */
typedef struct {
    enum { PJ_IS_STATE, PJ_IS_CLONE, PJ_IS_SEEN } what;
} PjExtra;

/* A place where fragments are looked for. Lives as long as its state. */
typedef struct PjPoint {
    struct PjPoint *next;
    int pc;
    int count;
    PjFragment **fragments; /* strong */
    int64_t misses;
    bool listed;  /* an entry of the newest plan leads here */
    int64_t wait; /* misses left until on_entry is called; -1: never */
} PjPoint;

typedef enum { PJ_START, PJ_JUMP, PJ_AFTER } PjEntryKind;

typedef struct {
    int pc, target, depth;
    int64_t threshold;
    PjEntryKind kind;
    bool conditional; /* 3.11: a jump that looks at the top of the stack */
    bool lands;       /* a jump to an instruction that is itself patched */
    int opcode;       /* behind prefixes */
    int next;         /* the pc after the instruction */
    PjPoint *point;   /* of the state: borrowed */
    PyCodeObject *variant; /* strong until the plan retires: the clone that does not leave here; NULL: not made yet */
} PjEntry;

struct PjState;
struct PjClone;

/* One set of entries and the clones made for it. Owned by its clone records and by the state. */
typedef struct PjPlan {
    int refs;
    int count;
    PjEntry *entries;
    PyObject *base;          /* strong: co_code, the unpatched instructions */
    int patched;             /* entries that need a patch */
    int units;           /* code units of the code */
    int16_t *index;      /* pc -> entry number of the patched entry there, or -1 */
    PyCodeObject *full;  /* strong until retired; NULL: not made yet, or retired */
    struct PjClone *full_clone; /* its record */
    int nvariants;
    bool failed;         /* making a clone failed: run the original */
} PjPlan;

static inline PjEntry *pj_plan_entry(PjPlan *plan, int pc)
{
    if (pc < 0 || pc >= plan->units || plan->index[pc] < 0) {
        return NULL;
    }
    return &plan->entries[plan->index[pc]];
}

/* The record that a clone's co_extra points to; freed with the clone. */
typedef struct PjClone {
    PjExtra extra;
    struct PjClone *prev, *next; /* all living clones */
    struct PjState *state;       /* borrowed; NULL once the state died */
    PyCodeObject *code;          /* borrowed: the clone itself */
    PjPlan *plan;                /* counted */
    int open_pc;                 /* not patched at this pc; -1: the full clone */
    bool patched;                /* false once tracing restored the instructions */
} PjClone;

/* Of a function whose calls go natively and in the interpreter in turn, to see what is faster (trial.c). */
typedef struct {
    bool on;
    bool plain;  /* the calls of this burst are the interpreter's */
    bool now;    /* and so is the newest call */
    bool slower; /* the verdict, until on_trial has been told */
    enum { PJ_TRIAL_FIRST, PJ_TRIAL_SECOND } stage; /* of a pair of bursts */
    int calls, left; /* of a burst */
    int won, lost;   /* pairs in which native code was the faster, or not */
    int64_t began, first; /* the clock when the burst began; what the first of the pair took */
    int64_t callbacks;    /* when the pair began */
} PjTrial;

typedef struct PjState {
    PyObject_HEAD
    PjExtra extra;
    PyCodeObject *code; /* borrowed: the code object owns the state; NULL once it died */
    PyObject *data;
    bool off;
    bool resting; /* off for a time: its functions are remembered */
    PjPlan *plan; /* newest entries, or NULL */
    int clones;   /* living ones that point here */
    PjPoint *points;
    PjPoint *start; /* or NULL */
    const char *kinds; /* kinds of the locals when there are cells or free variables, else NULL */
    int64_t quiet;     /* calls on clones in a row that came to no entry */
    PjTrial trial;
} PjState;

extern Py_ssize_t pj_extra_index;

/* NULL when the code object is not a clone. */
static inline PjClone *pj_clone_record(PyCodeObject *code)
{
    PjExtra *x = pj_code_extra(code, pj_extra_index);
    return x != NULL && x->what == PJ_IS_CLONE ? (PjClone *)x : NULL;
}

static inline PjState *pj_state_of_extra(PjExtra *x)
{
    return (PjState *)((char *)x - offsetof(PjState, extra));
}

/* ---- one run of a frame (hook.c) ---- */

/* The frames of inlined callees still to be rebuilt, with all their objects. */
typedef struct PjPending {
    PjFragment *fragment; /* strong */
    PjExit *exit;
    int index;       /* the next frame to rebuild */
    int used;        /* values handed out so far */
    PyObject *exc;   /* of a "raise" exit: strong */
    PyObject *values[];
} PjPending;

typedef struct PjRun {
    PyThreadState *ts;
    PjFrame *frame;
    PjFrame *prev;  /* what was current when the hook was entered */
    PjState *state; /* NULL for a rebuilt frame of a code object without a state */
    const char *kinds;
    PyCodeObject *original;
    PjFragment *fragment; /* running now, else NULL */
    PyObject **registers;  /* of its guard rows */
    int64_t *fingerprints; /* of its array rows, once held */
    bool held;             /* the registers are owned: Python may run */
    PjPoint *point;       /* for PJ_STEP_TRY */
    PyObject *result;     /* for PJ_STEP_DONE */
    PyObject *exc;        /* for PJ_STEP_THROW: strong */
    PjPending *pending;   /* for PJ_STEP_CALLEE: owned */
    int pc;
    bool fresh; /* the prologue has not run: no cells yet */
} PjRun;

typedef enum {
    PJ_STEP_MISS,   /* no fragment fitted; nothing changed */
    PJ_STEP_TRY,    /* the frame is complete at run->pc; try the fragments of run->point */
    PJ_STEP_GO,     /* go on in the interpreter at run->pc, and do not leave there at once */
    PJ_STEP_THROW,  /* raise run->exc at run->pc */
    PJ_STEP_CALLEE, /* rebuild the inlined callee, push its result, go on after the call at run->pc */
    PJ_STEP_DONE,   /* the frame is finished: run->result */
} PjStep;

typedef struct {
    char *stack_limit;  /* the C stack must stay above */
    char *stack_end;
    PjPending *request; /* the next frame of this function's code is to be filled */
    PyObject *request_function;
    _PyFrameEvalFunction before_request; /* what the hook replaced for it, NULL: nothing */
    int collects;                        /* what pj_keep_from_collecting gave for it */
    PyObject *one_shot; /* the hook is in place for the next frame of this function only */
    PjState *tried;     /* the call of whose function was counted before its frame is there; compared only */
    int passed;         /* other frames that came before it */
    int in_callback;
} PjThread;

extern _Thread_local PjThread pj_thread __attribute__((tls_model("initial-exec")));

typedef struct {
    int64_t crossings, walks, enabled, delegated_plain, delegated_off, delegated_generator, delegated_tracing,
        delegated_callback, delegated_throw, delegated_deep, rebuilt, entries_called, exits_called, clones;
} PjCounters;

extern PjCounters pj_counters;

/* Clones, states and callbacks are of the main interpreter; another may run at the same time, under a lock of its own. */
static inline bool pj_in_main(void)
{
    return PyInterpreterState_Get() == PyInterpreterState_Main();
}

/* Is this thread the only one of the main interpreter? */
static inline bool pj_only_thread(PyThreadState *ts)
{
    return ts->next == NULL && ts->prev == NULL && ts->interp == PyInterpreterState_Main();
}

extern PyObject *pj_unset; /* the UNSET object */
extern PyObject *pj_keep;  /* the KEEP object: in a "held" recipe, what the frame's slot has */
extern int64_t pj_exit_threshold;
extern int64_t pj_forced;

/* callbacks.c */
PyObject *pj_call_back(PyObject *callback, PyObject *args);

/* Nanoseconds. */
static inline int64_t pj_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* trial.c */
void pj_trial_begin(PjState *s);
bool pj_trial_call(PjState *s);

/* own_call.c */
extern vectorcallfunc pj_default_vectorcall;
int pj_own_init(void);
int pj_own(PyObject *function);
void pj_disown(PyObject *function);
void pj_own_gone(PyFunctionObject *f);
void pj_own_switch(bool on);
void pj_own_wake(void);
void pj_own_traced(bool on);
bool pj_own_now(PyObject *function);
void pj_own_met(PyFunctionObject *f); /* 3.11 */

/* follow.c */
extern bool pj_following; /* functions are met at their first call */
extern int pj_function_watcher; /* the number of pijit's own, or -1 */
int pj_follow(void);
int pj_meet(void);
int pj_watch_functions(void);
bool pj_concerns(PyFunctionObject *f, PyCodeObject *code);

/* watchers.c */
void pj_filter_watchers(void); /* from here on they, and audit hooks, are called only while pj_thread.in_callback is 0, and for no clone */

/* imports.c */
enum { PJ_IMPORT_PARTS = 5 };
int pj_keep_imports(void);
PyObject *pj_set_import_path(PyObject *module, PyObject *path);
PyObject *pj_program_path(PyObject *module, PyObject *none);
bool pj_imports_leave(PyThreadState *ts, PyObject **theirs);
void pj_imports_back(bool left, PyObject **theirs);

/* calls.c */
int64_t pj_reference(int64_t *W);

/* hook.c */
PyObject *pj_hook(PyThreadState *ts, PjFrame *frame, int throwflag);
int pj_prepare(void);
int pj_install(void);
int pj_rest(void);
int pj_uninstall(void);
bool pj_installed(void);
void pj_review_tracing(void);
PyObject *pj_call_function(PyThreadState *ts, PjPending *pending);

/* then.c */

PyObject *pj_then(PyObject *then, PyObject *result, PyObject *args);
PyObject *pj_then_made(PyObject *module, PyObject *args);
PyObject *pj_then_nothing(PyObject *module, PyObject *result);
PyObject *pj_then_bool(PyObject *module, PyObject *args);
PyObject *pj_then_length(PyObject *module, PyObject *result);
PyObject *pj_then_operator(PyObject *module, PyObject *args);


/* namespaces.c */
extern bool pj_watching; /* any namespace at all */
bool pj_is_watched(PyObject *globals);
int pj_watch(PyObject *globals);
int pj_unwatch(PyObject *globals);
void pj_watch_all(bool on);
int pj_namespaces_init(void);

/* stack.c */
bool pj_stack_exhausted(char *here);
size_t pj_stack_left(char *here);

/* Is this thread's C stack as good as used up? */
static inline bool pj_stack_low(void)
{
    char *here = __builtin_frame_address(0);
    return PJ_UNLIKELY(here < pj_thread.stack_limit) && pj_stack_exhausted(here);
}

/* collector.c: what the program's garbage collector does not see */
bool pj_collector_leave(PyThreadState *ts);
void pj_collector_back(PyThreadState *ts, bool left);
void pj_collector_end(void);

/* callbacks.c */
extern PyObject *pj_on_frame, *pj_on_entry, *pj_on_exit, *pj_on_error, *pj_on_fork, *pj_on_trial;
void pj_let_go(PyObject **slot); /* of the Python side's */
void pj_report(const char *what); /* takes the current exception, if any; calls on_error */
void pj_raise_later(PyObject *exc);
bool pj_call_on_frame(PyCodeObject *code, PyObject *globals); /* false: it is to be asked another time */
int pj_call_on_fork(void); /* 0, or -1 with what a signal's handler raised meanwhile */
int64_t pj_call_on_entry(PjRun *r, PjPoint *point); /* r->exc set: to be raised in the frame */
void pj_call_on_exit(PjRun *r, PjFragment *fragment, int index);
void pj_call_on_trial(PjState *s);

/* dispatch.c */
int pj_walk(PjRows *rows, int first, PjRun *r, PyObject **registers, int64_t *W);
PjStep pj_try_point(PjRun *r, PjPoint *point);
int pj_failure(PjRun *r, PjFragment *fragment, PyObject **object);
PyObject *pj_try_repeatable(PjRun *r, PjFragment *f);
PyObject *pj_return(PjExit *e, int64_t *W);
int64_t pj_recheck(int64_t *W);
void pj_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t itemsize);
int64_t pj_assign(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block);
int64_t pj_kernel_rolled(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, const int64_t *block, int64_t count);
int64_t pj_roll(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block);
int64_t pj_mask_count(const char *mask, int64_t ndim, const int64_t *block);
void pj_pick(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block);
int64_t pj_take(char *target, const char *source, const char *index, int64_t itemsize, const int64_t *block);
int64_t pj_list_ints(PyObject *list, int64_t *out, int64_t n);
PyObject *pj_bincount(int64_t bins, const char *data, const char *weights, const int64_t *block);
int64_t pj_edges(double *edges, int64_t bins, double first, double last, int64_t exact);
void pj_places(int32_t *places, const double *edges, int64_t bins, const char *data, int64_t step, int64_t n);
int64_t pj_histogram(void *result, int64_t bins, const int32_t *places, int64_t n, const char *data, int64_t step, int64_t watched);
int64_t pj_within(const char *data, int64_t kind, int64_t step, int64_t n, int64_t length);
int64_t pj_add_at(char *data, const char *index, const char *values, const int64_t *block);
int64_t pj_unbox_int(PyObject *o, int64_t *out);
int64_t pj_place(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block);
void pj_fold(void *loop, void *data, const int64_t *block);
void pj_extent(const char *data, int64_t itemsize, int64_t ndim, const int64_t *dims, const int64_t *steps, uintptr_t *low,
               uintptr_t *high);
void pj_hold_inputs(PjRun *r);
bool pj_settle_begin(PyThreadState *ts);
void pj_settle_end(PyThreadState *ts);
bool pj_alone(PyObject *o);
PyObject *pj_local_value(PjRun *r, int slot); /* borrowed; of a cell its contents */
PjPoint *pj_point(PjState *state, int pc, bool make);

/* rows.c */
PjRows *pj_rows_new(PyObject *rows, int given);
void pj_rows_free(PjRows *rows);

/* errstate.c */
int pj_errstate_init(void);
int64_t pj_errmask(void); /* -1: unknown */

/* quiet.c */
int pj_quiet_init(void);
bool pj_warnings_quiet(void); /* a RuntimeWarning would only be shown or recorded */

/* ramp.c */
void pj_ramp_ints(int64_t *target, int64_t n, int64_t start, int64_t step);
void pj_ramp_floats(double *target, int64_t n, double first, double second);

/* share.c */
int64_t pj_share(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t low, int64_t high, int64_t *p, int64_t units, int64_t threads);

/* store.c */
#define PJ_TROUBLE 16 /* in what a kernel returns: only NumPy can do it */
int64_t pj_kernel_into(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, const int64_t *plan);
void pj_call_aside(int64_t *W, int64_t site);

/* backlog.c: what may be put off for a while */
int64_t pj_kernel_later(int64_t *W, int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, const int64_t *plan, int64_t site, int64_t word,
                        const int64_t *repeats);
void pj_catch_up(int64_t *W);
void pj_settle(int64_t *W, uintptr_t low, uintptr_t high);
void pj_let_go_later(int64_t *W, void *gone, int64_t scratch);
PyObject *pj_empty_later(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);

/* recipes.c */
PjRecipe *pj_recipe_new(PyObject *tuple);
void pj_recipe_free(PjRecipe *recipe);
bool pj_recipe_keeps(const PjRecipe *recipe);
bool pj_recipe_empty(const PjRecipe *recipe); /* it may give nothing */
bool pj_recipe_is_bound(const PjRecipe *recipe);
bool pj_recipe_in_cell(const PjRecipe *recipe); /* of a callee's variable that closures share: it gives the cell itself */
int64_t pj_recipe_words(const PjRecipe *recipe);
void pj_recipe_bind(PjRecipe *recipe, const int16_t *inputs);

/* box.c */
PyObject *pj_build(const PjRecipe *recipe, int64_t *W); /* new reference; NULL without an exception: a NULL or unset */

/* np_scalars.c */
PyTypeObject *pj_np_type(int typenum); /* borrowed; NULL: not supported */
int pj_unbox_np(PyObject *scalar, int typenum, int64_t *out);
bool pj_is_np(PyObject *o, int typenum, const int64_t *w);
PyObject *pj_box_np(int typenum, const int64_t *w);
int pj_np_init(void);

/* closures.c */
PyObject *pj_build_root_cell(int64_t slot, int64_t *W);
PyObject *pj_build_cell_of(PyObject *function, int64_t index);
PyObject *pj_build_in_cell(PyObject *cell, PyObject *contents);
PyObject *pj_call_blank(PyObject *function);
PyObject *pj_build_generator(PyObject *function, int pc, PyObject *slots, PyObject **values, int count);
PyObject *pj_build_function(PyObject *code, PyObject *maker, PyObject *closure, PyObject *defaults, PyObject *kwdefaults, int64_t *W);

/* exits.c */
int pj_exit_parse(PjExit *exit, PyObject *tuple);
void pj_exit_clear(PjExit *exit);
PjStep pj_apply_exit(PjRun *r, PjFragment *fragment, int index, int64_t *W);
PjStep pj_fill_frame(PjRun *r, PjPending *pending);
void pj_pending_free(PjPending *pending);
PjStep pj_raise_at_entry(PjRun *r, int pc);

/* objects.c */
PyObject *pj_field(PyObject *o, PjRow *row);
bool pj_no_field(PyObject *o, PjRow *row);
PyObject *pj_member(PyObject *o, PjRow *row);
PyObject *pj_part(PyObject *o, PjRow *row);
int64_t pj_look(int64_t *W, int64_t site);
int64_t pj_look_at(int64_t *W, int64_t site, PyObject *o);
PyObject *pj_make(int64_t *W, int64_t site);
bool pj_class_says(PjRow *row);
int64_t pj_put(int64_t *W, int64_t site);
int pj_object_site_parse(PjSite *s, PyObject *tuple);
PyObject *pj_field_of(PyObject *module, PyObject *args);
PyObject *pj_only_names(PyObject *module, PyObject *o);

/* calls.c */
int pj_site_parse(PjSite *site, PyObject *tuple);
void pj_site_clear(PjSite *site);
int64_t pj_call(int64_t *W, int64_t site);
void pj_fp_clear(void);
int64_t pj_fp_get(void);
PyObject *pj_symbols(void);
int pj_calls_init(void);

/* spare.c */
PyObject *pj_empty(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);
bool pj_is_as_new(PyObject *o, int64_t typenum, int64_t ndim, const int64_t *dims, int64_t order);
void pj_release(PyObject *o);
void pj_drop_spare(void);
int64_t pj_run_native(PjFragment *f, int64_t *W);

/* scratch.c */
void *pj_scratch(int64_t itemsize, int64_t ndim, const int64_t *dims);
void *pj_scratch_later(int64_t itemsize, int64_t ndim, const int64_t *dims);
PyObject *pj_scratch_array(void *scratch);
void pj_discard(void *scratch);
PyObject *pj_kept(void *scratch, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);

/* clone.c */
extern PjExtra pj_seen;
PyCodeObject *pj_clone_for(PjState *state, int open_pc); /* borrowed; NULL: run the original */
void pj_restore_all(void);
PyObject *pj_clones_of(PyCodeObject *original);
void pj_extra_free(void *extra);
PyCodeObject *pj_original_of(PyCodeObject *code); /* borrowed */
PjPlan *pj_plan_new(PjState *state, PyObject *entries);
void pj_plan_retire(PjPlan *plan);
void pj_state_died(PjState *state);
int pj_skip_prefixes(PyCodeObject *original, int pc);
int pj_next_pc(PyCodeObject *original, int pc); /* after the instruction at pc, its prefixes and caches */

/* watch.c: what must never see a clone */
int pj_guard_tracing(void);
int pj_patch_frame_type(void);

/* frame.c */
PyObject *pj_frames_name(PyObject *module, PyObject *names);

/* alias.c */
int pj_alias_init(void);
PyObject *pj_make_alias(PyObject *module, PyObject *function);
PyObject *pj_unmake_alias(PyObject *module, PyObject *function);

/* lasting.c */
PyObject *pj_lasting(PyObject *module, PyObject *object);

/* fragments.c, states.c */
extern PyTypeObject PjState_Type, PjFragment_Type;
PjState *pj_state_lookup(PyCodeObject *code); /* borrowed */
bool pj_state_idle(PjState *state); /* nothing of it runs natively, and nothing is waited for */
PyObject *pj_attach(PyObject *module, PyObject *args);
PyObject *pj_state_of(PyObject *module, PyObject *code);

#endif
