/* recipes.c - recipes from their tuples, and what they say of themselves. */
#include "recipes.h"
#include "numpy_api.h"

static const struct {
    const char *name, *fields;
} recipes[] = {
#define X(id, name, fields) {name, fields},
    RECIPES(X)
#undef X
};

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

bool pj_recipe_is_const(const PjRecipe *r)
{
    return r->op == R_CONST;
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
        r->b = word;
        r->c = r->op;
        r->op = R_INPUT;
        r->a = inputs[word];
    }
    for (int i = 0; i < r->count; i++) {
        pj_recipe_bind(r->kids[i], inputs);
    }
}
