/* box.c - objects from words, as recipes say. */
#include "helpers.h"
#include "recipes.h"
#include "numpy_api.h"

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

/* An iterator that has given so many items, or one backwards that stands there; NULL with an exception. That of a list may have given more than
 * the list has by now, which its __setstate__ does not take: the list may grow again. Those of tuples take a state, those of dicts do not. */
static PyObject *iterator_after(PyObject *o, PyObject *index)
{
    PyObject *it = PyObject_GetIter(o);
    if (it != NULL && (Py_IS_TYPE(it, &PyListIter_Type) || Py_IS_TYPE(it, &PySeqIter_Type) || pj_goes_back(it))) {
        ((PjIterator *)it)->index = PyLong_AsSsize_t(index);
        return it;
    }
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

/* iterator_after(iterable, count): for the evaluator. */
PyObject *pj_iterator_after(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *o, *count;
    return PyArg_ParseTuple(args, "OO", &o, &count) ? iterator_after(o, count) : NULL;
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
    int64_t held = 0;
    switch ((RecipeOp)want->op) {
    case R_INT:
        return pj_unbox_int(o, &held) == 0 && held == W[want->a];
    case R_FLOAT:
        return PyFloat_CheckExact(o) && memcmp(&((PyFloatObject *)o)->ob_fval, &W[want->a], sizeof(double)) == 0;
    case R_COMPLEX:
        return PyComplex_CheckExact(o) && memcmp(&((PyComplexObject *)o)->cval, &W[want->a], sizeof(Py_complex)) == 0;
    case R_NP:
        return pj_is_np(o, (int)want->a, &W[want->b]);
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
        return PyFloat_FromDouble(pj_double_of(W[r->a]));
    case R_BOOL:
        return Py_NewRef(W[r->a] ? Py_True : Py_False);
    case R_COMPLEX:
        memcpy(&re, &W[r->a], sizeof(double));
        memcpy(&im, &W[r->a + 1], sizeof(double));
        return PyComplex_FromDoubles(re, im);
    case R_NP:
        return pj_box_np((int)r->a, &W[r->b]);
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
    case R_INPUT: {
        PyObject *held = ((PjRun *)(intptr_t)W[1])->registers[r->a];
        return held != NULL ? Py_NewRef(held) : r->c == R_INT ? PyLong_FromLongLong(W[r->b]) : PyFloat_FromDouble(pj_double_of(W[r->b]));
    }
    }
    PyErr_BadInternalCall();
    return NULL;
}
