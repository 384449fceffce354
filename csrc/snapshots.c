/* snapshots.c - what an exit leaves for the interpreter, read from what codegen hands over. */
#include "pijit.h"

static void exit_frame_clear(PjExitFrame *f)
{
    pj_recipe_free(f->function);
    for (int i = 0; f->locals != NULL && i < f->nlocals; i++) {
        pj_recipe_free(f->locals[i]);
    }
    for (int i = 0; f->stack != NULL && i < f->nstack; i++) {
        pj_recipe_free(f->stack[i]);
    }
    PyMem_Free(f->slots);
    PyMem_Free(f->locals);
    PyMem_Free(f->stack);
    Py_XDECREF(f->then);
    pj_recipe_free(f->then_args);
}

void pj_exit_clear(PjExit *e)
{
    for (int i = 0; e->frames != NULL && i < e->nframes; i++) {
        exit_frame_clear(&e->frames[i]);
    }
    PyMem_Free(e->frames);
    for (int i = 0; i < e->nnames; i++) {
        Py_XDECREF(e->names[i]);
        pj_recipe_free(e->name_recipes[i]);
    }
    PyMem_Free(e->names);
    PyMem_Free(e->name_recipes);
    pj_recipe_free(e->result);
    for (int i = 0; i < e->nshared; i++) {
        pj_recipe_free(e->shared[i]);
    }
    PyMem_Free(e->shared);
    PyMem_Free(e->shared_words);
}

static int exit_frame_parse(PjExitFrame *f, PyObject *tuple)
{
    PyObject *function, *locals, *stack, *then = NULL, *then_args = NULL;
    if (!PyTuple_Check(tuple) ||
        !PyArg_ParseTuple(tuple, "OiO!O|(OO);a frame is (function, pc, locals, stack[, (then, arguments)])", &function,
                          &f->pc, &PyDict_Type, &locals, &stack, &then, &then_args)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "a frame is a tuple (function, pc, locals, stack)");
        }
        return -1;
    }
    if (then != NULL) {
        f->then = Py_NewRef(then);
        if ((f->then_args = pj_recipe_new(then_args)) == NULL) {
            return -1;
        }
    }
    if (function != Py_None && (f->function = pj_recipe_new(function)) == NULL) {
        return -1;
    }
    Py_ssize_t n = PyDict_GET_SIZE(locals), pos = 0;
    f->slots = PyMem_Calloc((size_t)n + 1, sizeof(int));
    f->locals = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    PyObject *fast = PySequence_Fast(stack, "the stack must be a sequence of recipes");
    if (fast == NULL) {
        return -1;
    }
    f->stack = PyMem_Calloc((size_t)PySequence_Fast_GET_SIZE(fast) + 1, sizeof(PjRecipe *));
    if (f->slots == NULL || f->locals == NULL || f->stack == NULL) {
        Py_DECREF(fast);
        PyErr_NoMemory();
        return -1;
    }
    PyObject *slot, *recipe;
    while (PyDict_Next(locals, &pos, &slot, &recipe)) {
        long s = PyLong_AsLong(slot);
        if ((s == -1 && PyErr_Occurred()) || s < 0 || s > INT32_MAX ||
            (f->locals[f->nlocals] = pj_recipe_new(recipe)) == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ValueError, "a slot is out of range");
            }
            Py_DECREF(fast);
            return -1;
        }
        f->slots[f->nlocals++] = (int)s;
    }
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast); i++) {
        if ((f->stack[f->nstack] = pj_recipe_new(PySequence_Fast_GET_ITEM(fast, i))) == NULL) {
            Py_DECREF(fast);
            return -1;
        }
        f->nstack++;
    }
    Py_DECREF(fast);
    return 0;
}

static int exit_names_parse(PjExit *e, PyObject *names)
{
    PyObject *fast = PySequence_Fast(names, "names must be a sequence of (name, recipe)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->names = PyMem_Calloc((size_t)n + 1, sizeof(PyObject *));
    e->name_recipes = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    int bad = e->names == NULL || e->name_recipes == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        PyObject *name, *recipe, *pair = PySequence_Fast_GET_ITEM(fast, i);
        bad = !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "UO;a name is (name, recipe)", &name, &recipe) ||
              (e->name_recipes[i] = pj_recipe_new(recipe)) == NULL;
        if (!bad) {
            e->names[i] = Py_NewRef(name);
            PyUnicode_InternInPlace(&e->names[i]);
            e->nnames++;
        }
    }
    Py_DECREF(fast);
    if (bad && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "names must be a sequence of tuples (name, recipe)");
    }
    return bad ? -1 : 0;
}

static int exit_shared_parse(PjExit *e, PyObject *shared)
{
    PyObject *fast = PySequence_Fast(shared, "shared objects must be a sequence of (recipe, word)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->shared = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    e->shared_words = PyMem_Calloc((size_t)n + 1, sizeof(int));
    int bad = e->shared == NULL || e->shared_words == NULL;
    for (Py_ssize_t i = 0; !bad && i < n; i++) {
        PyObject *recipe, *pair = PySequence_Fast_GET_ITEM(fast, i);
        bad = !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "Oi;a shared object is (recipe, word)", &recipe, &e->shared_words[i]) ||
              (e->shared[i] = pj_recipe_new(recipe)) == NULL;
        e->nshared += !bad;
    }
    Py_DECREF(fast);
    if (bad && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "shared objects must be a sequence of tuples (recipe, word)");
    }
    return bad ? -1 : 0;
}

/* Fills a zeroed exit; what was filled in is to be cleared by the caller also after a failure. */
int pj_exit_parse(PjExit *e, PyObject *tuple)
{
    static const char *const kinds[] = {"return", "redo", "continue", "raise", "poll"};
    const char *kind;
    PyObject *frames, *names, *result, *shared = NULL;
    if (!PyTuple_Check(tuple) || !PyArg_ParseTuple(tuple, "sOOO|O;an exit is (kind, frames, names, result[, shared])", &kind,
                                                   &frames, &names, &result, &shared)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "an exit is a tuple (kind, frames, names, result)");
        }
        return -1;
    }
    int k = 0;
    while (k < 5 && strcmp(kind, kinds[k]) != 0) {
        k++;
    }
    if (k == 5) {
        PyErr_Format(PyExc_ValueError, "unknown kind of exit '%s'", kind);
        return -1;
    }
    e->kind = (PjExitKind)k;
    PyObject *fast = PySequence_Fast(frames, "frames must be a sequence");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    e->frames = PyMem_Calloc((size_t)n + 1, sizeof(PjExitFrame));
    if (e->frames == NULL) {
        Py_DECREF(fast);
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PjExitFrame *f = &e->frames[e->nframes++];
        if (exit_frame_parse(f, PySequence_Fast_GET_ITEM(fast, i)) < 0) {
            Py_DECREF(fast);
            return -1;
        }
        if ((i == 0) != (f->function == NULL)) {
            PyErr_SetString(PyExc_ValueError, "the outermost frame of an exit, and only it, has no function");
            Py_DECREF(fast);
            return -1;
        }
        if (i > 0) {
            e->nvalues += 1 + f->nlocals + f->nstack + (f->then != NULL);
        }
    }
    Py_DECREF(fast);
    if (names != Py_None && exit_names_parse(e, names) < 0) {
        return -1;
    }
    if (shared != NULL && exit_shared_parse(e, shared) < 0) {
        return -1;
    }
    if (result != Py_None && (e->result = pj_recipe_new(result)) == NULL) {
        return -1;
    }
    if (e->kind == PJ_RETURN ? e->result == NULL : e->nframes == 0) {
        PyErr_SetString(PyExc_ValueError,
                        e->kind == PJ_RETURN ? "a return exit needs a result" : "an exit needs its frames");
        return -1;
    }
    e->next = pj_exit_threshold;
    return 0;
}
