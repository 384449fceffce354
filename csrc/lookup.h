/* lookup.h - names in dicts, looked up without running Python; a repeated lookup is a few loads. */
#ifndef PIJIT_LOOKUP_H
#define PIJIT_LOOKUP_H

#include "pijit.h"

PyObject *pj_lookup_slowly(PyDictObject *d, PjRow *row);

/* The value of the row's name in an exact dict with str keys only, or NULL (borrowed). */
static inline PyObject *pj_lookup(PyObject *dict, PjRow *row)
{
    PyDictObject *d = (PyDictObject *)dict;
    PyDictKeysObject *keys = d->ma_keys;
    /* The keys object may be another one at the same address, so everything is looked at again. */
    if (PJ_LIKELY(keys == row->keys && DK_IS_UNICODE(keys) && row->index >= 0 && row->index < keys->dk_nentries)) {
        PyDictUnicodeEntry *entry = &DK_UNICODE_ENTRIES(keys)[row->index];
        PyObject *value = pj_dict_split(d) ? d->ma_values->values[row->index] : entry->me_value;
        if (PJ_LIKELY(entry->me_key == row->object && value != NULL)) {
            return value;
        }
    }
    return pj_lookup_slowly(d, row);
}

/* Is the name certainly not in the exact dict? */
static inline bool pj_absent(PyObject *dict, PjRow *row)
{
    PyDictObject *d = (PyDictObject *)dict;
    if (PJ_LIKELY(row->where == dict && row->tag == pj_dict_version(d))) {
        return true;
    }
    if (!DK_IS_UNICODE(d->ma_keys) || _PyDict_GetItem_KnownHash(dict, row->object, row->hash) != NULL) {
        return false;
    }
    row->where = dict;
    row->tag = pj_dict_version(d);
    return true;
}

/* What an instance itself holds under the row's name (borrowed), or NULL: pj_field, of a class that has not changed since the last time. The keys
 * that instances share are the class's for good, and keep their places. */
static inline PyObject *pj_field_again(PyObject *o, PjRow *row)
{
    PyTypeObject *type = Py_TYPE(o);
    if (PJ_LIKELY(row->type_tag == type->tp_version_tag && row->type_tag != 0)) {
        if (row->a >= 0) {
            return *(PyObject **)((char *)o + row->a);
        }
        PyDictValues *values = pj_inline_values(o);
        if (PJ_LIKELY(values != NULL && row->index >= 0 && row->keys == ((PyHeapTypeObject *)type)->ht_cached_keys)) {
            return values->values[row->index];
        }
    }
    return pj_field(o, row);
}

#endif
