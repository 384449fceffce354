/* inline_cache.c - attributes that generated code reads by itself, of instances of a class that it has seen there before.
 *
 * A version tag of a type is never used again once the type or a base of it has changed, and the keys that instances share keep their places:
 * what is remembered for a tag is true as long as there are objects of a type that has it. CPython's own caches rest on the same. */
#include <stddef.h>
#include "lookup.h"

#define NO_TAG UINT32_MAX /* no type has it */

/* The cache knows from now on where the object keeps what a "field" row has just found there, or stored. */
void pj_remember_field(PyObject *o, const PjRow *row, PyObject *found, PjInlineCache *cache)
{
    PyDictValues *values = row->a >= 0 ? NULL : pj_inline_values(o);
    uint32_t of_value = Py_TYPE(found)->tp_version_tag;
    bool has_place = row->a >= 0 || (values != NULL && row->index >= 0);
    if (row->type_tag == 0 || row->type_tag != Py_TYPE(o)->tp_version_tag || !has_place) {
        return;
    }
    cache->owner = row->type_tag;
    cache->value = of_value != 0 ? of_value : NO_TAG; /* of None, or float, until somebody asks for an attribute of it */
    cache->slot = row->a;
    cache->place = values == NULL ? 0 : (int32_t)((char *)&values->values[row->index] - (char *)values);
}

/* pj_look_at for a site with one row that checks the object's type, or a "field" and one row that checks that: they are in the cache from then on. */
int64_t pj_look_first(int64_t *W, int64_t number, PyObject *o)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *site = &r->fragment->sites[number];
    PyObject *registers[2] = {o, NULL};
    if (o == NULL || pj_walk(site->rows, 0, r, registers, W) >= 0) {
        return 1;
    }
    if (registers[1] != NULL) {
        pj_remember_field(o, &site->rows->rows[0], registers[1], &site->cache);
    }
    else if (Py_TYPE(o)->tp_version_tag != 0) {
        site->cache.owner = Py_TYPE(o)->tp_version_tag;
    }
    return 0;
}

/* layout() -> {name: number}: where generated code finds what it looks at by itself; compat_objects.h says more of CPython's. */
PyObject *pj_layout(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    const struct {
        const char *name;
        Py_ssize_t number;
    } rows[] = {
        {"type_tag", offsetof(PyTypeObject, tp_version_tag)},
        {"values", PJ_VALUES_AT},
        {"values_valid", PJ_VALUES_VALID},
        {"values_mark", PJ_VALUES_MARK},
        {"tagged_ints", PJ_TAGGED_INTS},
        {"count_bits", PJ_COUNT_BITS},
        {"fragment", offsetof(PjRun, fragment)},
        {"sites", offsetof(PjFragment, sites)},
        {"site", sizeof(PjSite)},
        {"cache", offsetof(PjSite, cache)},
        {"owner", offsetof(PjInlineCache, owner)},
        {"value", offsetof(PjInlineCache, value)},
        {"slot", offsetof(PjInlineCache, slot)},
        {"place", offsetof(PjInlineCache, place)},
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof(rows) / sizeof(rows[0]); i++) {
        PyObject *number = PyLong_FromSsize_t(rows[i].number);
        if (number == NULL || PyDict_SetItemString(dict, rows[i].name, number) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(number);
    }
    return dict;
}
