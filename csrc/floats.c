/* floats.c - floating-point flags, and powers as Python computes them. */
#include <fenv.h>
#include <math.h>
#include "helpers.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* The bits of docs/native.md, which are NumPy's NPY_FPE_*. */
enum { FPE_DIVIDE = 1, FPE_OVER = 2, FPE_UNDER = 4, FPE_BAD = 8 };

/* On x86-64 all of Python's and NumPy's arithmetic is SSE, whose status register costs 1 to 5 ns, fenv.h 40. But feraiseexcept() of glibc, by which
 * some of NumPy's loops report (float32 exp), tells the x87 unit, which costs as much again. Its flags are in the same places. */
#if defined(__x86_64__)
#define COUNTED 0x1D /* those that somebody looks at */

static inline unsigned x87_flags(void)
{
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status & 0x3F;
}

static inline int64_t named(unsigned flags)
{
    return ((flags >> 2 & 1) * FPE_DIVIDE) | ((flags >> 3 & 1) * FPE_OVER) |
           ((flags >> 4 & 1) * FPE_UNDER) | ((flags & 1) * FPE_BAD);
}

void pj_fp_clear_own(void)
{
    unsigned csr = _mm_getcsr();
    if (csr & COUNTED) { /* writing the register waits for all arithmetic to end */
        _mm_setcsr(csr & ~0x3Fu);
    }
}

int64_t pj_fp_get_own(void)
{
    return named(_mm_getcsr());
}

void pj_fp_clear(void)
{
    if (PJ_UNLIKELY(x87_flags() & COUNTED)) {
        __asm__ volatile("fnclex");
    }
    pj_fp_clear_own();
}

int64_t pj_fp_get(void)
{
    return named(_mm_getcsr() | x87_flags());
}
#else
void pj_fp_clear(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

int64_t pj_fp_get(void)
{
    int flags = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    return (flags & FE_DIVBYZERO ? FPE_DIVIDE : 0) | (flags & FE_OVERFLOW ? FPE_OVER : 0) |
           (flags & FE_UNDERFLOW ? FPE_UNDER : 0) | (flags & FE_INVALID ? FPE_BAD : 0);
}

void pj_fp_clear_own(void)
{
    pj_fp_clear();
}

int64_t pj_fp_get_own(void)
{
    return pj_fp_get();
}
#endif

static bool is_odd(double w)
{
    return fmod(fabs(w), 2.0) == 1.0;
}

/* float_pow of CPython's floatobject.c without its error cases: 0.0 to a negative power, a negative number to a
 * fraction (complex) and overflow are for the caller. */
double pj_pow(double v, double w)
{
    bool negate = false;
    if (w == 0) {
        return 1.0;
    }
    if (isnan(v)) {
        return v;
    }
    if (isnan(w)) {
        return v == 1.0 ? 1.0 : w;
    }
    if (isinf(w)) {
        v = fabs(v);
        if (v == 1.0) {
            return 1.0;
        }
        return (w > 0.0) == (v > 1.0) ? fabs(w) : 0.0;
    }
    if (isinf(v)) {
        bool odd = is_odd(w);
        if (w > 0.0) {
            return odd ? v : fabs(v);
        }
        return odd ? copysign(0.0, v) : 0.0;
    }
    if (v == 0.0) {
        if (w < 0.0) {
            return INFINITY; /* ZeroDivisionError: whoever calls leaves when finite numbers give this */
        }
        return is_odd(w) ? v : 0.0;
    }
    if (v < 0.0) {
        v = -v;
        negate = is_odd(w);
    }
    if (v == 1.0) {
        return negate ? -1.0 : 1.0;
    }
    double x = pow(v, w);
    return negate ? -x : x;
}
