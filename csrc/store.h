/* store.h - kernels that store in an array that is there: how they are described. */
#ifndef PJ_STORE_H
#define PJ_STORE_H
#include "helpers.h"

#define MAX_AXES 64
#define BUFFER 16384 /* bytes: with the operands' in the first-level cache */

typedef int64_t (*Kernel)(int64_t low, int64_t high, int64_t *p);

/* How codegen/stores.py describes a kernel. An axis is a place in p, or -1, and a number of bytes. */
typedef struct {
    int64_t naxes, result; /* result: the place in p where the first row that was not computed is told, and behind it the flags if all is
                              stored all the same, and where rows before it wait to be stored, and how many, or AT_ONCE */
    int64_t watched;       /* flags that count */
    int64_t loops;         /* loops of NumPy's may raise them */
    int64_t direct;        /* warnings: 0 nobody knows, 1 only shown if they are at all, 2 there are none; 3 whatever comes, all is made again */
    int64_t whole;         /* what is not stored has to be all */
    int64_t in_place;      /* the kernel reads the target too, which is not among the operands */
    int64_t log;           /* then the place in p of where it puts what it read, or -1: it raises nothing or can do it again, */
    int64_t named;         /* or what flags there are says who raised them */
    int64_t own;           /* the place in p of the pointer of the operand that is the target, or -1 */
    int64_t threads, work; /* how many may share it, and units of work per element (share.c) */
    int64_t situation;     /* how many words further on its Situation is */
    int64_t noperands, noutputs;
    struct {
        int64_t place, itemsize, distance; /* place: of a pointer in p, behind which it lies by so many bytes */
        struct {
            int64_t place, bytes;
        } axes[];
    } target;
    /* the operands follow, each like the target, then places and sizes of elements of new arrays, and the Situation */
} Plan;

/* How what a kernel reads lies to where it stores, for certain words of p. */
typedef struct {
    int64_t known;  /* whether the rest is */
    int64_t simple; /* different elements lie in different memory, as far as can be seen at once */
    int64_t worst;  /* of the operands: APART, SAME or MIXED */
    int64_t lag;    /* how many of the last rows that were computed must not be stored, since rows after them read what is there; -1: it is not
                     * known; FALLING: none from the last row on */
    int64_t words[];
} Situation;
#define FALLING (-2)

/* An array as the kernel walks it. */
typedef struct {
    char *data;
    int64_t itemsize, distance, steps[MAX_AXES];
} Walk;

enum { APART, SAME, MIXED };
#define AT_ONCE (-1) /* no row may be stored before the others have been read */
enum { REDO, DONE, FINISH }; /* what codegen/stores.py is told */

#define WALK_WORDS(naxes) (3 + 2 * (naxes))

static inline const int64_t *read_walk(const int64_t *from, const int64_t *p, int64_t naxes, Walk *walk)
{
    const int64_t *axes = from + WALK_WORDS(0);
    walk->data = (char *)(intptr_t)(p[from[0]] + from[2]);
    walk->itemsize = from[1];
    walk->distance = from[2];
    for (int64_t i = 0; i < naxes; i++, axes += 2) {
        walk->steps[i] = axes[0] < 0 ? axes[1] : p[axes[0]];
    }
    return axes;
}

/* The situation (situation.c). */
const Situation *pj_situation(const Plan *plan, const int64_t *p);

static inline void clear_flags(const Plan *plan)
{
    if (plan->watched) {
        (plan->loops ? pj_fp_clear : pj_fp_clear_own)();
    }
}

/* Runs the kernel for a part of its first axis; gives the flags that count, and trouble. */
static inline int64_t raised(Kernel kernel, const Plan *plan, int64_t low, int64_t high, int64_t *p)
{
    int64_t units = plan->work * (high - low);
    for (int64_t i = 1; i < plan->naxes && plan->threads > 1; i++) {
        units *= p[i];
    }
    int64_t status = plan->threads > 1 ? pj_share(kernel, low, high, p, units, plan->threads) : kernel(low, high, p);
    if (plan->watched) {
        status |= plan->loops ? pj_fp_get() : pj_fp_get_own();
    }
    return status & (plan->watched | PJ_TROUBLE);
}

/* An array and what lies contiguously in a buffer, for pj_copy. */
typedef struct {
    int64_t steps[MAX_AXES]; /* of the buffer */
    int64_t out[3 * MAX_AXES], back[3 * MAX_AXES];
} Copies;

static inline void copies_of(const Walk *array, const int64_t *dims, int64_t naxes, Copies *copies)
{
    int64_t step = array->itemsize;
    for (int64_t i = naxes - 1; i >= 0; i--) {
        copies->steps[i] = step;
        step *= dims[i];
        copies->out[i] = copies->back[i] = dims[i];
        copies->out[naxes + i] = copies->back[2 * naxes + i] = array->steps[i];
        copies->back[naxes + i] = copies->out[2 * naxes + i] = copies->steps[i];
    }
}

/* Whether a flag may find a part of the target stored. */
static inline bool may_finish(const Plan *plan)
{
    return plan->direct == 2 || (plan->direct == 1 && pj_warnings_quiet());
}

#endif
