/* helpers.h - what native code calls: arrays and their memory, kernels, floating-point flags. docs/native.md says more. */
#ifndef PIJIT_HELPERS_H
#define PIJIT_HELPERS_H

#include "pijit.h"

/* spare.c */
PyObject *pj_empty(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);
bool pj_is_as_new(PyObject *o, int64_t typenum, int64_t ndim, const int64_t *dims, int64_t order);
void pj_release(PyObject *o);
void pj_drop_spare(void);
int64_t pj_run_native(PjFragment *f, int64_t *W);

/* scratch.c */
void *pj_scratch(int64_t itemsize, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order, void **data);
void *pj_scratch_later(int64_t itemsize, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order, void **data);
PyObject *pj_scratch_array(void *scratch);
void pj_discard(void *scratch);
PyObject *pj_kept(void *scratch, int64_t typenum, int64_t ndim, int64_t *dims, int64_t order);

/* views.c */
PyObject *pj_view(PyObject *base, void *data, int64_t typenum, int64_t ndim, int64_t *dims, int64_t *strides, int64_t writable);

/* copy.c */
void pj_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t itemsize);
void pj_copy(char *to, const char *from, int64_t itemsize, int64_t ndim, const int64_t *block);
int64_t pj_assign(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block);
void pj_assign_around(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block, const char *part);
void pj_extent(const char *data, int64_t itemsize, int64_t ndim, const int64_t *dims, const int64_t *steps, uintptr_t *low,
               uintptr_t *high);

/* roll.c */
int64_t pj_roll(char *target, const char *source, int64_t itemsize, int64_t ndim, const int64_t *block);
int64_t pj_kernel_rolled(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, const int64_t *block, int64_t count);

/* mask.c */
int64_t pj_mask_count(const char *mask, int64_t ndim, const int64_t *block);
void pj_mask_places(int64_t *target, const char *mask, int64_t ndim, const int64_t *block, int64_t count);
void pj_pick(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block);
int64_t pj_place(char *target, const char *source, const char *mask, int64_t itemsize, const int64_t *block);

/* take.c */
int64_t pj_take(char *target, const char *source, const char *index, int64_t itemsize, const int64_t *block);
int64_t pj_list_ints(PyObject *list, int64_t *out, int64_t n);

/* scatter.c */
PyObject *pj_bincount(int64_t bins, const char *data, const char *weights, const int64_t *block);
int64_t pj_add_at(char *data, const char *index, const char *values, const int64_t *block);
int64_t pj_within(const char *data, int64_t kind, int64_t step, int64_t n, int64_t length);

/* scattered.c */
int64_t pj_scattered(int64_t (*kernel)(int64_t, int64_t, int64_t *), int64_t *p, int64_t *plan);

/* histogram.c */
int64_t pj_edges(double *edges, int64_t bins, double first, double last, int64_t exact);
void pj_places(int32_t *places, const double *edges, int64_t bins, const char *data, int64_t step, int64_t n);
int64_t pj_histogram(void *result, int64_t bins, const int32_t *places, int64_t n, const char *data, int64_t step, int64_t watched);

/* search.c */
int64_t pj_search(int64_t *target, const char *a, const char *v, const int64_t *block);
void pj_interp(double *target, const char *x, int64_t step, int64_t count, const double *xp, const double *fp, int64_t n, double left,
               double right);

/* ramp.c */
void pj_ramp_ints(int64_t *target, int64_t n, int64_t start, int64_t step);
void pj_ramp_floats(double *target, int64_t n, double first, double second);

/* fold.c */
void pj_arg_extreme(int64_t type, int64_t largest, const char *data, int64_t rows, int64_t n, int64_t *places);
void pj_fold(void *loop, void *data, const int64_t *block);

/* floats.c */
void pj_fp_clear(void);
int64_t pj_fp_get(void);
void pj_fp_clear_own(void); /* of code that is compiled here and calls no other */
int64_t pj_fp_get_own(void);
double pj_pow(double v, double w);

/* numbers.c */
int64_t pj_gcd(int64_t a, int64_t b);
int64_t pj_lcm(int64_t a, int64_t b);
int64_t pj_isqrt(int64_t n);
int64_t pj_comb(int64_t n, int64_t k);
int64_t pj_perm(int64_t n, int64_t k);
int64_t pj_factorial(int64_t n);
int64_t pj_pow_mod(int64_t a, int64_t n, int64_t m);
int64_t pj_isclose(double a, double b, double rel_tol, double abs_tol);
int64_t pj_called(PyObject *function, int64_t n, int64_t ints, int64_t *numbers);
int64_t pj_rounded(PyObject *function, int64_t n, int64_t ints, int64_t *numbers);
int64_t pj_random_bits(PyCFunction method, PyObject *random, int64_t k);

/* frameless.c */
int64_t pj_own_call(int64_t *W, PyObject *function, int64_t codes, int64_t n, int64_t *words);

/* share.c */
#define PJ_WORTH (1 << 20) /* units of work, about a tenth of a nanosecond each, from which on waking a thread pays */
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

/* symbols.c */
extern int64_t pj_forced; /* for tests: generated code may count it down */
int64_t pj_unbox_int(PyObject *o, int64_t *out);
PyObject *pj_symbols(void);

#endif
