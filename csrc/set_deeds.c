/* set_deeds.c - operators and methods of sets, under the laws of deeds.c: CPython's own functions are called once it is known that nothing they
 * compare is the program's to compare.
 *
 * They compare an item of one set with what the other holds under the same hash, and what is put into a set with what is there. All that has
 * the hash of an item lies on its way through the table, before the first place that was never used. Items are those of a set, list or tuple. */
#include "deeds.h"
#include "keys.h"

/* The next item of a set (at: a place in its table), list or tuple, with its hash where that is known, else -1. */
static inline bool next(PyObject *items, Py_ssize_t *at, PyObject **item, Py_hash_t *hash)
{
    if (!PyAnySet_Check(items)) {
        const bool more = *at < PySequence_Fast_GET_SIZE(items);
        *item = more ? PySequence_Fast_GET_ITEM(items, *at) : NULL;
        *hash = -1;
        ++*at;
        return more;
    }
    const PySetObject *s = (PySetObject *)items;
    while (*at <= s->mask) {
        const setentry *entry = &s->table[(*at)++];
        if (entry->key != NULL && entry->hash != -1) { /* -1: something was removed there */
            *item = entry->key;
            *hash = entry->hash;
            return true;
        }
    }
    return false;
}

/* Does a set hold what is equal to the item? 1, 0, or -1: only Python can tell. `all`: whatever has its hash is compared with it, also what lies
 * behind what is equal; `goes`: that is to be let go of, with others. */
static int holds(PyObject *set, PyObject *item, Py_hash_t hash, bool all, bool goes)
{
    PjSetProbe probe = pj_set_probe((PySetObject *)set, hash);
    int found = 0;
    for (setentry *entry; (entry = pj_set_next(&probe)) != NULL;) {
        const int equal = entry->key == item ? 1 : pj_equal(entry->key, item);
        if (equal < 0 || (equal && goes && !pj_basic(entry->key, 0))) {
            return -1;
        }
        if (equal && !all) {
            return 1;
        }
        found |= equal;
    }
    return found;
}

/* What most items are, without a call. */
static inline bool is_plain(PyObject *item)
{
    return PyLong_CheckExact(item) || PyUnicode_CheckExact(item) || pj_plain(item, 0);
}

static bool all_plain(PyObject *items)
{
    PyObject *item;
    Py_hash_t hash;
    for (Py_ssize_t at = 0; next(items, &at, &item, &hash);) {
        if (!is_plain(item)) {
            return false;
        }
    }
    return true;
}

static bool all_basic(PyObject *set)
{
    PyObject *item;
    Py_hash_t hash;
    for (Py_ssize_t at = 0; next(set, &at, &item, &hash);) {
        if (!pj_basic(item, 0)) {
            return false;
        }
    }
    return true;
}

/* Are the items plain, and so is all that they meet in a set? `all`, `goes`: as for holds(). */
static bool met(PyObject *items, PyObject *set, bool all, bool goes)
{
    PyObject *item;
    Py_hash_t hash;
    for (Py_ssize_t at = 0; next(items, &at, &item, &hash);) {
        if (!is_plain(item) || (hash == -1 && (hash = PyObject_Hash(item)) == -1) || holds(set, item, hash, all, goes) < 0) {
            return false;
        }
    }
    return true;
}

static bool is_larger(PyObject *a, PyObject *b)
{
    return PyAnySet_Check(a) && PyAnySet_Check(b) && PySet_GET_SIZE(a) > PySet_GET_SIZE(b);
}

/* CPython, too, looks for the items of the smaller one in the larger one, and for those of the second where they are of one size. */
static bool both_meet(PyObject *a, PyObject *b)
{
    return is_larger(b, a) ? met(a, b, false, false) : met(b, a, false, false);
}

/* ---- (function, set, items): what makes a set ---- */

/* All of one or both goes into the result. */
static PyObject *set_all_of(PyObject **args, int n)
{
    return all_plain(args[1]) && (n == 2 || all_plain(args[2])) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_all)

/* What both have. */
static PyObject *set_meet_of(PyObject **args, int n)
{
    return both_meet(args[1], args[2]) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_meet)

/* What the first has and the second has not. */
static PyObject *set_less_of(PyObject **args, int n)
{
    const bool good = is_larger(args[2], args[1]) ? met(args[1], args[2], false, false) : all_plain(args[1]) && all_plain(args[2]);
    return good ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_less)

/* ---- (function, set, items): what changes the set ---- */

static PyObject *set_merged_of(PyObject **args, int n)
{
    return met(args[2], args[1], true, false) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_merged)

/* What is in both is let go of. */
static PyObject *set_reduced_of(PyObject **args, int n)
{
    const bool good = is_larger(args[2], args[1]) ? met(args[1], args[2], true, false) && all_basic(args[1]) : met(args[2], args[1], true, true);
    return good ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_reduced)

/* The same, but all of the items come in. */
static PyObject *set_swapped_of(PyObject **args, int n)
{
    return met(args[2], args[1], true, true) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_swapped)

/* What is in one only is let go of. */
static PyObject *set_kept_of(PyObject **args, int n)
{
    return both_meet(args[1], args[2]) && all_basic(args[1]) ? pj_call_of(args, n) : NULL;
}
OTHER_WITH_ALL(set_kept)

/* ---- (set, set): comparisons ---- */

static int within(PyObject *a, PyObject *b)
{
    PyObject *item;
    Py_hash_t hash;
    int found = 1;
    for (Py_ssize_t at = 0; found == 1 && next(a, &at, &item, &hash);) {
        found = holds(b, item, hash, false, false);
    }
    return found;
}

static PyObject *set_within_of(PyObject **args, int n)
{
    (void)n;
    return pj_truth(is_larger(args[0], args[1]) ? 0 : within(args[0], args[1]));
}
OTHER_WITH_ALL(set_within)

static PyObject *set_below_of(PyObject **args, int n)
{
    (void)n;
    return pj_truth(is_larger(args[1], args[0]) ? within(args[0], args[1]) : 0);
}
OTHER_WITH_ALL(set_below)

static PyObject *set_equal_of(PyObject **args, int n)
{
    (void)n;
    return pj_truth(PySet_GET_SIZE(args[0]) == PySet_GET_SIZE(args[1]) ? within(args[0], args[1]) : 0);
}
OTHER_WITH_ALL(set_equal)

/* Whether they have nothing in common. */
static PyObject *set_apart_of(PyObject **args, int n)
{
    (void)n;
    PyObject *few = is_larger(args[0], args[1]) ? args[1] : args[0], *many = few == args[0] ? args[1] : args[0], *item;
    Py_hash_t hash;
    int found = 0;
    for (Py_ssize_t at = 0; found == 0 && next(few, &at, &item, &hash);) {
        found = holds(many, item, hash, false, false);
    }
    return pj_truth(found < 0 ? -1 : !found);
}
OTHER_WITH_ALL(set_apart)
