/* states.h - what a code object owns: the places where fragments are looked for, and the clones that lead there. */
#ifndef PIJIT_STATES_H
#define PIJIT_STATES_H

#include "compat.h"
#include "fragments.h"

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
    int64_t took;  /* about how many nanoseconds the interpreter took from its misses to the next entry or the end of the frame, */
    int64_t laps;  /* of the first so many of them: */
    int64_t last;  /* what it took of the last one that was timed, and stands for those before it */
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
    unsigned calls;
    int every;         /* one call in so many is counted (sampled.c) */
    int64_t met;       /* calls, also those that others stand for */
    struct PjState *next_met; /* of those that were met since the last tick; NULL: it was not */
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

#endif
