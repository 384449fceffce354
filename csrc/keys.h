/* keys.h - keys that native code has: looked up in dicts and sets without being made, and without running Python. */
#ifndef PIJIT_KEYS_H
#define PIJIT_KEYS_H

#include "pijit.h"

typedef enum { PJ_ABSENT, PJ_FOUND, PJ_UNSURE /* only Python can tell */ } PjFound;

int pj_keys_init(void);
bool pj_plain(PyObject *o, int depth);
bool pj_basic(PyObject *o, int depth);
bool pj_quiet(PyObject *o);
int pj_equal(PyObject *a, PyObject *b);
int pj_less(PyObject *a, PyObject *b);
bool pj_dict_takes(PyObject *dict);
PjFound pj_dict_find(PyObject *dict, const PjRecipe *key, int64_t *W, PyObject **held, PyObject ***value);
bool pj_dict_is_no_space(PyObject *dict, int64_t *W);
bool pj_dict_meets(PyObject *dict, PyObject *key, int64_t *W);
PyObject *pj_at_hand(const PjRecipe *r, int64_t *W);
PjFound pj_set_find(PyObject *set, const PjRecipe *key, int64_t *W, PyObject **held);

#endif
