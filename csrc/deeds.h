/* deeds.h - deeds: what built-in containers do, done in the middle of a fragment (deeds.c has the laws, and the table). */
#ifndef PIJIT_DEEDS_H
#define PIJIT_DEEDS_H

#include "pijit.h"

#include <stdbool.h>

typedef PyObject *Deed(PjSite *, int64_t *);

/* Those of other files: dict_deeds.c, set_deeds.c, order_deeds.c, sequence_deeds.c, slices.c. */
#define OTHER_DEEDS(X)                                                                                                \
    X(dict_store) X(dict_default) X(dict_made) X(dict_pop) X(dict_delete) X(dict_clear) X(dict_all) X(dict_merged) X(dict_paired) \
    X(set_all) X(set_meet) X(set_less) X(set_merged) X(set_reduced) X(set_swapped) X(set_kept) X(set_within) X(set_below) X(set_equal) X(set_apart) \
    X(items_compared) X(deque_put) X(list_slice) X(list_part) X(list_sort) X(sorted) X(sorted_by) X(heap_push) X(heap_pop) X(heap_made) X(insort)

#define X(name) Deed pj_##name;
OTHER_DEEDS(X)
#undef X

PyObject *pj_with_all(PjSite *s, int64_t *W, PyObject *(*what)(PyObject **, int));
PyObject *pj_call_of(PyObject **args, int n);

/* The deed of a name: name_of() with all arguments. */
#define WITH_ALL(name) WITH_ALL_AS(static, name, name)
#define OTHER_WITH_ALL(name) WITH_ALL_AS(, pj_##name, name)
#define WITH_ALL_AS(linkage, deed, name)                                                                              \
    linkage PyObject *deed(PjSite *s, int64_t *W)                                                                     \
    {                                                                                                                 \
        return pj_with_all(s, W, name##_of);                                                                          \
    }

static inline PyObject *pj_truth(int found)
{
    return found < 0 ? NULL : Py_NewRef(found ? Py_True : Py_False);
}

static inline PyObject *pj_done(bool good)
{
    if (!good) {
        PyErr_Clear();
        return NULL;
    }
    return Py_NewRef(Py_None);
}

#endif
