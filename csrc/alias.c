/* alias.c - functions that pickle although pickle does not find them under their name.
 *
 * `fast = jit(slow)`: fast is called "slow", and under that name is the plain function. pickle asks an object of exactly the
 * type `function` for nothing but its name, so an alias is of a type derived from it, which says how to make it again. To
 * everything that asks with isinstance it is a function; its calls and its lifetime are a function's. */
#include "pijit.h"

#define HOME "pijit.api.pickling"

static PyObject *reduce_ex(PyObject *self, PyObject *protocol)
{
    (void)protocol;
    PyObject *home = PyImport_ImportModule(HOME);
    PyObject *result = home != NULL ? PyObject_CallMethod(home, "reduced", "O", self) : NULL;
    Py_XDECREF(home);
    return result;
}

/* copy and deepcopy give a function back as it is. */
static PyObject *itself(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    return Py_NewRef(self);
}

static PyMethodDef methods[] = {
    {"__reduce_ex__", reduce_ex, METH_O, "for pickle"},
    {"__copy__", itself, METH_NOARGS, "itself"},
    {"__deepcopy__", itself, METH_O, "itself"},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject PjAlias_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "function",
    .tp_base = &PyFunction_Type,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_methods = methods,
};

int pj_alias_init(void)
{
    return PyType_Ready(&PjAlias_Type);
}

static PyObject *change(PyObject *function, PyTypeObject *from, PyTypeObject *to)
{
    if (Py_TYPE(function) == from) {
        Py_SET_TYPE(function, to);
    }
    Py_RETURN_NONE;
}

/* make_alias(function): from now on it pickles as pijit.api.pickling says. */
PyObject *pj_make_alias(PyObject *module, PyObject *function)
{
    (void)module;
    return change(function, &PyFunction_Type, &PjAlias_Type);
}

/* unmake_alias(function): the interpreter inlines calls of functions of exactly the type `function` only. */
PyObject *pj_unmake_alias(PyObject *module, PyObject *function)
{
    (void)module;
    return change(function, &PjAlias_Type, &PyFunction_Type);
}
