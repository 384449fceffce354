/* scatter.h - the parts of np.bincount, np.add.at and np.subtract.at. */
#ifndef PIJIT_SCATTER_H
#define PIJIT_SCATTER_H

#include "ints.h"
#include "numpy_api.h"

int64_t pj_greatest(const Ints *a);
bool pj_make_bins(PyArrayObject **made, bool weighted, int64_t bins);
int64_t pj_count_or_weigh(PyArrayObject *made, const Ints *a, const char *weights, int64_t by);
bool pj_adder_raises(int64_t adder);

#endif
