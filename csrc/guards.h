/* guards.h - the walk over guard rows. It is inline: each call goes through it. */
#ifndef PIJIT_GUARDS_H
#define PIJIT_GUARDS_H

#include "frame.h"
#include "keys.h"
#include "lookup.h"
#include "numpy_api.h"

/* What a local slot holds for Python: of a cell its contents. Before the prologue there are no cells yet. */
static inline PyObject *pj_local(PjRun *r, int slot)
{
    PyObject *o = pj_frame_slots(r->frame)[slot];
    if (PJ_LIKELY(r->kinds == NULL)) {
        return o;
    }
    char kind = r->kinds[slot];
    if (kind & CO_FAST_FREE) {
        if (r->fresh) {
            PyCodeObject *code = pj_frame_code(r->frame);
            int i = slot - (code->co_nlocalsplus - code->co_nfreevars);
            o = PyTuple_GET_ITEM(pj_frame_function(r->frame)->func_closure, i);
        }
        return o == NULL ? NULL : PyCell_GET(o);
    }
    if ((kind & CO_FAST_CELL) && !r->fresh && o != NULL && PyCell_Check(o)) {
        return PyCell_GET(o);
    }
    return o;
}

/* Whether the last axis has the step that a contiguous array has, or none, or is never stepped along but by empty slices. */
static inline bool pj_usual_step(PyArrayObject *a, int ndim)
{
    npy_intp step = PyArray_STRIDE(a, ndim - 1);
    return step == PyArray_ITEMSIZE(a) || step == 0 || PyArray_SIZE(a) > 0;
}

static inline bool pj_array_fits(PyObject *o, const PjRow *row)
{
    const int exact = NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE; /* a view has the second one of what it is a view of */
    if (PJ_UNLIKELY(Py_TYPE(o) != &PyArray_Type)) {
        return false;
    }
    PyArrayObject *a = (PyArrayObject *)o;
    PyArray_Descr *descr = PyArray_DESCR(a);
    int flags = PyArray_FLAGS(a);
    int ndim = PyArray_NDIM(a);
    if (descr->type_num != row->a || ndim != row->ndim || (flags & exact) != row->value ||
        PJ_UNLIKELY(!PyArray_ISNBO(descr->byteorder) || flags < 0)) { /* bit 31: NPY_ARRAY_WARN_ON_WRITE, in no public header */
        return false;
    }
    const npy_intp *dims = PyArray_DIMS(a);
    uint64_t ones = 0;
    for (int d = 0; d < ndim; d++) {
        ones |= (uint64_t)(dims[d] == 1) << d;
    }
    if (ones != (uint64_t)row->ones) {
        return false;
    }
    switch (row->order) {
    case PJ_ORDER_C:
        return (flags & NPY_ARRAY_C_CONTIGUOUS) != 0 && (ndim == 0 || pj_usual_step(a, ndim));
    case PJ_ORDER_F:
        return (flags & (NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_C_CONTIGUOUS)) == NPY_ARRAY_F_CONTIGUOUS;
    case PJ_ORDER_S: {
        const npy_intp *strides = PyArray_STRIDES(a);
        npy_intp above = NPY_MAX_INTP;
        for (int d = 0; d < ndim; d++) {
            if (dims[d] == 1) {
                continue; /* such a stride is never used */
            }
            if (strides[d] <= 0 || strides[d] > above) {
                return false;
            }
            above = strides[d];
        }
        return true;
    }
    default:
        return true;
    }
}

/* What a zip goes through (borrowed), if it is strict, or if it is not; else NULL. */
static inline PyObject *pj_under_zip(PyObject *o, bool strict)
{
    return Py_IS_TYPE(o, &PyZip_Type) && (((PjZip *)o)->strict != 0) == strict ? ((PjZip *)o)->start.under : NULL;
}

/* What a built-in iterator goes through (borrowed); NULL where there is nothing, or more to it. */
static inline PyObject *pj_under(PyObject *o)
{
    if (Py_IS_TYPE(o, &PyZip_Type)) {
        return pj_under_zip(o, false);
    }
    if (Py_IS_TYPE(o, &PyEnum_Type)) {
        return ((PjEnumerate *)o)->large == NULL ? ((PjEnumerate *)o)->start.under : NULL;
    }
    const PyTypeObject *type = Py_TYPE(o);
    bool counts = type == &PyListIter_Type || type == &PySeqIter_Type || type == pj_ascii_iterator || type == &PyUnicodeIter_Type ||
                  type == &PyBytesIter_Type || pj_goes_back(o);
    return counts ? ((PjIterator *)o)->under : NULL;
}

/* The object a loading row loads (borrowed), or NULL. */
static inline PyObject *pj_load(PjRow *row, PjRun *r, PyObject **registers)
{
    switch ((PjGuardOp)row->op) {
    case PJ_GUARD_LOCAL:
        return pj_local(r, row->a);
    case PJ_GUARD_STACK:
        return row->a < pj_frame_depth(r->frame) ? pj_frame_stack(r->frame)[row->a] : NULL;
    case PJ_GUARD_GLOBAL:
        return PyDict_CheckExact(r->frame->f_globals) ? pj_lookup(r->frame->f_globals, row) : NULL;
    case PJ_GUARD_BUILTIN:
        return PyDict_CheckExact(r->frame->f_globals) && PyDict_CheckExact(r->frame->f_builtins) &&
                       pj_absent(r->frame->f_globals, row)
                   ? pj_lookup(r->frame->f_builtins, row)
                   : NULL;
    case PJ_GUARD_NAME:
        return r->frame->f_locals != NULL && PyDict_CheckExact(r->frame->f_locals) ? pj_lookup(r->frame->f_locals, row)
                                                                                   : NULL;
    case PJ_GUARD_ATTR: {
        PyObject *module = registers[row->reg];
        if (!PyModule_CheckExact(module)) {
            return NULL;
        }
        PyObject *dict = PyModule_GetDict(module);
        return dict != NULL && PyDict_CheckExact(dict) ? pj_lookup(dict, row) : NULL;
    }
    case PJ_GUARD_ITEM: {
        PyObject *o = registers[row->reg];
        if (PyTuple_CheckExact(o)) {
            return row->a < PyTuple_GET_SIZE(o) ? PyTuple_GET_ITEM(o, row->a) : NULL;
        }
        return PyList_CheckExact(o) && row->a < PyList_GET_SIZE(o) ? PyList_GET_ITEM(o, row->a) : NULL;
    }
    case PJ_GUARD_TUPLE_ITEM: {
        PyObject *o = registers[row->reg];
        return PyTuple_Check(o) && row->a < PyTuple_GET_SIZE(o) ? PyTuple_GET_ITEM(o, row->a) : NULL;
    }
    case PJ_GUARD_DICT_ITEM:
        return PyDict_CheckExact(registers[row->reg]) ? pj_lookup(registers[row->reg], row) : NULL;
    case PJ_GUARD_FIELD:
        return pj_field_again(registers[row->reg], row);
    case PJ_GUARD_MEMBER:
        return pj_member(registers[row->reg], row);
    case PJ_GUARD_CONST:
        return pj_held(row->object);
    case PJ_GUARD_FUNCTION:
        return (PyObject *)pj_frame_function(r->frame);
    case PJ_GUARD_GLOBALS_OF: {
        PyObject *function = registers[row->reg];
        return PJ_IS_FUNCTION(function) ? PyFunction_GET_GLOBALS(function) : NULL;
    }
    case PJ_GUARD_CLOSURE: {
        PyObject *closure = pj_frame_function(r->frame)->func_closure;
        if (closure == NULL || row->a >= PyTuple_GET_SIZE(closure)) {
            return NULL;
        }
        return PyCell_GET(PyTuple_GET_ITEM(closure, row->a));
    }
    case PJ_GUARD_CLOSED: {
        PyObject *function = registers[row->reg];
        PyObject *closure = PJ_IS_FUNCTION(function) ? PyFunction_GET_CLOSURE(function) : NULL;
        return closure != NULL && row->a < PyTuple_GET_SIZE(closure) ? PyCell_GET(PyTuple_GET_ITEM(closure, row->a)) : NULL;
    }
    case PJ_GUARD_PART:
        return pj_part(registers[row->reg], row);
    case PJ_GUARD_UNDER:
        return pj_under(registers[row->reg]);
    case PJ_GUARD_UNDER_STRICT:
        return pj_under_zip(registers[row->reg], true);
    default:
        return NULL;
    }
}

static inline bool pj_check(PjRow *row, PjRun *r, PyObject **registers, int64_t *W)
{
    PyObject *o = row->reg < 0 ? NULL : registers[row->reg];
    switch ((PjGuardOp)row->op) {
    case PJ_GUARD_ARRAY:
        W[row->word] = (int64_t)(intptr_t)o;
        return pj_array_fits(o, row);
    case PJ_GUARD_IS:
        return o == pj_held(row->object);
    case PJ_GUARD_APART:
        return o != registers[row->a] && pj_instance_dict(o) != registers[row->a];
    case PJ_GUARD_CLASS:
        return pj_class_says(row);
    case PJ_GUARD_TYPE:
        return (PyObject *)Py_TYPE(o) == pj_held(row->object);
    case PJ_GUARD_ANY:
        W[row->word] = (int64_t)(intptr_t)o;
        return true;
    case PJ_GUARD_OBJECT:
        W[row->word] = (int64_t)(intptr_t)o;
        return (PyObject *)Py_TYPE(o) == pj_held(row->object);
    case PJ_GUARD_INT: {
        if (!PyLong_CheckExact(o)) {
            return false;
        }
        if (PJ_LIKELY(pj_long_compact(o, &W[row->word]))) {
            return true;
        }
        int overflow;
        W[row->word] = PyLong_AsLongLongAndOverflow(o, &overflow);
        return overflow == 0;
    }
    case PJ_GUARD_INT_VALUE: {
        if (!PyLong_CheckExact(o)) {
            return false;
        }
        int64_t v;
        if (PJ_LIKELY(pj_long_compact(o, &v))) {
            return v == row->value;
        }
        int overflow;
        v = PyLong_AsLongLongAndOverflow(o, &overflow);
        return overflow == 0 && v == row->value;
    }
    case PJ_GUARD_FLOAT:
        if (!PyFloat_CheckExact(o)) {
            return false;
        }
        memcpy(&W[row->word], &((PyFloatObject *)o)->ob_fval, sizeof(double));
        return true;
    case PJ_GUARD_BOOL:
        W[row->word] = o == Py_True;
        return PyBool_Check(o);
    case PJ_GUARD_COMPLEX:
        if (!PyComplex_CheckExact(o)) {
            return false;
        }
        memcpy(&W[row->word], &((PyComplexObject *)o)->cval, 2 * sizeof(double));
        return true;
    case PJ_GUARD_NP:
        return (PyObject *)Py_TYPE(o) == row->object && pj_unbox_np(o, row->a, &W[row->word]) == 0;
    case PJ_GUARD_RANGE_ITERATOR:
        if (!Py_IS_TYPE(o, &PyRangeIter_Type)) {
            return false;
        }
        W[row->word] = (int64_t)(intptr_t)o;
        pj_range_iter_get((PjRangeIter *)o, &W[row->word + 1], &W[row->word + 2], &W[row->word + 3]);
        return true;
    case PJ_GUARD_ITERATOR:
        if ((PyObject *)Py_TYPE(o) != pj_held(row->object)) {
            return false;
        }
        W[row->word] = ((PjIterator *)o)->index;
        return true;
    case PJ_GUARD_SOLE:
        return pj_alone(o);
    case PJ_GUARD_LENGTH:
        return PyDict_CheckExact(o) ? PyDict_GET_SIZE(o) == row->a
                                    : (PyTuple_CheckExact(o) || PyList_CheckExact(o)) && Py_SIZE(o) == row->a;
    case PJ_GUARD_KEYS:
        return pj_has_keys(o, pj_held(row->object));
    case PJ_GUARD_PYTHON_FUNCTION: {
        PyFunctionObject *func = (PyFunctionObject *)o;
        return PJ_IS_FUNCTION(o) && func->func_code == pj_held(row->code) && func->func_globals == row->object &&
               (func->func_defaults != NULL) + 2 * (func->func_kwdefaults != NULL) == row->a;
    }
    case PJ_GUARD_NO_ATTR: {
        PyObject *dict = PyModule_CheckExact(o) ? PyModule_GetDict(o) : NULL;
        return dict != NULL && PyDict_CheckExact(dict) && pj_absent(dict, row);
    }
    case PJ_GUARD_NO_ITEM:
        return PyDict_CheckExact(o) && pj_absent(o, row);
    case PJ_GUARD_NO_FIELD:
        return pj_no_field(o, row);
    case PJ_GUARD_NO_MEMBER:
        return pj_member(o, row) == NULL;
    case PJ_GUARD_UNSET:
        return pj_local(r, row->a) == NULL;
    case PJ_GUARD_NO_NAME:
        return r->frame->f_locals != NULL && PyDict_CheckExact(r->frame->f_locals) && pj_absent(r->frame->f_locals, row);
    case PJ_GUARD_NO_GLOBAL:
        return PyDict_CheckExact(r->frame->f_globals) && pj_absent(r->frame->f_globals, row);
    case PJ_GUARD_UNMONITORED: {
        PyObject *code = pj_held(row->object);
        return code != NULL && !pj_monitored((PyCodeObject *)code);
    }
    case PJ_GUARD_ERRMASK:
        return pj_errmask() == row->value;
    case PJ_GUARD_GLOBALS:
        return r->frame->f_globals == row->object;
    case PJ_GUARD_LOOP:
        return *(const int64_t *)(intptr_t)row->ones == row->value;
    default:
        return false;
    }
}

/* Walks the rows: -1 when all hold, else the row that failed. Never runs Python, leaves no exception. Registers below
 * the first loading row's are given. */
static inline int pj_walk_rows(PjRows *rows, int first, PjRun *r, PyObject **registers, int64_t *W)
{
    int count = rows->count;
    for (int i = first; i < count; i++) {
        PjRow *row = &rows->rows[i];
        if (row->loads) {
            PyObject *o = pj_load(row, r, registers);
            if (o == NULL) {
                return i;
            }
            registers[row->target] = o;
        }
        else if (!pj_check(row, r, registers, W)) {
            return i;
        }
    }
    return -1;
}

#endif
