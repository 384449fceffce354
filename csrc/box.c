/* box.c - recipes: how words become objects again; NumPy scalars in and out of words. */
#define PIJIT_IMPORTS_NUMPY
#include "pijit.h"
#include "numpy_api.h"

/* kind, "name", fields: w word, o object, r recipe, l list of recipes, R rows, n number */
#define RECIPES(X)                                                                                                    \
    X(KEEP, "keep", "")                                                                                               \
    X(UNSET, "unset", "")                                                                                             \
    X(NULL, "null", "")                                                                                               \
    X(CONST, "const", "o")                                                                                            \
    X(INT, "int", "w")                                                                                                \
    X(FLOAT, "float", "w")                                                                                            \
    X(BOOL, "bool", "w")                                                                                              \
    X(COMPLEX, "complex", "w")                                                                                        \
    X(NP, "np", "nw")                                                                                                 \
    X(OBJECT, "object", "w")                                                                                          \
    X(HELD, "held", "w") /* an object; UNSET: nothing; KEEP: what the slot has */                                     \
    X(TUPLE, "tuple", "l")                                                                                            \
    X(LIST, "list", "l")                                                                                              \
    X(SLICE, "slice", "l")                                                                                            \
    X(RANGE, "range", "www")                                                                                          \
    X(RANGE_ITERATOR, "range_iterator", "www")                                                                        \
    X(BOUND_METHOD, "bound_method", "rr")                                                                             \
    X(ITERATOR, "iterator", "r")                                                                                      \
    X(ITERATOR_AT, "iterator_at", "rr")                                                                               \
    X(DICT, "dict", "l")                                                                                              \
    X(INSTANCE, "instance", "ol")                                                                                     \
    X(MADE, "made", "ol")                                                                                             \
    X(FUNCTION, "function", "orrrr")                                                                                  \
    X(CELL, "cell", "")                                                                                               \
    X(ROOT_CELL, "root_cell", "n")                                                                                    \
    X(CELL_OF, "cell_of", "rn")                                                                                       \
    X(IN_CELL, "in_cell", "rr")                                                                                       \
    X(GENERATOR, "generator", "rnol")                                                                                 \
    X(ONE_OF, "one_of", "wl")                                                                                         \
    X(LOADED, "loaded", "rrR")                                                                                        \
    X(INPUT, "input", "n") /* only made here: what a guard's register holds */

typedef enum {
#define X(id, name, fields) R_##id,
    RECIPES(X)
#undef X
} RecipeOp;

static const struct {
    const char *name, *fields;
} recipes[] = {
#define X(id, name, fields) {name, fields},
    RECIPES(X)
#undef X
};

/* ---- NumPy scalars ---- */

/* X(type number, scalar struct, type object, C type, how to widen) */
#define NP_INTEGERS(X)                                                                                                \
    X(NPY_BYTE, Byte, npy_byte)                                                                                       \
    X(NPY_UBYTE, UByte, npy_ubyte)                                                                                    \
    X(NPY_SHORT, Short, npy_short)                                                                                    \
    X(NPY_USHORT, UShort, npy_ushort)                                                                                 \
    X(NPY_INT, Int, npy_int)                                                                                          \
    X(NPY_UINT, UInt, npy_uint)                                                                                       \
    X(NPY_LONG, Long, npy_long)                                                                                       \
    X(NPY_ULONG, ULong, npy_ulong)                                                                                    \
    X(NPY_LONGLONG, LongLong, npy_longlong)                                                                           \
    X(NPY_ULONGLONG, ULongLong, npy_ulonglong)

#define NP_BYTES(X)                                                                                                   \
    X(NPY_HALF, Half, npy_half)                                                                                       \
    X(NPY_FLOAT, Float, npy_float)                                                                                    \
    X(NPY_DOUBLE, Double, npy_double)                                                                                 \
    X(NPY_CFLOAT, CFloat, npy_cfloat)                                                                                 \
    X(NPY_CDOUBLE, CDouble, npy_cdouble)

PyTypeObject *pj_np_type(int typenum)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        return &Py##name##ArrType_Type;
        NP_INTEGERS(X)
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        return &PyBoolArrType_Type;
    default:
        return NULL;
    }
}

/* The scalar must be of exactly the type of typenum. 0 ok. */
int pj_unbox_np(PyObject *o, int typenum, int64_t *out)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        *out = (int64_t)((Py##name##ScalarObject *)o)->obval;                                                         \
        return 0;
        NP_INTEGERS(X)
#undef X
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        if (sizeof(ctype) < sizeof(int64_t)) {                                                                        \
            *out = 0;                                                                                                 \
        }                                                                                                             \
        memcpy(out, &((Py##name##ScalarObject *)o)->obval, sizeof(ctype));                                            \
        return 0;
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        *out = ((PyBoolScalarObject *)o)->obval != 0;
        return 0;
    default:
        return -1;
    }
}

static PyObject *box_np(int typenum, const int64_t *w)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num: {                                                                                                       \
        PyObject *o = Py##name##ArrType_Type.tp_alloc(&Py##name##ArrType_Type, 0);                                    \
        if (o != NULL) {                                                                                              \
            ((Py##name##ScalarObject *)o)->obval = (ctype)*w;                                                         \
        }                                                                                                             \
        return o;                                                                                                     \
    }
        NP_INTEGERS(X)
#undef X
#define X(num, name, ctype)                                                                                           \
    case num: {                                                                                                       \
        PyObject *o = Py##name##ArrType_Type.tp_alloc(&Py##name##ArrType_Type, 0);                                    \
        if (o != NULL) {                                                                                              \
            memcpy(&((Py##name##ScalarObject *)o)->obval, w, sizeof(ctype));                                          \
        }                                                                                                             \
        return o;                                                                                                     \
    }
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        return Py_NewRef(*w ? PyArrayScalar_True : PyArrayScalar_False);
    default:
        PyErr_BadInternalCall();
        return NULL;
    }
}

/* ---- parsing ---- */

void pj_recipe_free(PjRecipe *r)
{
    if (r != NULL) {
        for (int i = 0; i < r->count; i++) {
            pj_recipe_free(r->kids[i]);
        }
        PyMem_Free(r->kids);
        pj_rows_free(r->rows);
        Py_XDECREF(r->object);
        PyMem_Free(r);
    }
}

static int add_kids(PjRecipe *r, PyObject **items, Py_ssize_t n)
{
    PjRecipe **kids = PyMem_Realloc(r->kids, (size_t)(r->count + n + 1) * sizeof(PjRecipe *));
    if (kids == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    r->kids = kids;
    for (Py_ssize_t i = 0; i < n; i++) {
        kids[r->count] = pj_recipe_new(items[i]);
        if (kids[r->count] == NULL) {
            return -1;
        }
        r->count++;
    }
    return 0;
}

static int parse_fields(PjRecipe *r, const char *fields, PyObject *tuple)
{
    int64_t *numbers[] = {&r->a, &r->b, &r->c, &r->d};
    int used = 0;
    for (Py_ssize_t i = 0; fields[i] != '\0'; i++) {
        PyObject *o = PyTuple_GET_ITEM(tuple, i + 1);
        switch (fields[i]) {
        case 'w':
        case 'n': {
            long long v = PyLong_AsLongLong(o);
            if (v < 0 || v > INT32_MAX) {
                if (!PyErr_Occurred()) {
                    PyErr_SetString(PyExc_ValueError, "recipe: a number is out of range");
                }
                return -1;
            }
            *numbers[used++] = v;
            break;
        }
        case 'o':
            r->object = Py_NewRef(o);
            break;
        case 'R':
            if ((r->rows = pj_rows_new(o, 1)) == NULL) {
                return -1;
            }
            break;
        case 'r':
            if (add_kids(r, &o, 1) < 0) {
                return -1;
            }
            break;
        default: { /* 'l' */
            PyObject *fast = PySequence_Fast(o, "recipe: a sequence of recipes is needed");
            if (fast == NULL) {
                return -1;
            }
            int bad = add_kids(r, PySequence_Fast_ITEMS(fast), PySequence_Fast_GET_SIZE(fast));
            Py_DECREF(fast);
            if (bad < 0) {
                return -1;
            }
        }
        }
    }
    if (r->op == R_INSTANCE) {
        PyObject *o = r->object;
        PyObject *cls = PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == r->count + 1 ? pj_held(PyTuple_GET_ITEM(o, 0)) : NULL;
        if (cls == NULL || !PyType_Check(cls)) {
            PyErr_SetString(PyExc_ValueError, "recipe: an instance needs its class and one name per part");
            return -1;
        }
    }
    if (r->op == R_GENERATOR) {
        PyObject *slots = r->object;
        bool good = PyTuple_CheckExact(slots) && PyTuple_GET_SIZE(slots) < r->count;
        for (Py_ssize_t i = 0; good && i < PyTuple_GET_SIZE(slots); i++) {
            good = PyLong_CheckExact(PyTuple_GET_ITEM(slots, i));
        }
        if (!good) {
            PyErr_SetString(PyExc_ValueError, "recipe: a generator needs one part per slot");
            return -1;
        }
    }
    if (r->op == R_ONE_OF && r->count < 2) {
        PyErr_SetString(PyExc_ValueError, "recipe: a number that is one of several needs itself and a list or null");
        return -1;
    }
    if (r->op == R_LOADED && (r->rows->count != 1 || !r->rows->rows[0].loads)) {
        PyErr_SetString(PyExc_ValueError, "recipe: a number is loaded by one row");
        return -1;
    }
    if (r->op == R_DICT && r->count % 2 != 0) {
        PyErr_SetString(PyExc_ValueError, "recipe: a dict needs a value for each key");
        return -1;
    }
    if (r->op == R_SLICE && r->count != 3) {
        PyErr_SetString(PyExc_ValueError, "recipe: a slice has three parts");
        return -1;
    }
    if (r->op == R_NP && pj_np_type((int)r->a) == NULL) {
        PyErr_Format(PyExc_ValueError, "recipe: no scalars of NumPy type number %d", (int)r->a);
        return -1;
    }
    return 0;
}

/* New recipe from its tuple, or NULL with an exception. */
PjRecipe *pj_recipe_new(PyObject *tuple)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) == 0 || !PyUnicode_Check(PyTuple_GET_ITEM(tuple, 0))) {
        PyErr_Format(PyExc_TypeError, "recipe: not a tuple that starts with a kind: %R", tuple);
        return NULL;
    }
    for (size_t op = 0; op < sizeof(recipes) / sizeof(recipes[0]); op++) {
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(tuple, 0), recipes[op].name) != 0) {
            continue;
        }
        if (PyTuple_GET_SIZE(tuple) != 1 + (Py_ssize_t)strlen(recipes[op].fields)) {
            PyErr_Format(PyExc_ValueError, "recipe: wrong number of fields: %R", tuple);
            return NULL;
        }
        PjRecipe *r = PyMem_Calloc(1, sizeof(PjRecipe));
        if (r == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        r->op = (int)op;
        if (parse_fields(r, recipes[op].fields, tuple) < 0) {
            pj_recipe_free(r);
            return NULL;
        }
        return r;
    }
    PyErr_Format(PyExc_ValueError, "recipe: unknown kind %R", PyTuple_GET_ITEM(tuple, 0));
    return NULL;
}

bool pj_recipe_keeps(const PjRecipe *r)
{
    return r->op == R_KEEP;
}

bool pj_recipe_empty(const PjRecipe *r)
{
    return r->op == R_UNSET || r->op == R_NULL || r->op == R_HELD;
}

bool pj_recipe_is_bound(const PjRecipe *r)
{
    return r->op == R_BOUND_METHOD;
}

bool pj_recipe_in_cell(const PjRecipe *r)
{
    return r->op == R_IN_CELL;
}

/* The highest word the recipe reads, for checking it against a fragment's nwords. */
int64_t pj_recipe_words(const PjRecipe *r)
{
    int64_t top = -1;
    const char *fields = recipes[r->op].fields;
    const int64_t numbers[] = {r->a, r->b, r->c, r->d};
    int used = 0;
    for (; *fields != '\0'; fields++) {
        if (*fields == 'w' || *fields == 'n') {
            if (*fields == 'w' && numbers[used] > top) {
                top = numbers[used];
            }
            used++;
        }
    }
    if (r->op == R_COMPLEX || (r->op == R_NP && r->a == NPY_CDOUBLE)) {
        top++;
    }
    for (int i = 0; i < r->count; i++) {
        int64_t kid = pj_recipe_words(r->kids[i]);
        top = kid > top ? kid : top;
    }
    return top;
}

/* A number that a guard unboxed and nothing has changed is the object that it came from. `inputs`: by word, the register or -1. */
void pj_recipe_bind(PjRecipe *r, const int16_t *inputs)
{
    int64_t word = r->op == R_NP ? r->b : r->a;
    if ((r->op == R_INT || r->op == R_FLOAT || r->op == R_COMPLEX || r->op == R_NP) && inputs[word] >= 0) {
        r->op = R_INPUT;
        r->a = inputs[word];
    }
    for (int i = 0; i < r->count; i++) {
        pj_recipe_bind(r->kids[i], inputs);
    }
}

/* ---- building ---- */

static PyObject *build_sequence(const PjRecipe *r, int64_t *W, bool tuple)
{
    PyObject *o = tuple ? PyTuple_New(r->count) : PyList_New(r->count);
    for (int i = 0; o != NULL && i < r->count; i++) {
        PyObject *item = pj_build(r->kids[i], W);
        if (item == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_BadInternalCall();
            }
            Py_CLEAR(o);
        }
        else if (tuple) {
            PyTuple_SET_ITEM(o, i, item);
        }
        else {
            PyList_SET_ITEM(o, i, item);
        }
    }
    return o;
}

static PyObject *build_range(int64_t start, int64_t stop, int64_t step)
{
    return PyObject_CallFunction((PyObject *)&PyRange_Type, "LLL", (long long)start, (long long)stop, (long long)step);
}

/* How many values range(next, stop, step) has. */
static int64_t range_length(int64_t next, int64_t stop, int64_t step)
{
    if (step > 0 && next < stop) {
        return (int64_t)(1 + ((uint64_t)stop - (uint64_t)next - 1) / (uint64_t)step);
    }
    if (step < 0 && next > stop) {
        return (int64_t)(1 + ((uint64_t)next - (uint64_t)stop - 1) / (0 - (uint64_t)step));
    }
    return 0;
}

static PyObject *build_range_iterator(int64_t next, int64_t stop, int64_t step)
{
    PjRangeIter *it = PyObject_New(PjRangeIter, &PyRangeIter_Type);
    if (it != NULL) {
        pj_range_iter_set(it, next, step, range_length(next, stop, step));
    }
    return (PyObject *)it;
}

/* iter() of an object, moved to an index: what list, tuple and sequence iterators offer for pickling. */
/* An iterator that has given so many items; NULL with an exception. Those of dicts take no state. */
static PyObject *iterator_after(PyObject *o, PyObject *index)
{
    PyObject *it = PyObject_GetIter(o);
    if (it == NULL || !(PyDictKeys_Check(o) || PyDictValues_Check(o) || PyDictItems_Check(o))) {
        PyObject *none = it == NULL ? NULL : PyObject_CallMethod(it, "__setstate__", "O", index);
        if (none == NULL) {
            Py_CLEAR(it);
        }
        Py_XDECREF(none);
        return it;
    }
    Py_ssize_t n = PyLong_AsSsize_t(index);
    for (Py_ssize_t i = 0; it != NULL && i < n; i++) {
        PyObject *item = PyIter_Next(it);
        if (item == NULL) {
            Py_CLEAR(it);
        }
        Py_XDECREF(item);
    }
    return it;
}

static PyObject *build_iterator_at(const PjRecipe *r, int64_t *W)
{
    PyObject *o = pj_build(r->kids[0], W);
    PyObject *index = o == NULL ? NULL : pj_build(r->kids[1], W);
    PyObject *it = index == NULL ? NULL : iterator_after(o, index);
    Py_XDECREF(o);
    Py_XDECREF(index);
    if (it == NULL && !PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    return it;
}

static PyObject *build_slice(const PjRecipe *r, int64_t *W)
{
    PyObject *parts[3] = {NULL, NULL, NULL}, *o = NULL;
    int i = 0;
    for (; i < 3; i++) {
        parts[i] = pj_build(r->kids[i], W);
        if (parts[i] == NULL) {
            break;
        }
    }
    if (i == 3) {
        o = PySlice_New(parts[0], parts[1], parts[2]);
    }
    else if (!PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    for (i = 0; i < 3; i++) {
        Py_XDECREF(parts[i]);
    }
    return o;
}

/* One part; never NULL without an exception. */
static PyObject *build_part(const PjRecipe *r, int64_t *W)
{
    PyObject *o = pj_build(r, W);
    if (o == NULL && !PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    return o;
}

static PyObject *build_dict(const PjRecipe *r, int64_t *W)
{
    PyObject *o = PyDict_New();
    for (int i = 0; o != NULL && i < r->count; i += 2) {
        PyObject *key = build_part(r->kids[i], W);
        PyObject *value = key == NULL ? NULL : build_part(r->kids[i + 1], W);
        if (value == NULL || PyDict_SetItem(o, key, value) < 0) {
            Py_CLEAR(o);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return o;
}

/* object.__new__(cls), and each name set to its part. Capture knows that this runs no Python. */
static PyObject *build_instance(const PjRecipe *r, int64_t *W)
{
    PyObject *none = PyTuple_New(0);
    PyTypeObject *cls = (PyTypeObject *)pj_held(PyTuple_GET_ITEM(r->object, 0));
    if (cls == NULL) { /* as for R_CONST */
        PyErr_SetString(PyExc_SystemError, "pijit: a class that native code needs is gone");
    }
    PyObject *o = none == NULL || cls == NULL ? NULL : PyBaseObject_Type.tp_new(cls, none, NULL);
    Py_XDECREF(none);
    for (int i = 0; o != NULL && i < r->count; i++) {
        PyObject *value = build_part(r->kids[i], W);
        if (value == NULL || PyObject_GenericSetAttr(o, PyTuple_GET_ITEM(r->object, i + 1), value) < 0) {
            Py_CLEAR(o);
        }
        Py_XDECREF(value);
    }
    return o;
}

/* As attribute access binds: a method of a function, a builtin of a method descriptor. */
static PyObject *build_bound_method(const PjRecipe *r, int64_t *W)
{
    PyObject *function = pj_build(r->kids[0], W);
    PyObject *self = function == NULL ? NULL : pj_build(r->kids[1], W);
    PyObject *o = NULL;
    if (self != NULL) {
        descrgetfunc bind = Py_TYPE(function)->tp_descr_get;
        o = bind == NULL ? PyMethod_New(function, self) : bind(function, self, (PyObject *)Py_TYPE(self));
    }
    Py_XDECREF(function);
    Py_XDECREF(self);
    if (o == NULL && !PyErr_Occurred()) {
        PyErr_BadInternalCall();
    }
    return o;
}

static PyObject *build_function(const PjRecipe *r, int64_t *W)
{
    PyObject *parts[4] = {NULL, NULL, NULL, NULL}, *o = NULL;
    int i = 0;
    while (i < 4 && (pj_recipe_empty(r->kids[i]) || (parts[i] = build_part(r->kids[i], W)) != NULL)) {
        i++;
    }
    if (i == 4) {
        o = pj_build_function(pj_held(r->object), parts[0], parts[1], parts[2], parts[3], W);
    }
    for (i = 0; i < 4; i++) {
        Py_XDECREF(parts[i]);
    }
    return o;
}

static PyObject *build_generator(const PjRecipe *r, int64_t *W)
{
    PyObject **values = PyMem_Calloc((size_t)r->count, sizeof(PyObject *)), *o = NULL;
    int n = 0;
    if (values == NULL) {
        return PyErr_NoMemory();
    }
    while (n < r->count && (values[n] = build_part(r->kids[n], W)) != NULL) {
        n++;
    }
    if (n == r->count) {
        o = pj_build_generator(values[0], (int)r->a, r->object, values + 1, n - 1);
        n = 1;
    }
    while (n > 0) {
        n--;
        Py_DECREF(values[n]);
    }
    PyMem_Free(values);
    return o;
}

static PyObject *build_in_cell(const PjRecipe *r, int64_t *W)
{
    PyObject *cell = build_part(r->kids[0], W);
    PyObject *contents = cell == NULL || pj_recipe_empty(r->kids[1]) ? NULL : build_part(r->kids[1], W);
    if (cell != NULL && contents == NULL && PyErr_Occurred()) {
        Py_CLEAR(cell);
    }
    return cell == NULL ? NULL : pj_build_in_cell(cell, contents);
}

/* Whether an object is a number of the type and with the very bits that the recipe `want` would make one of. */
static bool is_number(PyObject *o, const PjRecipe *want, const int64_t *W)
{
    int64_t held[2] = {0, 0};
    switch ((RecipeOp)want->op) {
    case R_INT:
        return pj_unbox_int(o, held) == 0 && held[0] == W[want->a];
    case R_FLOAT:
        return PyFloat_CheckExact(o) && memcmp(&((PyFloatObject *)o)->ob_fval, &W[want->a], sizeof(double)) == 0;
    case R_COMPLEX:
        return PyComplex_CheckExact(o) && memcmp(&((PyComplexObject *)o)->cval, &W[want->a], sizeof(Py_complex)) == 0;
    case R_NP:
        return Py_IS_TYPE(o, pj_np_type((int)want->a)) && pj_unbox_np(o, (int)want->a, held) == 0 && held[0] == W[want->b] &&
               (want->a != NPY_CDOUBLE || held[1] == W[want->b + 1]);
    default:
        return false;
    }
}

/* The number, or the object that has it (borrowed, or NULL). */
static PyObject *number_or(PyObject *o, const PjRecipe *number, int64_t *W)
{
    return o != NULL && is_number(o, number, W) ? Py_NewRef(o) : build_part(number, W);
}

/* kids: the number, the list or null, the numbers that came in; the word: an index in the list, -1, or -2 - k for the k-th of these. */
static PyObject *build_one_of(const PjRecipe *r, int64_t *W)
{
    int64_t which = W[r->a];
    if (which < -1 && -which < r->count) {
        return build_part(r->kids[-which], W);
    }
    PyObject *list = which >= 0 && r->kids[1]->op == R_OBJECT ? (PyObject *)(intptr_t)W[r->kids[1]->a] : NULL;
    bool there = list != NULL && PyList_CheckExact(list) && which < PyList_GET_SIZE(list);
    return number_or(there ? PyList_GET_ITEM(list, which) : NULL, r->kids[0], W);
}

/* kids: the number, what it was loaded from, or stored in, by the row. */
static PyObject *build_loaded(const PjRecipe *r, int64_t *W)
{
    PyObject *registers[2] = {build_part(r->kids[1], W), NULL};
    if (registers[0] == NULL) {
        return NULL;
    }
    bool there = pj_walk(r->rows, 0, (PjRun *)(intptr_t)W[1], registers, W) < 0;
    PyObject *o = number_or(there ? registers[1] : NULL, r->kids[0], W);
    Py_DECREF(registers[0]); /* whoever names it holds it */
    return o;
}

/* A new reference. NULL without an exception: "keep", "unset" or "null"; NULL with one: it could not be built. */
PyObject *pj_build(const PjRecipe *r, int64_t *W)
{
    double re, im;
    switch ((RecipeOp)r->op) {
    case R_KEEP:
    case R_UNSET:
    case R_NULL:
        return NULL;
    case R_CONST: {
        PyObject *o = pj_held(r->object);
        if (o == NULL) { /* the rows let nothing in without it, and inputs are held: not to be seen */
            PyErr_SetString(PyExc_SystemError, "pijit: an object that native code needs is gone");
        }
        return Py_XNewRef(o);
    }
    case R_INT:
        return PyLong_FromLongLong(W[r->a]);
    case R_FLOAT:
        memcpy(&re, &W[r->a], sizeof(double));
        return PyFloat_FromDouble(re);
    case R_BOOL:
        return Py_NewRef(W[r->a] ? Py_True : Py_False);
    case R_COMPLEX:
        memcpy(&re, &W[r->a], sizeof(double));
        memcpy(&im, &W[r->a + 1], sizeof(double));
        return PyComplex_FromDoubles(re, im);
    case R_NP:
        return box_np((int)r->a, &W[r->b]);
    case R_OBJECT: {
        PyObject *o = (PyObject *)(intptr_t)W[r->a];
        if (o == NULL) { /* a helper that had no memory for it */
            return PyErr_NoMemory();
        }
        return Py_NewRef(o);
    }
    case R_HELD: {
        PyObject *o = (PyObject *)(intptr_t)W[r->a];
        return o == pj_unset ? NULL : Py_XNewRef(o);
    }
    case R_TUPLE:
        return build_sequence(r, W, true);
    case R_LIST:
        return build_sequence(r, W, false);
    case R_SLICE:
        return build_slice(r, W);
    case R_RANGE:
        return build_range(W[r->a], W[r->b], W[r->c]);
    case R_RANGE_ITERATOR:
        return build_range_iterator(W[r->a], W[r->b], W[r->c]);
    case R_BOUND_METHOD:
        return build_bound_method(r, W);
    case R_ITERATOR: {
        PyObject *o = pj_build(r->kids[0], W);
        PyObject *it = o == NULL ? NULL : PyObject_GetIter(o);
        Py_XDECREF(o);
        if (it == NULL && !PyErr_Occurred()) {
            PyErr_BadInternalCall();
        }
        return it;
    }
    case R_ITERATOR_AT:
        return build_iterator_at(r, W);
    case R_DICT:
        return build_dict(r, W);
    case R_INSTANCE:
        return build_instance(r, W);
    case R_MADE: {
        PyObject *args = build_sequence(r, W, true);
        PyObject *o = args == NULL ? NULL : PyObject_CallObject(r->object, args);
        Py_XDECREF(args);
        return o;
    }
    case R_FUNCTION:
        return build_function(r, W);
    case R_CELL:
        return PyCell_New(NULL);
    case R_ROOT_CELL:
        return pj_build_root_cell(r->a, W);
    case R_CELL_OF: {
        PyObject *function = build_part(r->kids[0], W);
        return function == NULL ? NULL : pj_build_cell_of(function, r->a);
    }
    case R_IN_CELL:
        return build_in_cell(r, W);
    case R_GENERATOR:
        return build_generator(r, W);
    case R_ONE_OF:
        return build_one_of(r, W);
    case R_LOADED:
        return build_loaded(r, W);
    case R_INPUT:
        return Py_NewRef(((PjRun *)(intptr_t)W[1])->registers[r->a]);
    }
    PyErr_BadInternalCall();
    return NULL;
}

int pj_box_init(void)
{
    import_array1(-1);
    return 0;
}
