/* ramp.c - np.arange for native code, as NumPy fills it: from the first two elements. Plain memory. */
#include "helpers.h"

void pj_ramp_ints(int64_t *target, int64_t n, int64_t start, int64_t step)
{
    for (int64_t i = 0; i < n; i++) {
        target[i] = (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)step);
    }
}

void pj_ramp_floats(double *target, int64_t n, double first, double second)
{
    const double step = second - first;
    for (int64_t i = 2; i < n; i++) {
        target[i] = first + (double)i * step;
    }
    if (n > 0) {
        target[0] = first;
    }
    if (n > 1) {
        target[1] = second;
    }
}
