/* module.c - the Python face of pijit._native: its functions and UNSET. */
#include "helpers.h"
#include "keys.h"

Py_ssize_t pj_extra_index;
PyObject *pj_unset, *pj_keep;
int64_t pj_exit_threshold = 64;

/* ---- UNSET and KEEP ---- */

static PyObject *unset_repr(PyObject *self)
{
    return PyUnicode_FromString(self == pj_keep ? "KEEP" : "UNSET");
}

static int unset_bool(PyObject *self)
{
    (void)self;
    return 0;
}

static PyNumberMethods unset_number = {.nb_bool = unset_bool};

static PyTypeObject Unset_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pijit._native.UnsetType",
    .tp_basicsize = sizeof(PyObject),
    .tp_repr = unset_repr,
    .tp_as_number = &unset_number,
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_doc = "The type of UNSET, which stands for an unbound variable or a NULL on the value stack, and of KEEP: what the frame has.",
};

/* ---- functions ---- */

static PyObject *set_callbacks(PyObject *module, PyObject *args, PyObject *kwargs)
{
    (void)module;
    static char *names[] = {"on_frame", "on_entry", "on_exit", "on_error", "on_fork", "on_trial", "on_tick", "exit_threshold", "long_loop", NULL};
    PyObject *given[] = {NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    PyObject **places[] = {&pj_on_frame, &pj_on_entry, &pj_on_exit, &pj_on_error, &pj_on_fork, &pj_on_trial, &pj_on_tick};
    long long threshold = pj_exit_threshold;
    int long_loop = pj_long_loop;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$OOOOOOOLi:set_callbacks", names, &given[0], &given[1], &given[2],
                                     &given[3], &given[4], &given[5], &given[6], &threshold, &long_loop)) {
        return NULL;
    }
    pj_exit_threshold = threshold;
    pj_long_loop = long_loop > 0 ? long_loop : 1;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        if (given[i] != NULL) {
            PyObject *old = *places[i];
            *places[i] = given[i] == Py_None ? NULL : Py_NewRef(given[i]);
            Py_XDECREF(old);
        }
    }
    Py_RETURN_NONE;
}

static PyObject *watch_globals(PyObject *module, PyObject *dict)
{
    (void)module;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "globals must be a dict");
        return NULL;
    }
    return pj_watch(dict) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *unwatch_globals(PyObject *module, PyObject *dict)
{
    (void)module;
    return pj_unwatch(dict) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *watch_all(PyObject *module, PyObject *on)
{
    (void)module;
    int truth = PyObject_IsTrue(on);
    if (truth < 0) {
        return NULL;
    }
    pj_watch_all(truth);
    Py_RETURN_NONE;
}

static PyObject *install(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_install() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *rest(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_rest() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *settle_begin(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyBool_FromLong(pj_settle_begin(PyThreadState_Get()));
}

static PyObject *settle_end(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    pj_settle_end(PyThreadState_Get());
    Py_RETURN_NONE;
}

static PyObject *own(PyObject *module, PyObject *function)
{
    (void)module;
    int done = pj_own(function);
    return done < 0 ? NULL : PyBool_FromLong(done);
}

static PyObject *follow(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    int done = pj_follow();
    return done < 0 ? NULL : PyBool_FromLong(done);
}

static PyObject *meet(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_meet() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *wake(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    pj_own_wake();
    Py_RETURN_NONE;
}

static PyObject *uninstall(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_uninstall() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *is_installed(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyBool_FromLong(pj_installed());
}

static PyObject *symbols(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return pj_symbols();
}

static PyObject *current_errmask(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyLong_FromLongLong(pj_errmask());
}

static PyObject *monitored(PyObject *module, PyObject *code)
{
    (void)module;
    if (!PyCode_Check(code)) {
        PyErr_SetString(PyExc_TypeError, "a code object is needed");
        return NULL;
    }
    return PyBool_FromLong(pj_monitored((PyCodeObject *)code));
}

static PyObject *set_forced_exit(PyObject *module, PyObject *n)
{
    (void)module;
    long long v = PyLong_AsLongLong(n);
    if (v == -1 && PyErr_Occurred()) {
        return NULL;
    }
    pj_forced = v;
    Py_RETURN_NONE;
}

static PyObject *get_forced_exit(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    return PyLong_FromLongLong(pj_forced);
}

static PyObject *counters(PyObject *module, PyObject *ignored)
{
    (void)module;
    (void)ignored;
    const PjCounters *c = &pj_counters;
    return Py_BuildValue("{sLsLsLsLsLsLsLsLsLsLsLsLsLsLsLsLsL}", "crossings", (long long)c->crossings, "walks",
                         (long long)c->walks, "enabled", (long long)c->enabled, "delegated_plain",
                         (long long)c->delegated_plain, "delegated_off", (long long)c->delegated_off,
                         "delegated_generator", (long long)c->delegated_generator, "delegated_tracing",
                         (long long)c->delegated_tracing, "delegated_callback", (long long)c->delegated_callback,
                         "delegated_throw", (long long)c->delegated_throw, "delegated_deep",
                         (long long)c->delegated_deep, "delegated_quiet", (long long)c->delegated_quiet, "uncounted",
                         (long long)c->uncounted, "rebuilt", (long long)c->rebuilt, "entries_called", (long long)c->entries_called, "exits_called",
                         (long long)c->exits_called, "clones", (long long)c->clones, "turns",
                         (long long)c->turns);
}

static PyMethodDef functions[] = {
    {"attach", pj_attach, METH_VARARGS, "attach(code, data, mode='on') -> CodeState"},
    {"state_of", pj_state_of, METH_O, "state_of(code) -> CodeState or None"},
    {"set_callbacks", (PyCFunction)(void (*)(void))set_callbacks, METH_VARARGS | METH_KEYWORDS,
     "set_callbacks(*, on_frame, on_entry, on_exit, on_error, on_fork, on_trial, on_tick, exit_threshold, long_loop); None switches one off"},
    {"watch_globals", watch_globals, METH_O, "enables a namespace for on_frame"},
    {"unwatch_globals", unwatch_globals, METH_O, "disables a namespace for on_frame"},
    {"watch_all", watch_all, METH_O, "enables every namespace for on_frame"},
    {"install", install, METH_NOARGS, "installs the frame evaluation hook"},
    {"uninstall", uninstall, METH_NOARGS, "removes the frame evaluation hook"},
    {"wake", wake, METH_NOARGS, "functions whose code rested are met again"},
    {"rest", rest, METH_NOARGS, "removes the hook, but not what functions that were given to own() have"},
    {"own", own, METH_O, "lets calls of a function reach pijit without an installed hook; False where that cannot be (3.11)"},
    {"settle_begin", settle_begin, METH_NOARGS, "sets the objects of the program aside, until settle_end(); False where that cannot be"},
    {"settle_end", settle_end, METH_NOARGS, "what has been made since then stays for ever: the collector does not look at it"},
    {"follow", follow, METH_NOARGS, "lets functions of enabled namespaces reach pijit without an installed hook; False where that cannot be"},
    {"meet", meet, METH_NOARGS, "the functions that there are already, too"},
    {"installed", is_installed, METH_NOARGS, "do frames of enabled code reach pijit?"},
    {"make_alias", pj_make_alias, METH_O, "lets a function pickle that is not found under its name; see pijit.api.pickling"},
    {"unmake_alias", pj_unmake_alias, METH_O, "makes it a plain function again"},
    {"set_import_path", pj_set_import_path, METH_O, "set_import_path(list): where pijit's imports look, before the program's sys.path"},
    {"program_path", pj_program_path, METH_NOARGS, "the program's sys.path while pijit's is in its place, or None"},
    {"lasting", pj_lasting, METH_O, "lasting(object): stands for an object that never goes, without a reference to it"},
    {"frames_name", pj_frames_name, METH_O, "frames_name(names): does the code of a Python frame of this thread name one of these?"},
    {"symbols", symbols, METH_NOARGS, "{name: address} of what native code may call"},
    {"current_errmask", current_errmask, METH_NOARGS, "NumPy's error state: 0 the default, -1 unknown"},
    {"monitored", monitored, METH_O, "does a tool of sys.monitoring want events of this very code object? (3.11: no)"},
    {"run_at_bottom", pj_run_at_bottom, METH_VARARGS, "run_at_bottom(code, namespace): exec, with no frames beneath it"},
    {"only_names", pj_only_names, METH_O, "only_names(object): whether it is a dict whose keys are all texts"},
    {"class_has_only_names", pj_class_has_only_names, METH_O, "class_has_only_names(class): whether the keys of its namespace are all texts"},
    {"layout", pj_layout, METH_NOARGS, "layout(): how this CPython keeps what generated code looks at by itself"},
    {"field", pj_field_of, METH_VARARGS, "field(object, name): what an instance holds, read without running Python, or UNSET"},
    {"iterator_after", pj_iterator_after, METH_VARARGS, "iterator_after(iterable, count): its iterator, once it has given so many items"},
    {"then_made", pj_then_made, METH_VARARGS, "then_made(result, instance): what a call of a class makes of __init__'s result"},
    {"then_nothing", pj_then_nothing, METH_O, "then_nothing(result): the instruction pushes nothing"},
    {"then_bool", pj_then_bool, METH_VARARGS, "then_bool(result, invert): what bool() makes of __bool__'s result"},
    {"then_length", pj_then_length, METH_O, "then_length(result): what len() makes of __len__'s result"},
    {"then_operator", pj_then_operator, METH_VARARGS, "then_operator(result, left, right, rest, symbol): what an operator makes of a method's result"},
    {"set_forced_exit", set_forced_exit, METH_O, "sets the counter that generated code may count down"},
    {"get_forced_exit", get_forced_exit, METH_NOARGS, "what is left of the counter"},
    {"counters", counters, METH_NOARGS, "{what: how often}"},
    {NULL},
};

static struct PyModuleDef module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "pijit._native",
    .m_doc = "Frames, guards, boxing and exits; see docs/native.md.",
    .m_size = -1,
    .m_methods = functions,
};

static int check_version(void)
{
    if (Py_Version >> 16 != PJ_COMPILED_FOR) {
        PyErr_Format(PyExc_ImportError,
                     "pijit._native was built for Python %d.%d; pijit supports CPython 3.11, 3.12 and 3.13",
                     PY_MAJOR_VERSION, PY_MINOR_VERSION);
        return -1;
    }
    return 0;
}

PyMODINIT_FUNC PyInit__native(void)
{
    if (check_version() < 0 || pj_np_init() < 0 || pj_namespaces_init() < 0 || pj_own_init() < 0 || pj_alias_init() < 0 || pj_quiet_init() < 0 ||
        pj_iterators_init() < 0 || pj_keys_init() < 0 ||
        PyType_Ready(&Unset_Type) < 0 || PyType_Ready(&PjFragment_Type) < 0 || PyType_Ready(&PjState_Type) < 0 ||
        PyType_Ready(&PjLasting_Type) < 0) {
        return NULL;
    }
    if (pj_unset == NULL) {
        pj_unset = PyObject_New(PyObject, &Unset_Type);
        pj_keep = PyObject_New(PyObject, &Unset_Type);
        pj_extra_index = pj_request_extra_index(pj_extra_free);
        if (pj_unset == NULL || pj_keep == NULL || pj_extra_index < 0) {
            PyErr_SetString(PyExc_ImportError, "pijit: no place is left for data on code objects");
            return NULL;
        }
        pj_errstate_init();
        if (pj_keep_imports() < 0) {
            return NULL;
        }
    }
    PyObject *m = PyModule_Create(&module_def);
    if (m == NULL) {
        return NULL;
    }
    PyObject *supported = Py_BuildValue("((ii)(ii)(ii))", 3, 11, 3, 12, 3, 13);
    int bad = supported == NULL || PyModule_AddObjectRef(m, "SUPPORTED", supported) < 0 ||
              PyModule_AddIntConstant(m, "OWN_CALLS", PJ_OWN_CALLS) < 0 ||
              PyModule_AddObjectRef(m, "UNSET", pj_unset) < 0 ||
              PyModule_AddObjectRef(m, "KEEP", pj_keep) < 0 ||
              PyModule_AddObjectRef(m, "CodeState", (PyObject *)&PjState_Type) < 0 ||
              PyModule_AddObjectRef(m, "Fragment", (PyObject *)&PjFragment_Type) < 0 ||
              PyModule_AddObjectRef(m, "Lasting", (PyObject *)&PjLasting_Type) < 0;
    Py_XDECREF(supported);
    if (bad) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
