/* fragments.h - what a fragment is made of: guards, recipes, exits, call sites. */
#ifndef PIJIT_FRAGMENTS_H
#define PIJIT_FRAGMENTS_H

#include "compat.h"
#include <stdbool.h>
#include <stdint.h>

typedef int64_t (*PjNative)(int64_t *W);

/* ---- guards (guards.def, guards.h; read in rows.c) ---- */

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

/* ---- what rows and recipes hold ---- */

typedef struct {
    PyObject_HEAD
    PyObject *object; /* borrowed */
} PjLasting; /* lasting.c */

extern PyTypeObject PjLasting_Type;

/* What rows and recipes hold for an object: the object itself, a weak reference to it, or what stands for it. Borrowed; NULL: it is gone. */
static inline PyObject *pj_held(PyObject *o)
{
    if (o != NULL && PyWeakref_CheckRefExact(o)) {
        PyObject *held = ((PyWeakReference *)o)->wr_object;
        return held != Py_None && Py_REFCNT(held) > 0 ? held : NULL;
    }
    return o != NULL && Py_IS_TYPE(o, &PjLasting_Type) ? ((PjLasting *)o)->object : o;
}

/* ---- recipes (box.c; read in recipes.c) ---- */

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

/* What a "look" knows of the attribute that it found last (inline_cache.c); codegen/attributes.py reads it. */
typedef struct {
    uint32_t owner; /* the tag of the object's type; PJ_NO_TAG: nothing is known */
    uint32_t value; /* that of what the attribute was */
    int32_t slot;   /* bytes from the object's beginning, or -1: the attribute is one of the values, */
    int32_t place;  /* so many bytes from their beginning */
} PjInlineCache;

#define PJ_NO_TAG UINT32_MAX

typedef struct {
    PjRecipe *function; /* NULL: the root frame */
    int pc;
} PjLink;

/* A call; or a "look" or "put" (objects.c): callable is the object, rows are walked on it or say where to store; or a "do" (deeds.c): the deed
 * and its arguments. */
typedef struct PjSite {
    PjRecipe *callable;
    int nargs; /* positional and keyword */
    PjRecipe **args;
    PyObject *kwnames; /* tuple or NULL */
    int nlinks;
    PjLink *chain;
    PjRows *rows;
    int root; /* of a "put": the word of the index, or -1 */
    PyObject *(*deed)(struct PjSite *, int64_t *);
    PjInlineCache cache; /* of a "look" or "put" */
} PjSite;

/* Of a function whose calls go natively and in the interpreter in turn, or of a loop whose rounds do, to see what is faster (trial.c). */
typedef struct {
    bool on;
    bool plain;  /* the calls, or rounds, of this burst are the interpreter's */
    bool now;    /* and so is the newest call */
    bool slower; /* the verdict, until on_trial has been told */
    enum { PJ_TRIAL_FIRST, PJ_TRIAL_SECOND } stage; /* of a pair of bursts */
    int length, left, most; /* of a burst, in calls or rounds; of those that take little time at most */
    int won, lost;          /* pairs in which native code was the faster, or not */
    int64_t began, first;   /* the clock when the burst began; what the first of the pair took */
    int64_t native;         /* what the last native burst took; 0: there was none */
    int64_t callbacks;      /* when the pair began */
} PjTrial;

#define PJ_OWN_ARGUMENTS 7
#define PJ_STACK_WORDS 512 /* at most, for one run */

typedef enum { PJ_INT, PJ_FLOAT, PJ_BOOL, PJ_OBJECT, PJ_UNUSED } PjPassed;

/* How native code is given a parameter. */
typedef struct {
    PjPassed as;
    int word, reg;      /* -1: none */
    PyTypeObject *type; /* of an object, or NULL: any; borrowed of its row */
    bool same;          /* more of it is looked at: it has to be the object that those guards saw */
} PjParameter;

typedef struct {
    PyObject_HEAD
    PjNative native;
    int nwords, roots_start, nroots;
    PjRows *rows;
    int nexits, nsites;
    PjExit *exits;
    PjSite *sites;
    int64_t hits, misses;
    int64_t sampled, samples; /* nanoseconds in native code, but for what it called in NumPy, and of how many runs */
    bool repeatable; /* nothing it does can be noticed before it returns: what it began may be begun again. So far it was not too much that was */
    bool due; /* a callback: the next run has a frame, which it looks at */
    int64_t in_vain, own_calls; /* in vain: runs, and the calls within them that count as more; those within runs that returned */
    PjParameter parameters[PJ_OWN_ARGUMENTS];
    int inputs_end; /* the words of the guards' values come before */
    bool direct;    /* its parameters are all that differs from call to call */
    bool counts;     /* it counts the rounds of its loop (turns.c), */
    bool taken;      /* which take turns in a frame now, */
    int begun;       /* and did in so many, */
    int64_t extra;   /* nanoseconds that one in the interpreter takes longer then */
    PjTrial trial;   /* of the loop */
    PyObject *texts, *keep, *data;
} PjFragment;

/* The words of one run: native code's, the registers of its guards, and their fingerprints where somebody may ask for those. */
static inline size_t pj_run_words(const PjFragment *f, bool fingerprints)
{
    return (size_t)f->nwords + (size_t)f->rows->registers + (fingerprints ? (size_t)f->rows->count : 0);
}

#endif
