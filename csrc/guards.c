/* guards.c - what must hold of a frame for a fragment to run: looking at it once more, and what does not hold. */
#include "guards.h"

PyTypeObject *pj_ascii_iterator;

/* 0 or -1 with an exception. */
int pj_iterators_init(void)
{
    PyObject *text = PyUnicode_FromString(""), *it = text == NULL ? NULL : PyObject_GetIter(text);
    if (it != NULL) {
        pj_ascii_iterator = Py_TYPE(it);
    }
    Py_XDECREF(text);
    Py_XDECREF(it);
    return it == NULL ? -1 : 0;
}

/* Looks the name up in a dict and remembers the place in the row. */
PyObject *pj_lookup_slowly(PyDictObject *d, PjRow *row)
{
    PyDictKeysObject *keys = d->ma_keys;
    if (!DK_IS_UNICODE(keys)) {
        return NULL; /* comparing other keys may run Python */
    }
    PyObject *value = _PyDict_GetItem_KnownHash((PyObject *)d, row->object, row->hash);
    if (value == NULL) {
        return NULL;
    }
    PyDictUnicodeEntry *entries = DK_UNICODE_ENTRIES(keys);
    for (Py_ssize_t i = 0; i < keys->dk_nentries; i++) {
        if (entries[i].me_key == row->object) {
            row->keys = keys;
            row->index = i;
            break;
        }
    }
    return value;
}

/* Whether one reference is all there is to an object; of an array: to its memory too, and one may write there. */
bool pj_alone(PyObject *o)
{
    if (Py_REFCNT(o) != 1 || !PyArray_CheckExact(o)) {
        return Py_REFCNT(o) == 1;
    }
    const int needed = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE, flags = PyArray_FLAGS((PyArrayObject *)o);
    const PyArrayObject_fields *fields = (PyArrayObject_fields *)o;
    return (flags & needed) == needed && (flags & NPY_ARRAY_WRITEBACKIFCOPY) == 0 && fields->base == NULL && fields->weakreflist == NULL;
}

int pj_walk(PjRows *rows, int first, PjRun *r, PyObject **registers, int64_t *W)
{
    return pj_walk_rows(rows, first, r, registers, W);
}

/* Shape, strides and data of an array in one number. */
static int64_t fingerprint(PyObject *o)
{
    PyArrayObject *a = (PyArrayObject *)o;
    uint64_t h = (uint64_t)(uintptr_t)PyArray_DATA(a) ^ (uint64_t)PyArray_FLAGS(a) << 48;
    for (int d = 0; d < PyArray_NDIM(a); d++) {
        h = (h ^ (uint64_t)PyArray_DIM(a, d)) * 0x9E3779B97F4A7C15u;
        h = (h ^ (uint64_t)PyArray_STRIDE(a, d)) * 0xC2B2AE3D27D4EB4Fu;
        h ^= h >> 29;
    }
    return (int64_t)h;
}

/* Before Python runs in the middle of a fragment: its inputs must survive, and what they look like is noted. */
void pj_hold_inputs(PjRun *r)
{
    if (r->held) {
        return;
    }
    r->held = true;
    PjRows *rows = r->fragment->rows;
    for (int i = 0; i < rows->registers; i++) {
        Py_XINCREF(r->registers[i]);
    }
    for (int i = 0; i < rows->count; i++) {
        if (rows->rows[i].op == PJ_GUARD_ARRAY) {
            r->fingerprints[i] = fingerprint(r->registers[rows->rows[i].reg]);
        }
    }
}

/* 0: everything that could change behind the fragment's back still is what the guards saw. */
int64_t pj_recheck(int64_t *W)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjRows *rows = r->fragment->rows;
    for (int i = 0; i < rows->count; i++) {
        PjRow *row = &rows->rows[i];
        if (!row->mutable_source) {
            continue;
        }
        if (row->loads) {
            /* identity is enough: the inputs are held, and what they hold themselves has rows of its own */
            if (pj_load(row, r, r->registers) != r->registers[row->target]) {
                return 1;
            }
        }
        else if (row->op == PJ_GUARD_ARRAY) {
            PyObject *o = r->registers[row->reg];
            if (!pj_array_fits(o, row) || (r->held && r->fingerprints[i] != fingerprint(o))) {
                return 1;
            }
        }
        else if (row->op == PJ_GUARD_ERRMASK || row->op == PJ_GUARD_NO_NAME || row->op == PJ_GUARD_NO_GLOBAL ||
                 row->op == PJ_GUARD_NO_ATTR || row->op == PJ_GUARD_LENGTH || row->op == PJ_GUARD_KEYS || row->op == PJ_GUARD_PYTHON_FUNCTION ||
                 row->op == PJ_GUARD_NO_ITEM || row->op == PJ_GUARD_CLASS || row->op == PJ_GUARD_NO_FIELD || row->op == PJ_GUARD_NO_MEMBER ||
                 row->op == PJ_GUARD_OBJECT || row->op == PJ_GUARD_UNMONITORED || row->op == PJ_GUARD_LOOP) {
            if (!pj_check(row, r, r->registers, W)) {
                return 1;
            }
        }
    }
    return 0;
}

PyObject *pj_local_value(PjRun *r, int slot)
{
    return pj_local(r, slot);
}

/* The first row of the fragment that does not hold in the frame, and its object (borrowed or NULL). */
int pj_failure(PjRun *r, PjFragment *f, PyObject **object)
{
    size_t words = (size_t)f->nwords + (size_t)f->rows->registers;
    int64_t *W = PyMem_Malloc((words + 1) * sizeof(int64_t));
    *object = NULL;
    if (W == NULL) {
        return 0;
    }
    PyObject **registers = (PyObject **)(W + f->nwords);
    int failed = pj_walk(f->rows, 0, r, registers, W);
    if (failed >= 0) {
        PjRow *row = &f->rows->rows[failed];
        if (!row->loads) {
            switch ((PjGuardOp)row->op) {
            case PJ_GUARD_UNSET:
                *object = pj_local(r, row->a);
                break;
            case PJ_GUARD_NO_NAME:
            case PJ_GUARD_NO_GLOBAL:
            case PJ_GUARD_ERRMASK:
            case PJ_GUARD_LOOP:
                break;
            case PJ_GUARD_GLOBALS:
                *object = r->frame->f_globals;
                break;
            case PJ_GUARD_CLASS:
                *object = pj_held(PyTuple_GET_ITEM(row->object, 0));
                break;
            case PJ_GUARD_UNMONITORED:
                *object = pj_held(row->object);
                break;
            default:
                *object = registers[row->reg];
            }
        }
    }
    PyMem_Free(W);
    return failed;
}
