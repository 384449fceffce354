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
int pj_ordered(PyObject *a, PyObject *b, int op);
int pj_less(PyObject *a, PyObject *b);
bool pj_has_keys(PyObject *dict, PyObject *names);
bool pj_dict_takes(PyObject *dict);
PjFound pj_dict_find(PyObject *dict, const PjRecipe *key, int64_t *W, PyObject **held, PyObject ***value);
bool pj_dict_is_no_space(PyObject *dict, int64_t *W);
bool pj_dict_meets(PyObject *dict, PyObject *key, int64_t *W);
PyObject *pj_at_hand(const PjRecipe *r, int64_t *W);
PjFound pj_set_find(PyObject *set, const PjRecipe *key, int64_t *W, PyObject **held);

/* The way through the table of a set to all that has a hash: the probing of setobject.c. */
typedef struct {
    const PySetObject *set;
    Py_hash_t hash;
    size_t i, perturb;
    setentry *entry;
    int neighbours; /* that are looked at before the next jump */
} PjSetProbe;

static inline void pj_set_jump(PjSetProbe *p, size_t i)
{
    p->i = i & (size_t)p->set->mask;
    p->entry = &p->set->table[p->i];
    p->neighbours = p->i + 9 <= (size_t)p->set->mask ? 9 : 0;
}

static inline PjSetProbe pj_set_probe(const PySetObject *set, Py_hash_t hash)
{
    PjSetProbe p = {.set = set, .hash = hash, .perturb = (size_t)hash};
    pj_set_jump(&p, (size_t)hash);
    return p;
}

/* The next entry with the hash, or NULL at a place that was never used. */
static inline setentry *pj_set_next(PjSetProbe *p)
{
    for (;;) {
        setentry *entry = p->entry;
        if (entry->hash == 0 && entry->key == NULL) {
            return NULL;
        }
        if (p->neighbours-- > 0) {
            p->entry++;
        }
        else {
            p->perturb >>= 5;
            pj_set_jump(p, p->i * 5 + 1 + p->perturb);
        }
        if (entry->hash == p->hash) {
            return entry;
        }
    }
}

#endif
