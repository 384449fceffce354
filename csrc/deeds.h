/* deeds.h - deeds: what built-in containers do, done in the middle of a fragment (deeds.c has the laws, and the table). */
#ifndef PIJIT_DEEDS_H
#define PIJIT_DEEDS_H

#include "pijit.h"

#include <stdbool.h>

typedef PyObject *Deed(PjSite *, int64_t *);

#define DICT_DEEDS(X) X(dict_store) X(dict_default) X(dict_made) X(dict_pop) X(dict_delete)

#define X(name) Deed pj_##name;
DICT_DEEDS(X)
#undef X

static inline PyObject *pj_done(bool good)
{
    if (!good) {
        PyErr_Clear();
        return NULL;
    }
    return Py_NewRef(Py_None);
}

#endif
