/* axes.h - the axes of a copy from one array to another: which are walked, and in which order. */
#ifndef PJ_AXES_H
#define PJ_AXES_H

#include "helpers.h"

#define MAX_AXES 64

/* One axis: a length, how many places on what is there goes (0 <= by <= n), and the bytes from one element to the next in the target and
 * in the source. */
typedef struct {
    int64_t n, by, to, from;
} Axis;

static inline int64_t magnitude(int64_t step)
{
    return step < 0 ? -step : step;
}

/* The axes that are longer than 1, the smallest steps of the target last, those that stay and run on into each other as one. */
static inline int arranged(Axis *axes, int naxes)
{
    int n = 0;
    for (int i = 0; i < naxes; i++) {
        Axis axis = axes[i];
        if (axis.n == 1) {
            continue;
        }
        axis.by = axis.by == axis.n ? 0 : axis.by;
        int at = n++;
        for (; at > 0 && magnitude(axes[at - 1].to) < magnitude(axis.to); at--) {
            axes[at] = axes[at - 1];
        }
        axes[at] = axis;
    }
    int kept = 0;
    for (int i = 1; i < n; i++) {
        Axis *before = &axes[kept], *next = &axes[i];
        if (before->by == 0 && next->by == 0 && before->to == next->n * next->to && before->from == next->n * next->from) {
            next->n *= before->n;
            *before = *next;
        }
        else {
            axes[++kept] = *next;
        }
    }
    return n == 0 ? 0 : kept + 1;
}

static inline bool same_elements(const char *to, const char *from, const Axis *axes, int naxes)
{
    bool same = to == from;
    for (int i = 0; i < naxes && same; i++) {
        same = axes[i].to == axes[i].from;
    }
    return same;
}

#endif
