/* objects.c - attributes and items of Python objects, read and written without running Python. */
#include <alloca.h>
#include "keys.h"
#include "lookup.h"
#include "numpy_api.h"

#ifndef Py_T_OBJECT_EX
#define Py_T_OBJECT_EX 16 /* structmember.h of 3.11 */
#endif
#define MEMBER_OBJECT 6 /* T_OBJECT: NULL is None */
#define MEMBER_READONLY 1

/* ---- what a type says of a name ---- */

/* Where plain instances of the type keep this attribute: row->a is the offset of a slot, or -1: the instance's own dict or
 * values. False when getting (storing: setting) it would run Python, or be decided by anything else. */
static bool resolve(PyTypeObject *type, PjRow *row, bool storing)
{
    row->type_tag = 0;
    row->keys = NULL;
    row->a = -1;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
        (storing ? type->tp_setattro != PyObject_GenericSetAttr : type->tp_getattro != PyObject_GenericGetAttr) ||
        (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT) && type->tp_dictoffset < 0)) {
        return false;
    }
    PyObject *descr = _PyType_Lookup(type, row->object);
    if (descr != NULL && Py_TYPE(descr)->tp_descr_set != NULL) {
        if (!Py_IS_TYPE(descr, &PyMemberDescr_Type)) {
            return false;
        }
        PyMemberDef *member = ((PyMemberDescrObject *)descr)->d_member;
        if (member->type != Py_T_OBJECT_EX || member->flags != 0 ||
            !PyType_IsSubtype(type, ((PyMemberDescrObject *)descr)->d_common.d_type)) {
            return false;
        }
        row->a = (int32_t)member->offset;
    }
    else if (descr != NULL && !(Py_TYPE(descr)->tp_flags & Py_TPFLAGS_IMMUTABLETYPE)) {
        return false; /* its type may become a data descriptor */
    }
    row->type_tag = type->tp_version_tag; /* never used again once the type or a base has changed; 0: none */
    return true;
}

static inline bool resolved(PyTypeObject *type, PjRow *row, bool storing)
{
    return PJ_LIKELY(row->type_tag == type->tp_version_tag && row->type_tag != 0) || resolve(type, row, storing);
}

/* The index of the row's name among the keys that instances share, or -1. */
static Py_ssize_t shared_index(PyDictKeysObject *keys, PjRow *row)
{
    Py_ssize_t count = keys->dk_nentries;
    if (PJ_LIKELY(row->keys == keys && row->index < count)) {
        if (row->index < 0 ? row->known == count : DK_UNICODE_ENTRIES(keys)[row->index].me_key == row->object) {
            return row->index;
        }
    }
    row->keys = keys;
    row->known = count;
    for (row->index = count - 1; row->index >= 0; row->index--) {
        PyObject *key = DK_UNICODE_ENTRIES(keys)[row->index].me_key;
        if (key == row->object || (key != NULL && PyObject_Hash(key) == row->hash && PyUnicode_Compare(key, row->object) == 0)) {
            break;
        }
    }
    return row->index;
}

/* What the instance itself holds under the name (borrowed), or NULL. */
static inline PyObject *stored(PyObject *o, PjRow *row)
{
    PyDictValues *values = pj_inline_values(o);
    if (PJ_LIKELY(values != NULL)) {
        Py_ssize_t index = shared_index(((PyHeapTypeObject *)Py_TYPE(o))->ht_cached_keys, row);
        return index < 0 ? NULL : values->values[index];
    }
    PyObject *dict = pj_instance_dict(o);
    return dict != NULL && PyDict_CheckExact(dict) ? pj_lookup(dict, row) : NULL;
}

/* ---- rows ---- */

PyObject *pj_field(PyObject *o, PjRow *row)
{
    if (!resolved(Py_TYPE(o), row, false)) {
        return NULL;
    }
    return row->a >= 0 ? *(PyObject **)((char *)o + row->a) : stored(o, row);
}

/* Is what the class says what counts: neither a slot, nor a data descriptor, nor anything in the instance. */
bool pj_no_field(PyObject *o, PjRow *row)
{
    if (!resolved(Py_TYPE(o), row, false) || row->a >= 0) {
        return false;
    }
    if (pj_inline_values(o) == NULL) {
        PyObject *dict = pj_instance_dict(o);
        return dict == NULL || (PyDict_CheckExact(dict) && pj_absent(dict, row));
    }
    return stored(o, row) == NULL;
}

/* The name's value in the type and its bases (borrowed), or NULL. */
PyObject *pj_member(PyObject *o, PjRow *row)
{
    if (!PyType_Check(o)) {
        return NULL;
    }
    PyTypeObject *type = (PyTypeObject *)o;
    if (PJ_UNLIKELY(row->type_tag != type->tp_version_tag || row->type_tag == 0)) {
        row->where = _PyType_Lookup(type, row->object);
        row->type_tag = type->tp_version_tag;
    }
    return row->where;
}

/* What a built-in method in C is of its object's type, as `list.append` of `[].append` (borrowed); NULL: it is none of a type in C. */
static PyObject *descriptor_of(PyObject *o, PjRow *row)
{
    const PyMethodDef *method = ((PyCFunctionObject *)o)->m_ml;
    PyObject *self = ((PyCFunctionObject *)o)->m_self;
    if (PJ_LIKELY(row->where != NULL && ((PyMethodDescrObject *)row->where)->d_method == method)) {
        return row->where;
    }
    row->where = NULL;
    PyObject *name = self == NULL ? NULL : PyUnicode_FromString(method->ml_name);
    PyObject *found = name == NULL ? NULL : _PyType_Lookup(Py_TYPE(self), name);
    Py_XDECREF(name);
    PyErr_Clear();
    if (found == NULL || !Py_IS_TYPE(found, &PyMethodDescr_Type) || ((PyMethodDescrObject *)found)->d_method != method) {
        return NULL;
    }
    if (!(((PyDescrObject *)found)->d_type->tp_flags & Py_TPFLAGS_HEAPTYPE)) { /* it never goes away */
        row->where = found;
    }
    return found;
}

/* cls.__name__ and cls.__qualname__ as `type` has them; NULL where its metaclass has others, or it has one for good. */
static PyObject *name_of_class(PyObject *cls, PyObject *name)
{
    bool heap = ((PyTypeObject *)cls)->tp_flags & Py_TPFLAGS_HEAPTYPE;
    if (!heap || _PyType_Lookup(Py_TYPE(cls), name) != _PyType_Lookup(&PyType_Type, name)) {
        return NULL;
    }
    PyHeapTypeObject *held = (PyHeapTypeObject *)cls;
    return PyUnicode_CompareWithASCIIString(name, "__name__") == 0       ? held->ht_name
           : PyUnicode_CompareWithASCIIString(name, "__qualname__") == 0 ? held->ht_qualname
                                                                         : NULL;
}

/* Does a member of a type in C hold an object that stays? Of one that cannot be changed it is never missing. */
static bool holds_object(const struct PyMemberDef *member)
{
    return member->type == MEMBER_OBJECT || (member->type == Py_T_OBJECT_EX && (member->flags & MEMBER_READONLY) != 0);
}

/* What a function, bound method, partial or range was made with (borrowed): the defaults of a function, None for none, or what a member of the
 * type in C has; the name of a class. */
PyObject *pj_part(PyObject *o, PjRow *row)
{
    if (PyType_Check(o)) {
        return name_of_class(o, row->object);
    }
    PyTypeObject *type = Py_TYPE(o);
    if (PJ_UNLIKELY(row->type_tag != type->tp_version_tag || row->type_tag == 0)) {
        row->type_tag = 0;
        PyObject *descr = _PyType_Lookup(type, row->object);
        if (PJ_IS_FUNCTION(o) && PyUnicode_CompareWithASCIIString(row->object, "__defaults__") == 0) {
            row->a = offsetof(PyFunctionObject, func_defaults);
        }
        else if (PJ_IS_FUNCTION(o) && PyUnicode_CompareWithASCIIString(row->object, "__kwdefaults__") == 0) {
            row->a = offsetof(PyFunctionObject, func_kwdefaults);
        }
        else if (PJ_IS_FUNCTION(o) && PyUnicode_CompareWithASCIIString(row->object, "__name__") == 0) {
            row->a = offsetof(PyFunctionObject, func_name);
        }
        else if (PJ_IS_FUNCTION(o) && PyUnicode_CompareWithASCIIString(row->object, "__qualname__") == 0) {
            row->a = offsetof(PyFunctionObject, func_qualname);
        }
        else if (PyCFunction_CheckExact(o) && PyUnicode_CompareWithASCIIString(row->object, "__self__") == 0) {
            row->a = offsetof(PyCFunctionObject, m_self);
        }
        else if (PyCFunction_CheckExact(o) && PyUnicode_CompareWithASCIIString(row->object, "__func__") == 0) {
            row->a = -1;
        }
        else if (descr != NULL && Py_IS_TYPE(descr, &PyMemberDescr_Type) && holds_object(((PyMemberDescrObject *)descr)->d_member)) {
            row->a = (int32_t)((PyMemberDescrObject *)descr)->d_member->offset;
        }
        else {
            return NULL;
        }
        row->type_tag = type->tp_version_tag;
    }
    if (row->a < 0) {
        return descriptor_of(o, row);
    }
    PyObject *found = *(PyObject **)((char *)o + row->a);
    return found == NULL ? Py_None : found;
}

/* Are these the same classes? */
static bool same_order(PyObject *mro, PyObject *wanted)
{
    if (mro == NULL || !PyTuple_CheckExact(wanted) || PyTuple_GET_SIZE(mro) != PyTuple_GET_SIZE(wanted)) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        if (PyTuple_GET_ITEM(mro, i) != pj_held(PyTuple_GET_ITEM(wanted, i))) {
            return false;
        }
    }
    return true;
}

/* Do the class and its bases say of each name what they did (of __mro__: are they the same)? A class that has not changed since the last time does. */
bool pj_class_says(PjRow *row)
{
    PyTypeObject *type = (PyTypeObject *)pj_held(PyTuple_GET_ITEM(row->object, 0));
    if (PJ_UNLIKELY(type == NULL)) {
        return false;
    }
    if (PJ_LIKELY(row->type_tag == type->tp_version_tag && row->type_tag != 0)) {
        return true;
    }
    row->type_tag = 0;
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(row->object); i += 2) {
        PyObject *name = PyTuple_GET_ITEM(row->object, i);
        PyObject *wanted = PyTuple_GET_ITEM(row->object, i + 1);
        if (PyUnicode_CompareWithASCIIString(name, "__mro__") == 0) {
            if (!same_order(type->tp_mro, wanted)) {
                return false;
            }
            continue;
        }
        PyObject *found = _PyType_Lookup(type, name);
        if ((found == NULL ? pj_unset : found) != pj_held(wanted)) {
            return false;
        }
    }
    row->type_tag = type->tp_version_tag;
    return true;
}

/* ---- reads and stores in the middle of a fragment ---- */

/* Walks the site's rows on an object; 0: they hold. */
int64_t pj_look(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *s = &r->fragment->sites[number];
    PyObject **registers = alloca(((size_t)s->rows->registers + 1) * sizeof(PyObject *));
    PyObject *o = pj_build(s->callable, W);
    if (o == NULL) {
        PyErr_Clear();
        return 1;
    }
    registers[0] = o;
    int failed = pj_walk(s->rows, 0, r, registers, W);
    Py_DECREF(o); /* whoever names it holds it */
    return failed >= 0;
}

/* The same for an object that native code has at hand. */
int64_t pj_look_at(int64_t *W, int64_t number, PyObject *o)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjRows *rows = r->fragment->sites[number].rows;
    PyObject **registers = alloca(((size_t)rows->registers + 1) * sizeof(PyObject *));
    registers[0] = o;
    return o == NULL || pj_walk(rows, 0, r, registers, W) >= 0;
}

/* A new object (the native code's own), or NULL without an exception. */
PyObject *pj_make(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjRecipe *recipe = r->fragment->sites[number].callable;
    if (!pj_recipe_is_const(recipe)) {
        pj_hold_inputs(r); /* making an object may collect garbage */
    }
    PyObject *o = pj_build(recipe, W);
    if (o == NULL) {
        PyErr_Clear();
    }
    return o;
}

enum { LEVELS = 100 }; /* of tuples in tuples that are looked into: a program may nest them as deep as it has memory, but not the C stack */

static bool quiet_within(PyObject *o, int levels)
{
    if (Py_REFCNT(o) > 1 || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyUnicode_CheckExact(o) ||
        PyComplex_CheckExact(o) || PyBytes_CheckExact(o)) {
        return true;
    }
    if (Py_IS_TYPE(o, &PyArray_Type)) {
        PyObject *base = PyArray_BASE((PyArrayObject *)o);
        return PyTypeNum_ISNUMBER(PyArray_TYPE((PyArrayObject *)o)) &&
               ((PyArrayObject_fields *)o)->weakreflist == NULL && (base == NULL || (levels > 0 && quiet_within(base, levels - 1)));
    }
    if (PyTuple_CheckExact(o)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++) {
            if (levels == 0 || !quiet_within(PyTuple_GET_ITEM(o, i), levels - 1)) {
                return false;
            }
        }
        return true;
    }
    return PyArray_IsScalar(o, Number) && !(Py_TYPE(o)->tp_flags & Py_TPFLAGS_HEAPTYPE);
}

/* Does letting go of one reference run no Python? */
bool pj_quiet(PyObject *o)
{
    return quiet_within(o, LEVELS);
}

static bool replace(PyObject **place, PyObject *value)
{
    PyObject *old = *place;
    if (old != NULL && !pj_quiet(old)) {
        return false;
    }
    *place = Py_NewRef(value);
    Py_XDECREF(old);
    return true;
}

static bool put_field(PjRun *r, PyObject *o, PjRow *row, PyObject *value)
{
    if (!resolved(Py_TYPE(o), row, true)) {
        return false;
    }
    if (row->a >= 0) {
        return replace((PyObject **)((char *)o + row->a), value);
    }
    PyDictValues *values = pj_inline_values(o);
    Py_ssize_t index = -1;
    if (values != NULL && pj_instance_dict(o) == NULL) {
        index = shared_index(((PyHeapTypeObject *)Py_TYPE(o))->ht_cached_keys, row);
        if (index >= 0 && values->values[index] != NULL) {
            return replace(&values->values[index], value);
        }
    }
    PyObject *dict = pj_instance_dict(o);
    if (dict != NULL && !(PyDict_CheckExact(dict) && DK_IS_UNICODE(((PyDictObject *)dict)->ma_keys))) {
        return false; /* a key may have an __eq__ of its own */
    }
    PyObject *old = stored(o, row);
    if (old != NULL && !pj_quiet(old)) {
        return false;
    }
    if (dict == NULL && index < 0) {
        pj_hold_inputs(r); /* a dict may be made for it, which may collect garbage */
    }
    return PyObject_GenericSetAttr(o, row->object, value) == 0;
}

/* What `del` does: there must be something, whose end runs no Python. */
static bool remove_field(PyObject *o, PjRow *row)
{
    if (!resolved(Py_TYPE(o), row, true)) {
        return false;
    }
    PyObject *old = row->a >= 0 ? *(PyObject **)((char *)o + row->a) : stored(o, row);
    return old != NULL && pj_quiet(old) && PyObject_GenericSetAttr(o, row->object, NULL) == 0;
}

static bool remove_item(PyObject *o, PjRow *row)
{
    if (!PyDict_CheckExact(o) || !DK_IS_UNICODE(((PyDictObject *)o)->ma_keys)) {
        return false;
    }
    PyObject *old = pj_lookup(o, row);
    return old != NULL && pj_quiet(old) && PyDict_DelItem(o, row->object) == 0;
}

static bool put_item(PyObject *o, PjRow *row, PyObject *value)
{
    if (!PyDict_CheckExact(o) || !DK_IS_UNICODE(((PyDictObject *)o)->ma_keys)) {
        return false;
    }
    PyObject *old = pj_lookup(o, row);
    return (old == NULL || pj_quiet(old)) && PyDict_SetItem(o, row->object, value) == 0;
}

/* Stores an object, or removes what is there; 0 ok, 1: nothing was done. */
int64_t pj_put(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *s = &r->fragment->sites[number];
    if (s->args[0]->count > 0) {
        pj_hold_inputs(r); /* making a container may collect garbage */
    }
    bool removes = pj_recipe_empty(s->args[0]);
    PyObject *value = removes ? NULL : pj_build(s->args[0], W);
    PyObject *o = value == NULL && !removes ? NULL : pj_build(s->callable, W);
    bool done = false;
    if (o != NULL && removes) {
        PjRow *row = &s->rows->rows[0];
        done = row->op == PJ_GUARD_FIELD ? remove_field(o, row) : remove_item(o, row);
    }
    else if (o != NULL) {
        PjRow *row = s->rows->count > 0 ? &s->rows->rows[0] : NULL;
        done = row == NULL ? (s->root < 0 ? pj_append_object(o, value) : pj_store_object(o, W[s->root], value)) == 0
               : row->op == PJ_GUARD_FIELD ? put_field(r, o, row, value)
                                           : put_item(o, row, value);
        if (done && row != NULL && row->op == PJ_GUARD_FIELD) {
            pj_remember_field(o, row, value, &s->cache);
        }
    }
    Py_XDECREF(o);
    Py_XDECREF(value);
    if (!done) {
        PyErr_Clear();
    }
    return !done;
}

/* ("look", object, rows) and ("put", object, rows, value, index word or -1) into a zeroed site. */
int pj_object_site_parse(PjSite *s, PyObject *tuple)
{
    PyObject *kind, *object, *rows, *value = NULL;
    s->root = -1;
    s->cache.owner = PJ_NO_TAG;
    if (!PyArg_ParseTuple(tuple, "UOO|Oi;a site is (kind, object, rows) or (kind, object, rows, value, index)", &kind, &object,
                          &rows, &value, &s->root) ||
        (s->callable = pj_recipe_new(object)) == NULL || (s->rows = pj_rows_new(rows, 1)) == NULL) {
        return -1;
    }
    if (value == NULL) {
        return 0;
    }
    s->args = PyMem_Calloc(1, sizeof(PjRecipe *));
    if (s->args == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    s->nargs = 1;
    if ((s->args[0] = pj_recipe_new(value)) == NULL) {
        return -1;
    }
    if (pj_recipe_empty(s->args[0]) && s->rows->count == 0) {
        PyErr_SetString(PyExc_ValueError, "a site that removes needs a row");
        return -1;
    }
    return 0;
}

/* only_names(object): is it an exact dict whose keys are all texts, so that looking a name up in it runs nothing? */
PyObject *pj_only_names(PyObject *module, PyObject *o)
{
    (void)module;
    return PyBool_FromLong(PyDict_CheckExact(o) && DK_IS_UNICODE(((PyDictObject *)o)->ma_keys));
}

/* class_has_only_names(class): are the keys of its namespace all texts, so that looking a name up in it runs nothing? */
PyObject *pj_class_has_only_names(PyObject *module, PyObject *o)
{
    (void)module;
    PyObject *names = PyType_Check(o) ? pj_class_namespace((PyTypeObject *)o) : NULL;
    int only = names != NULL && DK_IS_UNICODE(((PyDictObject *)names)->ma_keys);
    Py_XDECREF(names);
    return PyBool_FromLong(only);
}

/* field(object, name): what a "field" row loads, or UNSET. For capture. */
PyObject *pj_field_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *o, *name;
    if (!PyArg_ParseTuple(args, "OU:field", &o, &name)) {
        return NULL;
    }
    Py_INCREF(name);
    PyUnicode_InternInPlace(&name);
    PjRow row = {.object = name, .hash = PyObject_Hash(name)};
    PyObject *found = pj_field(o, &row);
    Py_DECREF(name);
    return Py_NewRef(found == NULL ? pj_unset : found);
}
