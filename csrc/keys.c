/* keys.c - see keys.h. A key is a recipe: (x, y) of two words is hashed and compared as it is, no tuple is made.
 *
 * What Python does with a key of a class of the program's, or with one that is held and has the same hash, runs code: then the answer is
 * PJ_UNSURE, and nothing has been done. */
#include <math.h>
#include "helpers.h"
#include "keys.h"
#include "recipes.h"

#define DEPTH 8 /* of tuples in tuples */

/* Types whose objects are equal only to their like, or to themselves, and compare without running Python. */
static bool is_basic(PyObject *o)
{
    return PyLong_CheckExact(o) || PyUnicode_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) || o == Py_None || PyBytes_CheckExact(o) ||
           PyComplex_CheckExact(o);
}

/* Do its hash, and == with others that are plain, run no Python? */
bool pj_plain(PyObject *o, int depth)
{
    if (is_basic(o)) {
        return true;
    }
    if (PyTuple_CheckExact(o)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++) {
            if (depth >= DEPTH || !pj_plain(PyTuple_GET_ITEM(o, i), depth + 1)) {
                return false;
            }
        }
        return true;
    }
    return Py_TYPE(o)->tp_richcompare == PyBaseObject_Type.tp_richcompare && Py_TYPE(o)->tp_hash == PyBaseObject_Type.tp_hash;
}

/* May it be let go of, with any number of others: is it a number or text, or a tuple of such? */
bool pj_basic(PyObject *o, int depth)
{
    if (!PyTuple_CheckExact(o)) {
        return is_basic(o);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++) {
        if (depth >= DEPTH || !pj_basic(PyTuple_GET_ITEM(o, i), depth + 1)) {
            return false;
        }
    }
    return true;
}

/* Are two exact texts equal? */
static inline bool same_text(PyObject *a, PyObject *b)
{
    const Py_ssize_t n = PyUnicode_GET_LENGTH(a);
    const int kind = PyUnicode_KIND(a);
    if (n != PyUnicode_GET_LENGTH(b) || kind != (int)PyUnicode_KIND(b)) {
        return false; /* the kind is that of the widest character */
    }
    return memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), (size_t)n * (size_t)kind) == 0;
}

/* The same for native code. */
int64_t pj_text_same(PyObject *a, PyObject *b)
{
    return a == b || same_text(a, b);
}

/* Are the keys of an exact dict these texts, in this order? */
bool pj_has_keys(PyObject *dict, PyObject *names)
{
    if (names == NULL || !PyDict_CheckExact(dict) || PyDict_GET_SIZE(dict) != PyTuple_GET_SIZE(names)) {
        return false;
    }
    PyObject *key;
    Py_ssize_t place = 0, i = 0;
    while (PyDict_Next(dict, &place, &key, NULL)) {
        PyObject *name = PyTuple_GET_ITEM(names, i++);
        if (!PyUnicode_CheckExact(key) || !pj_text_same(key, name)) {
            return false;
        }
    }
    return true;
}

/* a is b or a == b: 1, 0, or -1: only Python can tell. */
int pj_equal(PyObject *a, PyObject *b)
{
    if (a == b) {
        return 1;
    }
    if (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) {
        return same_text(a, b);
    }
    if (!pj_plain(a, 0) || !pj_plain(b, 0)) {
        return -1;
    }
    int found = PyObject_RichCompareBool(a, b, Py_EQ);
    if (found < 0) {
        PyErr_Clear();
    }
    return found;
}

static inline bool is_number(PyObject *o)
{
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o);
}

/* a <op> b of numbers, or of texts of one type: 1, 0, or -1: only Python can tell, or it raises. */
int pj_ordered(PyObject *a, PyObject *b, int op)
{
    bool numbers = is_number(a) && is_number(b);
    bool texts = (PyUnicode_CheckExact(a) && PyUnicode_CheckExact(b)) || (PyBytes_CheckExact(a) && PyBytes_CheckExact(b));
    if (!numbers && !texts) {
        return -1;
    }
    int found = PyObject_RichCompareBool(a, b, op);
    if (found < 0) {
        PyErr_Clear();
    }
    return found;
}

/* a < b of numbers or texts of one type, or tuples of such: 1, 0, or -1: only Python can tell, or it raises. */
int pj_less(PyObject *a, PyObject *b)
{
    if (PyTuple_CheckExact(a) && PyTuple_CheckExact(b)) {
        Py_ssize_t n = Py_MIN(PyTuple_GET_SIZE(a), PyTuple_GET_SIZE(b));
        for (Py_ssize_t i = 0; i < n; i++) {
            PyObject *x = PyTuple_GET_ITEM(a, i), *y = PyTuple_GET_ITEM(b, i);
            int equal = pj_equal(x, y);
            if (equal != 1) {
                return equal < 0 ? -1 : pj_less(x, y);
            }
        }
        return PyTuple_GET_SIZE(a) < PyTuple_GET_SIZE(b);
    }
    int64_t x, y;
    if (PyLong_CheckExact(a) && PyLong_CheckExact(b) && pj_long_compact(a, &x) && pj_long_compact(b, &y)) {
        return x < y;
    }
    return pj_ordered(a, b, Py_LT);
}

/* ---- a key that is a recipe ---- */

/* hash() of an int, modulo 2**61 - 1. */
static Py_hash_t hash_of_int(int64_t v)
{
    uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    m = (m & _PyHASH_MODULUS) + (m >> _PyHASH_BITS);
    m = m >= _PyHASH_MODULUS ? m - _PyHASH_MODULUS : m;
    Py_hash_t h = v < 0 ? -(Py_hash_t)m : (Py_hash_t)m;
    return h == -1 ? -2 : h;
}

static inline bool hash_of_object(PyObject *o, Py_hash_t *hash)
{
    if (PyUnicode_CheckExact(o) && ((PyASCIIObject *)o)->hash != -1) {
        *hash = ((PyASCIIObject *)o)->hash;
        return true;
    }
    if (!pj_plain(o, 0)) {
        return false;
    }
    *hash = PyObject_Hash(o);
    if (*hash == -1) {
        PyErr_Clear();
    }
    return *hash != -1;
}

/* The object of the recipe (borrowed), where it is one already, else NULL. */
PyObject *pj_at_hand(const PjRecipe *r, int64_t *W)
{
    switch (r->op) {
    case R_CONST:
        return pj_held(r->object);
    case R_OBJECT:
        return (PyObject *)(intptr_t)W[r->a];
    case R_INPUT:
        return ((PjRun *)(intptr_t)W[1])->registers[r->a];
    case R_BOOL:
        return W[r->a] ? Py_True : Py_False;
    default:
        return NULL;
    }
}

/* A number that says which object it is: a key is looked up by what it is equal to. */
static const PjRecipe *number_of(const PjRecipe *r)
{
    return r->op == R_ONE_OF || r->op == R_LOADED ? r->kids[0] : r;
}

static bool hash_of(const PjRecipe *r, int64_t *W, Py_hash_t *hash)
{
    r = number_of(r);
    if (r->op == R_INT) {
        *hash = hash_of_int(W[r->a]);
        return true;
    }
    if (r->op == R_FLOAT) {
        double v;
        memcpy(&v, &W[r->a], sizeof v);
        if (v == floor(v) && fabs(v) < 9e15) { /* that of the int it is equal to */
            *hash = hash_of_int((int64_t)v);
            return true;
        }
        PyObject *o = isnan(v) ? NULL : PyFloat_FromDouble(v); /* a NaN is the same key only if it is the same object */
        bool done = o != NULL && hash_of_object(o, hash);
        Py_XDECREF(o);
        return done;
    }
    if (r->op == R_TUPLE) { /* tuplehash() of tupleobject.c */
        uint64_t acc = 2870177450012600261U;
        for (int i = 0; i < r->count; i++) {
            Py_hash_t lane;
            if (!hash_of(r->kids[i], W, &lane)) {
                return false;
            }
            acc += (uint64_t)lane * 14029467366897019727U;
            acc = (acc << 31) | (acc >> 33);
            acc *= 11400714785074694791U;
        }
        acc += (uint64_t)r->count ^ (2870177450012600261U ^ 3527539U);
        *hash = acc == (uint64_t)-1 ? 1546275796 : (Py_hash_t)acc;
        return true;
    }
    PyObject *o = pj_at_hand(r, W);
    return o != NULL && hash_of_object(o, hash);
}

static int same_number(double v, PyObject *o)
{
    return PyFloat_CheckExact(o) ? PyFloat_AS_DOUBLE(o) == v : -1;
}

/* Is the object that is held equal to the key? 1, 0, or -1: only Python can tell. */
static int same(const PjRecipe *r, int64_t *W, PyObject *o)
{
    r = number_of(r);
    if (r->op == R_INT) {
        int64_t v;
        if (PyLong_CheckExact(o)) {
            return pj_unbox_int(o, &v) == 0 && v == W[r->a];
        }
        if (PyBool_Check(o)) {
            return (o == Py_True) == W[r->a];
        }
        if (PyFloat_CheckExact(o)) {
            double f = PyFloat_AS_DOUBLE(o);
            return fabs(f) < 9e18 && (double)(int64_t)f == f && (int64_t)f == W[r->a];
        }
        return PyUnicode_CheckExact(o) || PyTuple_CheckExact(o) || o == Py_None || PyBytes_CheckExact(o) ? 0 : -1;
    }
    if (r->op == R_FLOAT) {
        double v;
        memcpy(&v, &W[r->a], sizeof v);
        if (PyUnicode_CheckExact(o) || PyTuple_CheckExact(o) || o == Py_None) {
            return 0;
        }
        int64_t whole;
        return PyLong_CheckExact(o) && pj_unbox_int(o, &whole) == 0 && fabs(v) < 9e15 && llabs(whole) < 9000000000000000 ? (double)whole == v
                                                                                                                       : same_number(v, o);
    }
    if (r->op == R_TUPLE) {
        if (!PyTuple_CheckExact(o)) {
            return is_basic(o) ? 0 : -1;
        }
        if (PyTuple_GET_SIZE(o) != r->count) {
            return 0;
        }
        for (int i = 0; i < r->count; i++) {
            int equal = same(r->kids[i], W, PyTuple_GET_ITEM(o, i));
            if (equal != 1) {
                return equal;
            }
        }
        return 1;
    }
    PyObject *key = pj_at_hand(r, W);
    return key == NULL ? -1 : pj_equal(key, o);
}

/* ---- dicts: the probing of dictobject.c ---- */

static inline Py_ssize_t index_at(PyDictKeysObject *keys, size_t i)
{
    int bits = keys->dk_log2_size;
    if (bits < 8) {
        return ((const int8_t *)keys->dk_indices)[i];
    }
    if (bits < 16) {
        return ((const int16_t *)keys->dk_indices)[i];
    }
    return bits < 32 ? (Py_ssize_t)((const int32_t *)keys->dk_indices)[i] : (Py_ssize_t)((const int64_t *)keys->dk_indices)[i];
}

static inline PyObject *key_at(PyDictKeysObject *keys, bool texts, Py_ssize_t index)
{
    return texts ? DK_UNICODE_ENTRIES(keys)[index].me_key : DK_ENTRIES(keys)[index].me_key;
}

static inline PyObject **value_at(PyDictKeysObject *keys, bool texts, Py_ssize_t index)
{
    return texts ? &DK_UNICODE_ENTRIES(keys)[index].me_value : &DK_ENTRIES(keys)[index].me_value;
}

/* The way through a table to all that has a hash. */
typedef struct {
    PyDictKeysObject *keys;
    Py_hash_t hash;
    size_t i, perturb;
} Probe;

static inline Probe probe_of(PyDictKeysObject *keys, Py_hash_t hash)
{
    return (Probe){keys, hash, (size_t)hash, (size_t)hash};
}

/* The index of the next entry with the hash; negative: there are no more. */
static inline Py_ssize_t next_of_hash(Probe *p)
{
    const bool texts = DK_IS_UNICODE(p->keys);
    const size_t mask = ((size_t)1 << p->keys->dk_log2_size) - 1;
    for (;;) {
        Py_ssize_t index = index_at(p->keys, p->i & mask);
        p->perturb >>= 5;
        p->i = (p->i & mask) * 5 + p->perturb + 1;
        if (index == DKIX_EMPTY) {
            return -1;
        }
        if (index >= 0 && (texts ? ((PyASCIIObject *)key_at(p->keys, true, index))->hash : DK_ENTRIES(p->keys)[index].me_hash) == p->hash) {
            return index;
        }
    }
}

/* Is it where the running code keeps its names? What native code knows of those is written there later. */
static bool is_namespace(PyObject *dict, int64_t *W)
{
    PjFrame *frame = ((PjRun *)(intptr_t)W[1])->frame;
    return dict == frame->f_globals || dict == frame->f_locals;
}

static struct {
    PyDictKeysObject *keys; /* only compared */
    Py_hash_t hash;
    Py_ssize_t index;
} last;

static PyObject *getitem, *setitem, *name_of_module;

int pj_keys_init(void)
{
    getitem = PyUnicode_InternFromString("__getitem__");
    setitem = PyUnicode_InternFromString("__setitem__");
    name_of_module = PyUnicode_InternFromString("__name__");
    return getitem == NULL || setitem == NULL || name_of_module == NULL ? -1 : 0;
}

/* Whether a class that is not dict itself has dict's method. Only the slots of a class in C show that: dict's __getitem__ is a plain method, for which
 * subclasses in Python get a slot of their own, and __setitem__ shares one with __delitem__, which Counter has. */
static bool has_method_of_dict(PyTypeObject *type, PyObject *name)
{
    return _PyType_Lookup(type, name) == _PyType_Lookup(&PyDict_Type, name);
}

static bool gives(PyObject *dict)
{
    PyTypeObject *type = Py_TYPE(dict);
    return type->tp_as_mapping->mp_subscript == PyDict_Type.tp_as_mapping->mp_subscript || has_method_of_dict(type, getitem);
}

/* Whether items are put into it as into a dict. */
bool pj_dict_takes(PyObject *dict)
{
    PyTypeObject *type = Py_TYPE(dict);
    return type->tp_as_mapping->mp_ass_subscript == PyDict_Type.tp_as_mapping->mp_ass_subscript || has_method_of_dict(type, setitem);
}

/* Finds the key and its value in a dict that looks them up as such (borrowed), and where that stands. */
PjFound pj_dict_find(PyObject *dict, const PjRecipe *key, int64_t *W, PyObject **held, PyObject ***value)
{
    PyDictObject *d = (PyDictObject *)dict;
    PyDictKeysObject *keys = d->ma_keys;
    Py_hash_t hash;
    if (!PyDict_Check(dict) || !gives(dict) || is_namespace(dict, W) || pj_dict_split(d) || !hash_of(key, W, &hash)) {
        return PJ_UNSURE;
    }
    const bool texts = DK_IS_UNICODE(keys);
    /* what was found last is often what is asked for next: d[k] = d[k] + 1 */
    if (last.keys == keys && last.hash == hash && last.index < keys->dk_nentries) {
        const Py_ssize_t index = last.index;
        PyObject *k = key_at(keys, texts, index), **place = value_at(keys, texts, index);
        if (k != NULL && *place != NULL && same(key, W, k) == 1) {
            *held = k;
            *value = place;
            return PJ_FOUND;
        }
    }
    Probe probe = probe_of(keys, hash);
    for (Py_ssize_t index; (index = next_of_hash(&probe)) >= 0;) {
        PyObject *k = key_at(keys, texts, index);
        int equal = same(key, W, k);
        if (equal < 0) {
            return PJ_UNSURE;
        }
        if (equal) {
            last.keys = keys;
            last.hash = hash;
            last.index = index;
            *held = k;
            *value = value_at(keys, texts, index);
            return PJ_FOUND;
        }
    }
    return PJ_ABSENT;
}

/* Is an exact dict the namespace of no module? */
bool pj_dict_is_no_space(PyObject *dict, int64_t *W)
{
    static const PjRecipe key = {.op = R_OBJECT, .a = 0};
    int64_t words[] = {(int64_t)(intptr_t)name_of_module, W[1]};
    PyObject *held, **value;
    return pj_dict_find(dict, &key, words, &held, &value) == PJ_ABSENT;
}

/* Can a key, and what goes with it, be put into an exact dict without Python: is it plain, and so is all that is held under its hash, and may what it
 * replaces be let go of? */
bool pj_dict_meets(PyObject *dict, PyObject *key, int64_t *W)
{
    PyDictObject *d = (PyDictObject *)dict;
    PyDictKeysObject *keys = d->ma_keys;
    Py_hash_t hash;
    if (is_namespace(dict, W) || pj_dict_split(d) || !pj_plain(key, 0) || !hash_of_object(key, &hash)) {
        return false;
    }
    const bool texts = DK_IS_UNICODE(keys);
    Probe probe = probe_of(keys, hash);
    for (Py_ssize_t index; (index = next_of_hash(&probe)) >= 0;) {
        const int equal = pj_equal(key_at(keys, texts, index), key);
        if (equal < 0 || (equal && !pj_basic(*value_at(keys, texts, index), 0))) {
            return false;
        }
    }
    return true;
}

/* ---- sets: the probing of setobject.c ---- */

/* Finds the key in an exact set or frozenset (borrowed). */
PjFound pj_set_find(PyObject *set, const PjRecipe *key, int64_t *W, PyObject **held)
{
    PySetObject *s = (PySetObject *)set;
    Py_hash_t hash;
    if (!PyAnySet_CheckExact(set) || !hash_of(key, W, &hash)) {
        return PJ_UNSURE;
    }
    PjSetProbe probe = pj_set_probe(s, hash);
    for (setentry *entry; (entry = pj_set_next(&probe)) != NULL;) {
        int equal = same(key, W, entry->key);
        if (equal < 0) {
            return PJ_UNSURE;
        }
        if (equal) {
            *held = entry->key;
            return PJ_FOUND;
        }
    }
    return PJ_ABSENT;
}
