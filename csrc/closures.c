/* closures.c - functions and generators that native code makes, and the cells that they share with frames. */
#include "frame.h"

/* A frame's own cell: the root frame's, whose prologue has been run, or of another function, one of those it closed over. */
PyObject *pj_build_root_cell(int64_t slot, int64_t *W)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PyObject *cell = slot < pj_frame_code(r->frame)->co_nlocalsplus ? pj_frame_slots(r->frame)[slot] : NULL;
    if (cell == NULL || !PyCell_Check(cell)) {
        PyErr_SetString(PyExc_SystemError, "pijit: a variable of a closure has no cell");
        return NULL;
    }
    return Py_NewRef(cell);
}

/* Takes over the function. */
PyObject *pj_build_cell_of(PyObject *function, int64_t index)
{
    PyObject *closure = PJ_IS_FUNCTION(function) ? PyFunction_GET_CLOSURE(function) : NULL;
    PyObject *cell = closure != NULL && index < PyTuple_GET_SIZE(closure) ? Py_NewRef(PyTuple_GET_ITEM(closure, index)) : NULL;
    Py_DECREF(function);
    if (cell == NULL) {
        PyErr_SetString(PyExc_SystemError, "pijit: a function has lost its closure");
    }
    return cell;
}

/* The cell of a callee's variable with its contents, which may be NULL. Takes over both. */
PyObject *pj_build_in_cell(PyObject *cell, PyObject *contents)
{
    if (!PyCell_Check(cell)) {
        Py_DECREF(cell);
        Py_XDECREF(contents);
        PyErr_SetString(PyExc_SystemError, "pijit: a variable of a closure has no cell");
        return NULL;
    }
    PyObject *old = ((PyCellObject *)cell)->ob_ref;
    ((PyCellObject *)cell)->ob_ref = contents;
    Py_XDECREF(old);
    return cell;
}

/* What MAKE_FUNCTION does. `maker`: the function whose frame does it, NULL for the root frame. The others may be NULL: a tuple of cells, a
 * tuple and a dict of defaults. */
PyObject *pj_build_function(PyObject *code, PyObject *maker, PyObject *closure, PyObject *defaults, PyObject *kwdefaults, int64_t *W)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PyObject *globals = maker == NULL ? r->frame->f_globals : PJ_IS_FUNCTION(maker) ? PyFunction_GET_GLOBALS(maker) : NULL;
    if (globals == NULL || code == NULL || !PyCode_Check(code)) {
        PyErr_BadInternalCall();
        return NULL;
    }
    PyObject *function = PyFunction_New(code, globals);
    if (function != NULL && ((closure != NULL && PyFunction_SetClosure(function, closure) < 0) ||
                             (defaults != NULL && PyFunction_SetDefaults(function, defaults) < 0) ||
                             (kwdefaults != NULL && PyFunction_SetKwDefaults(function, kwdefaults) < 0))) {
        Py_CLEAR(function);
    }
    return function;
}

/* Calls a function with None for each of its parameters. New reference or NULL with an exception. */
PyObject *pj_call_blank(PyObject *function)
{
    PyCodeObject *code = (PyCodeObject *)((PyFunctionObject *)function)->func_code;
    int n = code->co_argcount, k = code->co_kwonlyargcount;
    PyObject **args = PyMem_Malloc(((size_t)n + (size_t)k + 1) * sizeof(PyObject *));
    PyObject *names = k ? PyTuple_New(k) : NULL, *result = NULL;
    if (args == NULL || (k && names == NULL)) {
        PyErr_NoMemory();
    }
    else {
        for (int i = 0; i < n + k; i++) {
            args[i] = Py_None;
        }
        for (int i = 0; i < k; i++) {
            PyTuple_SET_ITEM(names, i, Py_NewRef(PyTuple_GET_ITEM(code->co_localsplusnames, n + i)));
        }
        result = pj_function_vectorcall(function)(function, args, (size_t)n, names);
    }
    PyMem_Free(args);
    Py_XDECREF(names);
    return result;
}

/* A generator of the function that stands at pc, where a yield has been passed (0: at its beginning). `values`: of the locals in `slots` (the
 * others, but free variables, are unbound), then of the stack; they are taken over. */
PyObject *pj_build_generator(PyObject *function, int pc, PyObject *slots, PyObject **values, int count)
{
    PyObject *generator = PJ_IS_FUNCTION(function) ? pj_call_blank(function) : NULL;
    int nlocals = (int)PyTuple_GET_SIZE(slots);
    if (generator == NULL || !PyGen_CheckExact(generator)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_SystemError, "pijit: what should make a generator does not");
        }
        Py_XDECREF(generator);
        for (int i = 0; i < count; i++) {
            Py_DECREF(values[i]);
        }
        return NULL;
    }
    PjFrame *f = pj_generator_frame(generator);
    PyCodeObject *code = pj_frame_code(f);
    PyObject **places = pj_frame_slots(f);
    for (int i = 0; i < code->co_nlocalsplus - code->co_nfreevars; i++) {
        Py_CLEAR(places[i]); /* a placeholder, or an empty tuple or dict */
    }
    for (int i = 0; i < nlocals; i++) {
        places[PyLong_AsLong(PyTuple_GET_ITEM(slots, i))] = values[i];
    }
    if (pc > 0) {
        for (int i = nlocals; i < count; i++) {
            pj_frame_stack(f)[i - nlocals] = values[i];
        }
        pj_frame_set_depth(f, count - nlocals);
        pj_frame_resume_at(f, pc);
        pj_generator_suspend(generator);
    }
    return generator;
}
