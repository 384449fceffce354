/* bottom.c - runs a program's code as Python itself does: beneath its frames there are none, and all levels of recursion are there. */
#include "pijit.h"

/* run_at_bottom(code, namespace): exec(code, namespace), but for that. */
PyObject *pj_run_at_bottom(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *code, *space;
    if (!PyArg_ParseTuple(args, "O!O!:run_at_bottom", &PyCode_Type, &code, &PyDict_Type, &space) || PySys_Audit("exec", "O", code) < 0) {
        return NULL;
    }
    PyThreadState *ts = PyThreadState_Get();
    PjLevels used = pj_levels_used(ts);
    PjFrame *frames = PJ_CURRENT(ts);
    PJ_CURRENT(ts) = NULL;
    pj_levels_give(ts, used);
    PyObject *result = PyEval_EvalCode(code, space, space);
    pj_levels_take(ts, used);
    PJ_CURRENT(ts) = frames;
    return result;
}
