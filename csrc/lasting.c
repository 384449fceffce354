/* lasting.c - stands in rows and recipes for an object that is there as long as the process is, such as np.dtype("float64"), and takes
 * no reference to it: a program that counts references to such a thing finds its own. Called, it gives the object, like a weak
 * reference. */
#include "pijit.h"

static PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    (void)args;
    (void)kwargs;
    return Py_NewRef(((PjLasting *)self)->object);
}

static void dealloc(PyObject *self)
{
    PyObject_Free(self);
}

PyTypeObject PjLasting_Type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "pijit._native.Lasting",
    .tp_basicsize = sizeof(PjLasting),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Stands for an object without a reference to it.",
    .tp_call = call,
    .tp_dealloc = dealloc,
};

/* lasting(object): the caller knows that the object never goes. */
PyObject *pj_lasting(PyObject *module, PyObject *object)
{
    (void)module;
    PjLasting *made = PyObject_New(PjLasting, &PjLasting_Type);
    if (made != NULL) {
        made->object = object;
    }
    return (PyObject *)made;
}
