/* fold.c - reductions of contiguous arrays for native code: NumPy's inner loop, called as NumPy's reductions call it; where a call would cost
 * more than what it does, additions in the order in which the loop does them. Plain memory: no object is touched. */
#include "helpers.h"

#include "numpy_api.h"

#define SHORT 8 /* from here on NumPy's loop adds a row in another order */
#define FEW 16  /* elements that are added to others at once, up to which a call costs more */

typedef void Loop(char **args, const npy_intp *dims, const npy_intp *steps, void *data);

typedef struct {
    char *target;
    const char *source;
    int64_t before, n, after; /* the axes; the middle one is folded */
    int64_t itemsize;
    int64_t rows;      /* one element after the axis: the loop folds the whole row */
    int64_t first;     /* begins with the first element, not the identity */
    int64_t adds;      /* the ufunc adds: 1 doubles, 2 floats; 0 otherwise */
    char identity[16]; /* of nothing */
} Fold;

/* Each row to one element: what the first is, and the sum of the others. The loop begins a short sum with -0.0, which changes nothing. */
#define ADD_ROWS(T)                                                                                                   \
    do {                                                                                                              \
        const T *row = (const T *)f->source;                                                                          \
        T start;                                                                                                      \
        memcpy(&start, f->identity, sizeof start);                                                                    \
        for (int64_t i = 0; i < f->before; i++, row += f->n) {                                                        \
            T sum = (T)-0.0;                                                                                          \
            for (int64_t j = f->first; j < f->n; j++) {                                                               \
                sum += row[j];                                                                                        \
            }                                                                                                         \
            ((T *)f->target)[i] = (f->first ? row[0] : start) + sum;                                                  \
        }                                                                                                             \
    } while (0)

/* Row after row to the first one. */
#define ADD_TO_ROWS(T)                                                                                                \
    do {                                                                                                              \
        const T *row = (const T *)f->source;                                                                          \
        T *to = (T *)f->target, sums[FEW];                                                                            \
        for (int64_t i = 0; i < f->before; i++, to += f->after) {                                                     \
            int64_t j = f->first;                                                                                     \
            for (int64_t k = 0; k < f->after; k++) {                                                                  \
                memcpy(&sums[k], f->identity, sizeof *sums);                                                          \
            }                                                                                                         \
            if (j) {                                                                                                  \
                memcpy(sums, row, (size_t)f->after * sizeof *sums);                                                   \
                row += f->after;                                                                                      \
            }                                                                                                         \
            for (; j < f->n; j++, row += f->after) {                                                                  \
                for (int64_t k = 0; k < f->after; k++) {                                                              \
                    sums[k] += row[k];                                                                                \
                }                                                                                                     \
            }                                                                                                         \
            memcpy(to, sums, (size_t)f->after * sizeof *sums);                                                        \
        }                                                                                                             \
    } while (0)

static void begin(const Fold *f, char *to, const char *from)
{
    const int64_t size = f->after * f->itemsize;
    if (f->first && f->n) {
        memcpy(to, from, (size_t)size);
        return;
    }
    for (int64_t k = 0; k < size; k += f->itemsize) {
        memcpy(to + k, f->identity, (size_t)f->itemsize);
    }
}

static void by_loop(const Fold *f, Loop *loop, void *data)
{
    const int64_t first = f->first && f->n, row = f->after * f->itemsize;
    const npy_intp length = f->rows ? f->n - first : f->after, in = f->itemsize, out = f->rows ? 0 : in, steps[] = {out, in, out};
    for (int64_t i = 0; i < f->before; i++) {
        char *to = f->target + i * row;
        const char *from = f->source + i * f->n * row;
        begin(f, to, from);
        for (int64_t j = first; j < (f->rows ? first + 1 : f->n); j++) {
            char *args[] = {to, (char *)from + j * row, to};
            loop(args, &length, steps, data);
        }
    }
}

/* target[i, k] = reduction of source[i, :, k]; block: a Fold. An axis of length 0 gives the identity. */
void pj_fold(void *loop, void *data, const int64_t *block)
{
    const Fold *f = (const Fold *)block;
    if (f->adds && f->n && (f->rows ? f->n - f->first < SHORT : f->after <= FEW)) {
        if (f->rows && f->adds == 1) {
            ADD_ROWS(double);
        }
        else if (f->rows) {
            ADD_ROWS(float);
        }
        else if (f->adds == 1) {
            ADD_TO_ROWS(double);
        }
        else {
            ADD_TO_ROWS(float);
        }
        return;
    }
    by_loop(f, (Loop *)loop, data);
}

/* Where the largest or the smallest element of each row is; rows of at least one element lie behind each other. It is found by what np.argmax and
 * np.argmin call for the type (NPY_TYPES), which looks at the numbers only. */
void pj_arg_extreme(int64_t type, int64_t largest, const char *data, int64_t rows, int64_t n, int64_t *places)
{
    const bool timed = pj_times.runs != 0;
    const int64_t start = timed ? pj_clock() : 0;
    PyArray_Descr *dtype = PyArray_DescrFromType((int)type); /* one of NumPy's own, which stays */
    const PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(dtype);
    PyArray_ArgFunc *find = largest ? functions->argmax : functions->argmin;
    const int64_t step = n * PyDataType_ELSIZE(dtype);
    Py_DECREF(dtype);
    for (int64_t i = 0; i < rows; i++) {
        npy_intp place = 0;
        find((void *)(uintptr_t)(data + i * step), n, &place, NULL);
        places[i] = place;
    }
    if (timed) {
        pj_times.in_numpy += pj_clock() - start;
    }
}
