/* closures.c - functions that native code makes, and the cells that they share with frames. */
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
    PyObject *closure = PyFunction_Check(function) ? PyFunction_GET_CLOSURE(function) : NULL;
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
    PyObject *globals = maker == NULL ? r->frame->f_globals : PyFunction_Check(maker) ? PyFunction_GET_GLOBALS(maker) : NULL;
    if (globals == NULL || !PyCode_Check(code)) {
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
