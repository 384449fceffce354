/* compat_objects.h - what differs between versions of CPython in objects. */
#ifndef PIJIT_COMPAT_OBJECTS_H
#define PIJIT_COMPAT_OBJECTS_H

#include "compat.h"
#include <stdint.h>

/* An exact int of one digit: no overflow check needed. */
static inline int pj_long_compact(PyObject *o, int64_t *out)
{
#if PY_VERSION_HEX >= 0x030C0000
    if (PyUnstable_Long_IsCompact((PyLongObject *)o)) {
        *out = (int64_t)PyUnstable_Long_CompactValue((PyLongObject *)o);
        return 1;
    }
#else
    Py_ssize_t size = Py_SIZE(o);
    if (size >= -1 && size <= 1) {
        *out = size == 0 ? 0 : (int64_t)size * (int64_t)((PyLongObject *)o)->ob_digit[0];
        return 1;
    }
#endif
    return 0;
}

/* What a class itself defines: a new reference, or NULL while it is being made. */
static inline PyObject *pj_class_namespace(PyTypeObject *type)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyType_GetDict(type); /* of some built-in classes each interpreter has its own */
#else
    return Py_XNewRef(type->tp_dict);
#endif
}

/* Writes another number over an exact int of one digit that nobody else has. */
static inline void pj_long_set_compact(PyObject *o, bool negative, digit magnitude)
{
#if PY_VERSION_HEX >= 0x030C0000
    ((PyLongObject *)o)->long_value.lv_tag = (1 << 3) | (negative ? 2 : 0); /* one digit, and the sign */
    ((PyLongObject *)o)->long_value.ob_digit[0] = magnitude;
#else
    Py_SET_SIZE(o, negative ? -1 : 1);
    ((PyLongObject *)o)->ob_digit[0] = magnitude;
#endif
}

/* 3.12: the sign of an int and how many digits it has are one word. */
#define PJ_TAGGED_INTS (PY_VERSION_HEX >= 0x030C0000)

/* 3.12: the range iterator lost its index; start moves instead. */
#if PY_VERSION_HEX >= 0x030C0000
typedef _PyRangeIterObject PjRangeIter;
static inline void pj_range_iter_get(PjRangeIter *it, int64_t *next, int64_t *step, int64_t *length)
{
    *next = it->start;
    *step = it->step;
    *length = it->len;
}
static inline void pj_range_iter_set(PjRangeIter *it, int64_t next, int64_t step, int64_t length)
{
    it->start = (long)next;
    it->step = (long)step;
    it->len = (long)length;
}
#else
typedef struct {
    PyObject_HEAD
    long index;
    long start;
    long step;
    long len;
} PjRangeIter; /* rangeiterobject of 3.11's rangeobject.c */
static inline void pj_range_iter_get(PjRangeIter *it, int64_t *next, int64_t *step, int64_t *length)
{
    *next = (long)((unsigned long)it->start + (unsigned long)it->index * (unsigned long)it->step);
    *step = it->step;
    *length = it->len - it->index;
}
static inline void pj_range_iter_set(PjRangeIter *it, int64_t next, int64_t step, int64_t length)
{
    it->index = 0;
    it->start = (long)next;
    it->step = (long)step;
    it->len = (long)length;
}
#endif

/* What the iterators of lists, sequences, texts and bytes, those backwards, enumerate and zip begin with in listobject.c, iterobject.c,
 * unicodeobject.c, bytesobject.c, enumobject.c and bltinmodule.c. */
typedef struct {
    PyObject_HEAD
    Py_ssize_t index;
    PyObject *under; /* NULL: exhausted */
} PjIterator;
static inline int pj_goes_back(PyObject *it)
{
    return Py_IS_TYPE(it, &PyListRevIter_Type) || Py_IS_TYPE(it, &PyReversed_Type);
}
typedef struct {
    PjIterator start; /* the index is the count */
    PyObject *result;
    PyObject *large; /* the count, where it does not fit */
} PjEnumerate;
typedef struct {
    PjIterator start; /* the index is how many there are */
    PyObject *result;
    int strict;
} PjZip;

/* A number that changes with every change of the dict and is never used again. 3.12 deprecates the field for
 * extensions; 3.14 removes it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline uint64_t pj_dict_version(PyDictObject *d)
{
    return d->ma_version_tag;
}
#pragma GCC diagnostic pop

static inline int pj_dict_split(PyDictObject *d)
{
    return d->ma_values != NULL;
}

/* Iterators over dicts: dictiterobject of dictobject.c. */
typedef struct {
    PyObject_HEAD PyDictObject *dict; /* NULL: it is over */
    Py_ssize_t used, place;
    PyObject *result;
    Py_ssize_t left;
} PjDictIterator;

/* Has it given as many items as the dict had, and there are more? Then it raises, once. */
static inline int pj_dict_iterator_overrun(PyObject *it)
{
    if (!Py_IS_TYPE(it, &PyDictIterKey_Type) && !Py_IS_TYPE(it, &PyDictIterValue_Type) && !Py_IS_TYPE(it, &PyDictIterItem_Type)) {
        return 0;
    }
    const PjDictIterator *i = (PjDictIterator *)it;
    PyDictObject *d = i->dict;
    if (d == NULL || i->left > 0) {
        return 0;
    }
    if (pj_dict_split(d)) {
        return i->place < d->ma_used;
    }
    for (Py_ssize_t k = i->place; k < d->ma_keys->dk_nentries; k++) {
        PyObject *value = DK_IS_UNICODE(d->ma_keys) ? DK_UNICODE_ENTRIES(d->ma_keys)[k].me_value : DK_ENTRIES(d->ma_keys)[k].me_value;
        if (value != NULL) {
            return 1;
        }
    }
    return 0;
}

/* May the value of a key that an exact dict with keys of its own has be replaced where it stands? Then its version is another one from now on. Not
 * where somebody watches it (3.12); on 3.11 the counter of versions is not to be had. */
static inline int pj_dict_replaced(PyDictObject *d, PyObject *value)
{
#if PY_VERSION_HEX >= 0x030C0000
    const bool collected = !PyObject_IS_GC(value) || _PyObject_GC_IS_TRACKED(d);
    if (PyDict_CheckExact(d) && (d->ma_version_tag & ((1 << DICT_MAX_WATCHERS) - 1)) == 0 && collected) {
        d->ma_version_tag = DICT_NEXT_VERSION(_PyInterpreterState_GET()) | (d->ma_version_tag & (DICT_VERSION_INCREMENT - 1));
        return 1;
    }
#else
    (void)d;
    (void)value;
#endif
    return 0;
}

/* The values of an instance's attributes, in the order of its type's shared keys; NULL: they are in a dict, or there are
 * none. 3.13 keeps them inside the object, also when there is a dict that shows them. */
static inline PyDictValues *pj_inline_values(PyObject *o)
{
#if PY_VERSION_HEX >= 0x030D0000
    if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_INLINE_VALUES)) {
        return NULL;
    }
    PyDictValues *values = _PyObject_InlineValues(o);
    return values->valid ? values : NULL;
#else
    if (!(Py_TYPE(o)->tp_flags & Py_TPFLAGS_MANAGED_DICT)) {
        return NULL;
    }
#if PY_VERSION_HEX >= 0x030C0000
    PyDictOrValues place = *_PyObject_DictOrValuesPointer(o);
    return _PyDictOrValues_IsValues(place) ? _PyDictOrValues_GetValues(place) : NULL;
#else
    return *_PyObject_ValuesPointer(o);
#endif
#endif
}

/* The same for generated code: where they, or the pointer to them, are from the object's beginning, and what says that they count. 3.13: a byte of theirs.
 * Before: there is a pointer, whose lowest bit 3.12 sets. */
#if PY_VERSION_HEX >= 0x030D0000
#define PJ_VALUES_AT ((Py_ssize_t)sizeof(PyObject))
#define PJ_VALUES_VALID ((Py_ssize_t)offsetof(PyDictValues, valid))
#define PJ_VALUES_MARK ((Py_ssize_t)0)
#else
#define PJ_VALUES_AT ((PY_VERSION_HEX >= 0x030C0000 ? -3 : -4) * (Py_ssize_t)sizeof(PyObject *))
#define PJ_VALUES_VALID ((Py_ssize_t)-1)
#define PJ_VALUES_MARK ((Py_ssize_t)(PY_VERSION_HEX >= 0x030C0000))
#endif

/* How generated code counts references. 3.12: in 32 bits, and not those to immortal objects. 0: it leaves that to the interpreter, which counts them elsewhere,
 * too. */
#if defined(Py_REF_DEBUG) || PY_BIG_ENDIAN
#define PJ_COUNT_BITS 0
#else
#define PJ_COUNT_BITS (PY_VERSION_HEX >= 0x030C0000 ? 32 : 64)
#endif

/* The dict of an instance of a heap type, if it has been made (borrowed). */
static inline PyObject *pj_instance_dict(PyObject *o)
{
    PyTypeObject *type = Py_TYPE(o);
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
#if PY_VERSION_HEX >= 0x030D0000
        return (PyObject *)_PyObject_ManagedDictPointer(o)->dict;
#elif PY_VERSION_HEX >= 0x030C0000
        PyDictOrValues place = *_PyObject_DictOrValuesPointer(o);
        return _PyDictOrValues_IsValues(place) ? NULL : _PyDictOrValues_GetDict(place);
#else
        return *_PyObject_ManagedDictPointer(o);
#endif
    }
    return type->tp_dictoffset > 0 ? *(PyObject **)((char *)o + type->tp_dictoffset) : NULL;
}

static inline vectorcallfunc pj_function_vectorcall(PyObject *func)
{
    return ((PyFunctionObject *)func)->vectorcall;
}

#if PJ_OWN_CALLS
/* A version that nothing has; 0 once there are none any more. */
static inline uint32_t pj_new_version(void)
{
    uint32_t *next = &PyInterpreterState_Main()->func_state.next_version;
    return *next == 0 ? 0 : (*next)++;
}

/* Calls are specialised for a function's version: `def` gives it its code object's, with which it shares the number of defaults. Of
 * this one it is not known whether `def` made it as it is now: it gets a version of its own, 3.12 when it asks for one. */
static inline void pj_give_version(PyFunctionObject *f)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
    if (code->co_version == 0) {
        code->co_version = pj_new_version();
    }
#if PY_VERSION_HEX >= 0x030D0000
    f->func_version = pj_new_version();
#endif
}

/* Calls that were specialised for the function look again, and no call is specialised for it: neither for others that `def`
 * makes of its code. 3.13: a table leads from versions to functions and code. */
static inline void pj_take_version(PyFunctionObject *f)
{
    PyCodeObject *code = (PyCodeObject *)f->func_code;
#if PY_VERSION_HEX >= 0x030D0000
    struct _func_version_cache_item *table = PyInterpreterState_Main()->func_state.func_version_cache;
    struct _func_version_cache_item *of_function = &table[f->func_version % FUNC_VERSION_CACHE_SIZE];
    struct _func_version_cache_item *of_code = &table[code->co_version % FUNC_VERSION_CACHE_SIZE];
    if (of_function->func == f) {
        of_function->func = NULL;
    }
    if (of_code->code == (PyObject *)code) { /* code that goes away is looked for by its version */
        of_code->code = NULL;
        of_code->func = NULL;
    }
#endif
    code->co_version = 0;
    f->func_version = 0;
}
#endif

#endif
