/* rows.c - guard rows from Python tuples. */
#include "pijit.h"
#include "numpy_api.h"

static const struct {
    const char *name, *fields;
    bool loads;
} kinds[] = {
#define GUARD(id, name, fields, loads) {name, fields, loads},
#include "guards.def"
#undef GUARD
};

static int number(PyObject *o, long long low, long long high, const char *what, long long *out)
{
    long long v = PyLong_AsLongLong(o);
    if (v == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (v < low || v > high) {
        PyErr_Format(PyExc_ValueError, "guard row: %s %lld is out of range", what, v);
        return -1;
    }
    *out = v;
    return 0;
}

static int parse_order(PyObject *o)
{
    const char *text = PyUnicode_Check(o) ? PyUnicode_AsUTF8(o) : NULL;
    if (text != NULL) {
        if (strcmp(text, "any") == 0) {
            return PJ_ORDER_ANY;
        }
        if (strcmp(text, "C") == 0) {
            return PJ_ORDER_C;
        }
        if (strcmp(text, "F") == 0) {
            return PJ_ORDER_F;
        }
        if (strcmp(text, "S") == 0) {
            return PJ_ORDER_S;
        }
    }
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "guard row: order must be 'any', 'C', 'F' or 'S'");
    }
    return -1;
}

/* One field of the tuple into the row; -1 with an exception. */
static int row_field(PjRow *row, char field, PyObject *o, int registers)
{
    long long v = 0;
    switch (field) {
    case 's':
    case 'i':
        if (number(o, 0, INT32_MAX, "index", &v) < 0) {
            return -1;
        }
        row->a = (int32_t)v;
        return 0;
    case 'r':
        if (number(o, 0, registers - 1, "register", &v) < 0) {
            return -1;
        }
        row->reg = (int16_t)v;
        return 0;
    case 'R':
        if (number(o, 0, registers - 1, "register", &v) < 0) {
            return -1;
        }
        row->a = (int32_t)v;
        return 0;
    case 'w':
        if (number(o, 2, INT32_MAX, "word", &v) < 0) {
            return -1;
        }
        row->word = (int32_t)v;
        return 0;
    case 'v':
        if (number(o, INT64_MIN, INT64_MAX, "value", &v) < 0) {
            return -1;
        }
        row->value = v;
        return 0;
    case 'm':
        if (number(o, 0, INT64_MAX, "error mask", &v) < 0) {
            return -1;
        }
        row->value = v;
        return 0;
    case 'y':
        if (number(o, 0, INT32_MAX, "type number", &v) < 0) {
            return -1;
        }
        row->a = (int32_t)v;
        return 0;
    case 'd':
        if (number(o, 0, 64, "rank", &v) < 0) {
            return -1;
        }
        row->ndim = (int32_t)v;
        return 0;
    case 'f':
        if (number(o, 0, INT32_MAX, "flags", &v) < 0) {
            return -1;
        }
        row->value = v | NPY_ARRAY_ALIGNED;
        return 0;
    case 'b': {
        unsigned long long bits = PyLong_AsUnsignedLongLong(o);
        if (bits == (unsigned long long)-1 && PyErr_Occurred()) {
            return -1;
        }
        row->ones = (int64_t)bits;
        return 0;
    }
    case 'q': {
        int order = parse_order(o);
        if (order < 0) {
            return -1;
        }
        row->order = (uint8_t)order;
        return 0;
    }
    case 'n':
        if (!PyUnicode_CheckExact(o)) {
            PyErr_SetString(PyExc_TypeError, "guard row: a name must be a str");
            return -1;
        }
        Py_INCREF(o);
        PyUnicode_InternInPlace(&o);
        row->object = o;
        row->hash = PyObject_Hash(o);
        return 0;
    case 'c': {
        Py_ssize_t n = PyTuple_CheckExact(o) ? PyTuple_GET_SIZE(o) : 0;
        PyObject *cls = n % 2 == 1 ? pj_held(PyTuple_GET_ITEM(o, 0)) : NULL;
        bool fits = cls != NULL && PyType_Check(cls);
        for (Py_ssize_t i = 1; fits && i < n; i += 2) {
            fits = PyUnicode_CheckExact(PyTuple_GET_ITEM(o, i));
        }
        if (!fits) {
            PyErr_SetString(PyExc_TypeError, "guard row: a class and what it says of names is needed");
            return -1;
        }
        row->object = Py_NewRef(o);
        return 0;
    }
    case 'k':
    case 'K':
        if (pj_held(o) == NULL || !PyCode_Check(pj_held(o))) {
            PyErr_SetString(PyExc_TypeError, "guard row: a code object is needed");
            return -1;
        }
        *(field == 'k' ? &row->object : &row->code) = Py_NewRef(o);
        return 0;
    case 't':
        if (pj_held(o) == NULL || !PyType_Check(pj_held(o))) {
            PyErr_SetString(PyExc_TypeError, "guard row: a type is needed");
            return -1;
        }
        row->object = Py_NewRef(o);
        return 0;
    case 'g': /* borrowed: a namespace cannot be referred to weakly, and one that held it would never be freed */
        row->object = o;
        return 0;
    default: /* 'o' */
        row->object = Py_NewRef(o);
        return 0;
    }
}

/* What may change while the fragment runs and calls Python. */
static void mark_mutable(PjRow *row, const bool *registers)
{
    switch ((PjGuardOp)row->op) {
    case PJ_GUARD_GLOBAL:
    case PJ_GUARD_BUILTIN:
    case PJ_GUARD_NAME:
    case PJ_GUARD_ATTR:
    case PJ_GUARD_ITEM:
    case PJ_GUARD_CLOSURE:
    case PJ_GUARD_CLOSED:
    case PJ_GUARD_PART:
    case PJ_GUARD_DICT_ITEM:
    case PJ_GUARD_FIELD:
    case PJ_GUARD_MEMBER:
    case PJ_GUARD_CLASS:
    case PJ_GUARD_NO_ITEM:
    case PJ_GUARD_NO_FIELD:
    case PJ_GUARD_NO_MEMBER:
    case PJ_GUARD_LENGTH:
    case PJ_GUARD_KEYS:
    case PJ_GUARD_PYTHON_FUNCTION:
    case PJ_GUARD_NO_ATTR:
    case PJ_GUARD_NO_NAME:
    case PJ_GUARD_NO_GLOBAL:
    case PJ_GUARD_UNMONITORED:
    case PJ_GUARD_ERRMASK:
    case PJ_GUARD_LOOP:
    case PJ_GUARD_ARRAY:
        row->mutable_source = true;
        break;
    case PJ_GUARD_OBJECT: /* __class__ may be set, of instances of Python classes */
        row->mutable_source = ((PyTypeObject *)pj_held(row->object))->tp_flags & Py_TPFLAGS_HEAPTYPE;
        break;
    default:
        row->mutable_source = !row->loads && row->object == NULL && row->reg >= 0 && registers[row->reg];
    }
}

static int row_parse(PjRow *row, PyObject *tuple, int registers)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) == 0 || !PyUnicode_Check(PyTuple_GET_ITEM(tuple, 0))) {
        PyErr_Format(PyExc_TypeError, "guard row: not a tuple that starts with a kind: %R", tuple);
        return -1;
    }
    for (int op = 0; op < PJ_GUARD_COUNT; op++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(tuple, 0), kinds[op].name) != 0) {
            continue;
        }
        const char *fields = kinds[op].fields;
        if (PyTuple_GET_SIZE(tuple) != 1 + (Py_ssize_t)strlen(fields)) {
            PyErr_Format(PyExc_ValueError, "guard row: wrong number of fields: %R", tuple);
            return -1;
        }
        row->op = (uint8_t)op;
        row->reg = -1;
        row->loads = kinds[op].loads;
        for (Py_ssize_t i = 0; fields[i] != '\0'; i++) {
            if (row_field(row, fields[i], PyTuple_GET_ITEM(tuple, i + 1), registers) < 0) {
                return -1;
            }
        }
        if (op == PJ_GUARD_NP) {
            PyTypeObject *type = pj_np_type(row->a);
            if (type == NULL) {
                PyErr_Format(PyExc_ValueError, "guard row: no scalars of NumPy type number %d", (int)row->a);
                return -1;
            }
            row->object = Py_NewRef((PyObject *)type);
        }
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "guard row: unknown kind %R", PyTuple_GET_ITEM(tuple, 0));
    return -1;
}

/* `given`: registers that are there before the first row (1 for the result of a call). New object or NULL. */
PjRows *pj_rows_new(PyObject *sequence, int given)
{
    PyObject *fast = PySequence_Fast(sequence, "guards must be a sequence of tuples");
    if (fast == NULL) {
        return NULL;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    PjRows *rows = n > 30000 ? NULL : PyMem_Calloc(1, sizeof(PjRows) + (size_t)n * sizeof(PjRow));
    bool *is_mutable = rows == NULL ? NULL : PyMem_Calloc((size_t)n + (size_t)given + 1, sizeof(bool));
    if (is_mutable == NULL) {
        PyMem_Free(rows);
        Py_DECREF(fast);
        PyErr_NoMemory();
        return NULL;
    }
    rows->registers = given;
    for (Py_ssize_t i = 0; i < n; i++) {
        PjRow *row = &rows->rows[i];
        rows->count++;
        if (row_parse(row, PySequence_Fast_GET_ITEM(fast, i), rows->registers) < 0) {
            pj_rows_free(rows);
            rows = NULL;
            break;
        }
        mark_mutable(row, is_mutable);
        if (row->loads) {
            row->target = (int16_t)rows->registers++;
            is_mutable[row->target] = row->mutable_source;
        }
    }
    PyMem_Free(is_mutable);
    Py_DECREF(fast);
    return rows;
}

void pj_rows_free(PjRows *rows)
{
    if (rows != NULL) {
        for (int i = 0; i < rows->count; i++) {
            PjRow *row = &rows->rows[i];
            if (row->op != PJ_GUARD_GLOBALS && row->op != PJ_GUARD_PYTHON_FUNCTION) { /* those only compare */
                Py_XDECREF(row->object);
            }
            Py_XDECREF(row->code);
        }
        PyMem_Free(rows);
    }
}
