/* imports.c - what pijit imports in the middle of a program, the import system imports that was there when pijit was: the program may have
 * put code of its own into it, which would be told of pijit's imports, and may have taken away where they are found.
 *
 * With several threads nothing is exchanged: the others import meanwhile. */
#include "frame.h"

enum { PATH = 0, IMPORT = PJ_IMPORT_PARTS - 1 }; /* IMPORT is of builtins, the others are of sys */

static PyObject *names[PJ_IMPORT_PARTS]; /* made beforehand: what is exchanged without memory can be put back without */
static PyObject *own[PJ_IMPORT_PARTS];

static PyObject *space_of(int part)
{
    PyInterpreterState *interp = PyInterpreterState_Main();
    return part == IMPORT ? interp->builtins : interp->sysdict;
}

/* A copy, but of the function. */
static PyObject *copy_of(PyObject *o)
{
    return PyList_Check(o) ? PySequence_List(o) : PyDict_Check(o) ? PyDict_Copy(o) : Py_NewRef(o);
}

/* What is there now: borrowed, NULL for nothing. The names are exact texts whose hashes are known, so this cannot fail. */
static PyObject *now(int part)
{
    return PyDict_GetItemWithError(space_of(part), names[part]);
}

/* When pijit is imported. -1 with an exception. */
int pj_keep_imports(void)
{
    static const char *const texts[PJ_IMPORT_PARTS] = {"path", "meta_path", "path_hooks", "path_importer_cache", "__import__"};
    for (int i = 0; i < PJ_IMPORT_PARTS; i++) {
        names[i] = PyUnicode_InternFromString(texts[i]);
        if (names[i] == NULL || PyObject_Hash(names[i]) == -1) {
            return -1;
        }
        PyObject *there = now(i);
        if (there != NULL && (i != PATH || PyList_Check(there)) && (own[i] = copy_of(there)) == NULL) {
            return -1;
        }
    }
    return 0;
}

/* Where pijit's imports look from now on, whatever the program's path is. */
PyObject *pj_set_import_path(PyObject *Py_UNUSED(module), PyObject *path)
{
    if (!PyList_Check(path)) {
        PyErr_SetString(PyExc_TypeError, "a list is expected");
        return NULL;
    }
    PyObject *copy = PySequence_List(path);
    if (copy == NULL) {
        return NULL;
    }
    Py_XSETREF(own[PATH], copy);
    Py_RETURN_NONE;
}

static PyObject **aside; /* the program's, while they are set aside */

/* The program's sys.path while pijit's is in its place, or None. */
PyObject *pj_program_path(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(none))
{
    return Py_NewRef(aside != NULL && aside[PATH] != NULL ? aside[PATH] : Py_None);
}

/* New reference or NULL: pijit's path, and what it lacks of the program's behind that. Always another list: what imports here add to it is not
 * the program's. */
static PyObject *whole_path(PyObject *theirs)
{
    PyObject *path = PySequence_List(own[PATH]);
    for (Py_ssize_t i = 0; path != NULL && theirs != NULL && PyList_Check(theirs) && i < PyList_GET_SIZE(theirs); i++) {
        PyObject *entry = PyList_GET_ITEM(theirs, i);
        bool there = false;
        for (Py_ssize_t j = 0; !there && j < PyList_GET_SIZE(path); j++) {
            PyObject *other = PyList_GET_ITEM(path, j);
            there = other == entry || (PyUnicode_CheckExact(other) && PyUnicode_CheckExact(entry) && PyUnicode_Compare(other, entry) == 0);
        }
        if (!there && PyList_Append(path, entry) < 0) {
            Py_CLEAR(path);
        }
    }
    return path;
}

/* Sets, or takes away where there is none. What there was lies there already, so that no memory is needed. */
static void put(int part, PyObject *value)
{
    if ((value != NULL ? PyDict_SetItem(space_of(part), names[part], value) : PyDict_DelItem(space_of(part), names[part])) < 0) {
        PyErr_Clear();
    }
}

/* Before a callback: whether the program's were set aside in `theirs`. No exception may be set. */
bool pj_imports_leave(PyThreadState *ts, PyObject **theirs)
{
    if (pj_thread.in_callback || !pj_only_thread(ts)) {
        return false;
    }
    if (space_of(PATH) == NULL || space_of(IMPORT) == NULL) {
        return false; /* the interpreter ends */
    }
    for (int i = 0; i < PJ_IMPORT_PARTS; i++) {
        theirs[i] = Py_XNewRef(now(i));
        PyObject *value = own[i] != NULL && i == PATH ? whole_path(theirs[i]) : Py_XNewRef(own[i]);
        if (value != NULL && value != theirs[i]) {
            put(i, value);
        }
        Py_XDECREF(value);
        PyErr_Clear();
    }
    aside = theirs;
    return true;
}

/* After it. An exception may be set. */
void pj_imports_back(bool left, PyObject **theirs)
{
    if (left) {
        PyObject *exc = pj_err_take();
        aside = NULL;
        for (int i = 0; i < PJ_IMPORT_PARTS; i++) {
            if (now(i) != theirs[i]) {
                put(i, theirs[i]);
            }
            Py_XDECREF(theirs[i]);
        }
        pj_err_give(exc);
    }
}
