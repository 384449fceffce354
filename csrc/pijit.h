/* pijit.h - one run of a frame, and which source of pijit._native offers what; helpers.h has what native code calls. */
#ifndef PIJIT_H
#define PIJIT_H

#include "compat.h"
#include "compat_interpreter.h"
#include "compat_objects.h"
#include "fragments.h"
#include "states.h"
#include <time.h>

#define PJ_LIKELY(x) __builtin_expect(!!(x), 1)
#define PJ_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PJ_IS_FUNCTION(x) PyObject_TypeCheck(x, &PyFunction_Type) /* aliases too; see alias.c */

/* ---- one run of a frame (run.c) ---- */

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
    int64_t rounds; /* of a loop until it is left for its trial, counted by native code (codegen/objects.py) and here: the first field */
    PjFragment *tried; /* strong: its loop takes turns in this frame (turns.c), or NULL; */
    PjPoint *loop;     /* where it goes round, */
    int others;        /* and how often the interpreter's frame came by elsewhere */
    int nulls;         /* passes still to be made to know what one takes */
    int64_t nulls_began;
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
    PjPoint *timed;       /* whose miss it was that the interpreter has gone on from since, or NULL */
    int64_t since;
    PyObject *result;     /* for PJ_STEP_DONE */
    PyObject *exc;        /* for PJ_STEP_THROW: strong */
    PjPending *pending;   /* for PJ_STEP_CALLEE: owned */
    int pc;
    int weight; /* so many misses each of this frame stands for */
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
    char *stack_half;   /* where half of the C stack is used up */
    char *stack_limit;  /* it must stay above */
    char *stack_end;
    PjPending *request; /* the next frame of this function's code is to be filled */
    PyObject *request_function;
    _PyFrameEvalFunction before_request; /* what the hook replaced for it, NULL: nothing */
    int collects;                        /* what pj_keep_from_collecting gave for it */
    PyObject *one_shot; /* the hook is in place for the next frame of this function only */
    PjState *tried;     /* the call of whose function was counted before its frame is there; compared only */
    int passed;         /* other frames that came before it */
    int frameless;      /* calls that are made without a frame now, one within the other, */
    int64_t own_calls;  /* and how many there were within native code */
    int in_callback;
} PjThread;

extern _Thread_local PjThread pj_thread __attribute__((tls_model("initial-exec")));

typedef struct {
    int64_t crossings, walks, enabled, delegated_plain, delegated_off, delegated_generator, delegated_tracing,
        delegated_callback, delegated_throw, delegated_deep, delegated_quiet, uncounted, rebuilt, entries_called, exits_called, clones, turns;
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

/* What is timed now, and the nanoseconds that are no part of it; dispatch.c. */
typedef struct {
    int laps, runs;
    int64_t elsewhere; /* of no lap: callbacks, and native code as long as a lap is timed */
    int64_t in_numpy;  /* of no run: what native code that is timed calls, which takes as long in the interpreter */
} PjTimes;
extern PjTimes pj_times;

/* The double that a word holds. */
static inline double pj_double_of(int64_t word)
{
    double value;
    memcpy(&value, &word, sizeof(value));
    return value;
}

/* Nanoseconds. */
static inline int64_t pj_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- who offers what ---- */

/* module.c */
extern PyObject *pj_unset; /* the UNSET object */
extern PyObject *pj_keep;  /* the KEEP object: in a "held" recipe, what the frame's slot has */
extern int64_t pj_exit_threshold;

/* hook.c */
PyObject *pj_hook(PyThreadState *ts, PjFrame *frame, int throwflag);
int pj_prepare(void);
int pj_install(void);
int pj_rest(void);
int pj_uninstall(void);
bool pj_installed(void);
void pj_review_tracing(void);

/* frameless.c */
PyObject *pj_call_frameless(PyThreadState *ts, PyFunctionObject *f, PjState *state, PyObject *const *args, Py_ssize_t nargs);

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

/* sampled.c */
#define PJ_EVERY 16
extern bool pj_tick_due;
void pj_sample_review(PjState *s, int64_t began);
void pj_sample_forget(PjState *s);
void pj_tick_review(PjState *s, int64_t now);
void pj_tick(void);

/* Is the next call of the function one that another stands for? */
static inline bool pj_next_is_uncounted(const PjState *s)
{
    return PJ_UNLIKELY(s->every > 1) && ((s->calls + 1) & (PJ_EVERY - 1)) != 0;
}

static inline void pj_passes_uncounted(PjState *s)
{
    s->calls++;
    pj_counters.uncounted++;
}

/* trial.c */
#define PJ_FAR 8 /* so many times as fast, and that for long: one pair says it */
void pj_trial_begin(PjTrial *t, int length, int most);
void pj_trial_of_calls(PjState *s);
void pj_trial_burst_ends(PjTrial *t, int64_t extra);
bool pj_trial_call(PjState *s);

/* turns.c */
void pj_turns_allow(PjFragment *f);
void pj_turn_enters(PjRun *r, PjFragment *f);
void pj_turns_begin(PjRun *r, PjFragment *f, bool here);
bool pj_turn_is_plain(PjRun *r, PjPoint *point);
bool pj_turn_passes(PjRun *r, PjEntry *entry, bool onward);
void pj_turn_misses(PjRun *r, PjPoint *point);
void pj_turns_stop(PjRun *r);

/* What the frame does from here on is not the loop's. */
static inline void pj_turns_end(PjRun *r)
{
    if (PJ_UNLIKELY(r->tried != NULL)) {
        pj_turns_stop(r);
    }
}

/* stack.c */
bool pj_stack_exhausted(char *here);
size_t pj_stack_left(char *here);

/* Is this thread's C stack as good as used up? */
static inline bool pj_stack_low(void)
{
    char *here = __builtin_frame_address(0);
    return PJ_UNLIKELY(here < pj_thread.stack_limit) && pj_stack_exhausted(here);
}

#ifdef PJ_C_UNITS
/* For a call that is one of C's only because of us: what it counted as is given back, since the C stack itself is looked at. In its
 * lower half the counter stays below what fits into the rest, which is then safe also without the hook: there this may be negative. */
static inline int pj_c_units(PyThreadState *ts)
{
    char *here = __builtin_frame_address(0);
    if (PJ_LIKELY(here >= pj_thread.stack_half || here < pj_thread.stack_end)) {
        return PJ_C_UNITS;
    }
    int room = (int)((here - pj_thread.stack_end) / PJ_C_UNIT_BYTES) - ts->c_recursion_remaining;
    return room < PJ_C_UNITS ? room : PJ_C_UNITS;
}
#endif

/* frame.c */
PyObject *pj_frames_name(PyObject *module, PyObject *names);

/* dispatch.c */
PjStep pj_try_point(PjRun *r, PjPoint *point);
void pj_lap_begins(PjRun *r, PjPoint *point);
void pj_lap_counts(PjRun *r);

/* The interpreter has come to an entry or the end of the frame. */
static inline void pj_lap_ends(PjRun *r)
{
    if (PJ_UNLIKELY(r->timed != NULL)) {
        pj_lap_counts(r);
    }
}

PyObject *pj_try_repeatable(PjRun *r, PjPoint *start);
PyObject *pj_run_repeatable(PjRun *r, PjFragment *f, int64_t *W, PjPassed as, int64_t *out, bool *got);
PjPoint *pj_point(PjState *state, int pc, bool make);

/* guards.c */
int pj_walk(PjRows *rows, int first, PjRun *r, PyObject **registers, int64_t *W);
void pj_hold_inputs(PjRun *r);
int64_t pj_recheck(int64_t *W);
int pj_failure(PjRun *r, PjFragment *fragment, PyObject **object);
bool pj_alone(PyObject *o);
PyObject *pj_local_value(PjRun *r, int slot); /* borrowed; of a cell its contents */

/* rows.c */
PjRows *pj_rows_new(PyObject *rows, int given);
void pj_rows_free(PjRows *rows);

/* errstate.c */
int pj_errstate_init(void);
int64_t pj_errmask(void); /* -1: unknown */

/* quiet.c */
int pj_quiet_init(void);
bool pj_warnings_quiet(void); /* a RuntimeWarning would only be shown or recorded */

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
int pj_site_args_parse(PjSite *s, PyObject *args, PyObject *names);

/* bottom.c */
PyObject *pj_run_at_bottom(PyObject *module, PyObject *args);

/* places.c */
int64_t pj_store_int(PyObject *list, int64_t index, int64_t value, PyObject *source, int64_t which);
int64_t pj_store_float(PyObject *list, int64_t index, double value, PyObject *source, int64_t which);
int64_t pj_store_object(PyObject *list, int64_t index, PyObject *value);
int64_t pj_append_int(PyObject *list, int64_t value, PyObject *source, int64_t which);
int64_t pj_append_float(PyObject *list, double value, PyObject *source, int64_t which);
int64_t pj_append_object(PyObject *list, PyObject *value);
int64_t pj_put_int(PyObject *owner, PyObject **place, int64_t value, PyObject *source, int64_t which);
int64_t pj_put_float(PyObject *owner, PyObject **place, double value, PyObject *source, int64_t which);
int64_t pj_put_object(PyObject *owner, PyObject **place, PyObject *value);

/* deeds.c */
PyObject *pj_do(int64_t *W, int64_t site);
int64_t pj_do_only(int64_t *W, int64_t site);
PyObject *pj_find(int64_t *W, int64_t site, PyObject *owner);
PyObject *pj_next(PyObject *it);
int pj_deed_site_parse(PjSite *s, PyObject *tuple);

/* texts.c, but pj_text_same: keys.c */
PyObject *pj_char(PyObject *text, int64_t index);
int64_t pj_ord(PyObject *text);
int64_t pj_byte(PyObject *bytes, int64_t index);
PyObject *pj_int_text(int64_t value);
PyObject *pj_float_text(double value);
PyObject *pj_texts_joined(PyObject **parts, int n);
int64_t pj_text_order(PyObject *a, PyObject *b);
int64_t pj_text_same(PyObject *a, PyObject *b);
int64_t pj_text_has(PyObject *text, PyObject *part);

/* objects.c, for Python */
PyObject *pj_field_of(PyObject *module, PyObject *args);
PyObject *pj_only_names(PyObject *module, PyObject *o);
PyObject *pj_class_has_only_names(PyObject *module, PyObject *o);

/* inline_cache.c */
void pj_remember_field(PyObject *o, const PjRow *row, PyObject *found, PjInlineCache *cache);
int64_t pj_look_first(int64_t *W, int64_t site, PyObject *o);
PyObject *pj_layout(PyObject *module, PyObject *none);

/* exits.c */
PjStep pj_apply_exit(PjRun *r, PjFragment *fragment, int index, int64_t *W);
PjStep pj_fill_frame(PjRun *r, PjPending *pending);
void pj_pending_free(PjPending *pending);
PjStep pj_raise_at_entry(PjRun *r, int pc);
PyObject *pj_return(PjExit *e, int64_t *W, bool may_wait);
bool pj_return_raw(PjExit *e, int64_t *W, PjPassed as, int64_t *out);

/* snapshots.c */
int pj_exit_parse(PjExit *exit, PyObject *tuple);
void pj_exit_clear(PjExit *exit);

/* recipes.c */
PjRecipe *pj_recipe_new(PyObject *tuple);
void pj_recipe_free(PjRecipe *recipe);
bool pj_recipe_keeps(const PjRecipe *recipe);
bool pj_recipe_empty(const PjRecipe *recipe); /* it may give nothing */
bool pj_recipe_is_const(const PjRecipe *recipe);
bool pj_recipe_is_bound(const PjRecipe *recipe);
bool pj_recipe_in_cell(const PjRecipe *recipe); /* of a callee's variable that closures share: it gives the cell itself */
int64_t pj_recipe_words(const PjRecipe *recipe);
void pj_recipe_bind(PjRecipe *recipe, const int16_t *inputs);

/* box.c */
PyObject *pj_iterator_after(PyObject *module, PyObject *args);
PyObject *pj_build(const PjRecipe *recipe, int64_t *W); /* new reference; NULL without an exception: a NULL or unset */

/* closures.c */
PyObject *pj_build_root_cell(int64_t slot, int64_t *W);
PyObject *pj_build_cell_of(PyObject *function, int64_t index);
PyObject *pj_build_in_cell(PyObject *cell, PyObject *contents);
PyObject *pj_call_blank(PyObject *function);
PyObject *pj_build_generator(PyObject *function, int pc, PyObject *slots, PyObject **values, int count);
PyObject *pj_build_function(PyObject *code, PyObject *maker, PyObject *closure, PyObject *defaults, PyObject *kwdefaults, int64_t *W);

/* np_scalars.c */
PyTypeObject *pj_np_type(int typenum); /* borrowed; NULL: not supported */
int pj_unbox_np(PyObject *scalar, int typenum, int64_t *out);
bool pj_is_np(PyObject *o, int typenum, const int64_t *w);
PyObject *pj_box_np(int typenum, const int64_t *w);
int pj_np_init(void);

/* then.c */
PyObject *pj_then(PyObject *then, PyObject *result, PyObject *args);
PyObject *pj_then_made(PyObject *module, PyObject *args);
PyObject *pj_then_nothing(PyObject *module, PyObject *result);
PyObject *pj_then_bool(PyObject *module, PyObject *args);
PyObject *pj_then_length(PyObject *module, PyObject *result);
PyObject *pj_then_operator(PyObject *module, PyObject *args);

/* calls.c */
int64_t pj_reference(int64_t *W);
int pj_site_parse(PjSite *site, PyObject *tuple);
void pj_site_clear(PjSite *site);
int64_t pj_call(int64_t *W, int64_t site);
typedef void (*PjLoop)(char **data, const int64_t *lengths, const int64_t *steps, void *own);
void pj_call_loop(PjLoop loop, char **data, const int64_t *lengths, const int64_t *steps, void *own, int64_t axes, const int64_t *outer);

/* fragments.c */
extern PyTypeObject PjFragment_Type;

/* states.c */
extern PyTypeObject PjState_Type;
PjState *pj_state_lookup(PyCodeObject *code); /* borrowed */

/* What is known of a function's own code; NULL when nothing. */
static inline PjState *pj_state_of_function(PyObject *f)
{
    PjExtra *extra = pj_code_extra((PyCodeObject *)((PyFunctionObject *)f)->func_code, pj_extra_index);
    return PJ_LIKELY(extra != NULL && extra->what == PJ_IS_STATE) ? pj_state_of_extra(extra) : NULL;
}

extern PyTypeObject *pj_ascii_iterator; /* of texts of ASCII characters: CPython names it nowhere */
int pj_iterators_init(void);
bool pj_state_idle(PjState *state); /* nothing of it runs natively, and nothing is waited for */
PyObject *pj_attach(PyObject *module, PyObject *args);
PyObject *pj_state_of(PyObject *module, PyObject *code);

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

/* callbacks.c */
PyObject *pj_call_back(PyObject *callback, PyObject *args);
extern int pj_long_loop; /* rounds of a loop after which it is tried */
extern PyObject *pj_on_frame, *pj_on_entry, *pj_on_exit, *pj_on_error, *pj_on_fork, *pj_on_trial, *pj_on_tick;
void pj_let_go(PyObject **slot); /* of the Python side's */
void pj_report(const char *what); /* takes the current exception, if any; calls on_error */
void pj_raise_later(PyObject *exc);
bool pj_call_on_frame(PyCodeObject *code, PyObject *globals); /* false: it is to be asked another time */
int pj_call_on_fork(void); /* 0, or -1 with what a signal's handler raised meanwhile */
int64_t pj_call_on_entry(PjRun *r, PjPoint *point); /* r->exc set: to be raised in the frame */
void pj_call_on_exit(PjRun *r, PjFragment *fragment, int index, PyObject *operand); /* NULL: none */
void pj_call_on_tick(PyObject *states);
void pj_call_on_trial(PjState *s, PjTrial *t, PjFragment *f);

/* namespaces.c */
extern bool pj_watching; /* any namespace at all */
bool pj_is_watched(PyObject *globals);
int pj_watch(PyObject *globals);
int pj_unwatch(PyObject *globals);
void pj_watch_all(bool on);
int pj_namespaces_init(void);

/* watchers.c */
void pj_filter_watchers(void); /* from here on they, and audit hooks, are called only while pj_thread.in_callback is 0, and for no clone */

/* imports.c */
enum { PJ_IMPORT_PARTS = 5 };
int pj_keep_imports(void);
PyObject *pj_set_import_path(PyObject *module, PyObject *path);
PyObject *pj_program_path(PyObject *module, PyObject *none);
bool pj_imports_leave(PyThreadState *ts, PyObject **theirs);
void pj_imports_back(bool left, PyObject **theirs);

/* collector.c: what the program's garbage collector does not see */
bool pj_collector_leave(PyThreadState *ts);
void pj_collector_back(PyThreadState *ts, bool left);
void pj_collector_end(void);

/* settle.c */
bool pj_settle_begin(PyThreadState *ts);
void pj_settle_end(PyThreadState *ts);

/* alias.c */
int pj_alias_init(void);
PyObject *pj_make_alias(PyObject *module, PyObject *function);
PyObject *pj_unmake_alias(PyObject *module, PyObject *function);

/* lasting.c */
PyObject *pj_lasting(PyObject *module, PyObject *object);

#endif
