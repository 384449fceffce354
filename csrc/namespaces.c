/* namespaces.c - the enabled namespaces: a small open-addressed set of dict pointers. */
#include "pijit.h"

static PyObject **watched; /* strong references or NULL */
static size_t watched_mask, watched_used;
bool pj_watching;
static bool watching_all;

static inline size_t place_of(PyObject *o, size_t mask)
{
    return ((uintptr_t)o >> 4) * 0x9E3779B97F4A7C15u >> 20 & mask;
}

bool pj_is_watched(PyObject *globals)
{
    if (watching_all) {
        return true;
    }
    for (size_t i = place_of(globals, watched_mask);; i = (i + 1) & watched_mask) {
        if (watched[i] == globals) {
            return true;
        }
        if (watched[i] == NULL) {
            return false;
        }
    }
}

static int watched_resize(size_t size)
{
    PyObject **table = PyMem_Calloc(size, sizeof(PyObject *));
    if (table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; watched != NULL && i <= watched_mask; i++) {
        if (watched[i] != NULL) {
            size_t j = place_of(watched[i], size - 1);
            while (table[j] != NULL) {
                j = (j + 1) & (size - 1);
            }
            table[j] = watched[i];
        }
    }
    PyMem_Free(watched);
    watched = table;
    watched_mask = size - 1;
    return 0;
}

/* Enables a namespace; holds a reference to it. */
int pj_watch(PyObject *globals)
{
    if ((watched == NULL || watched_used * 3 > watched_mask * 2) &&
        watched_resize(watched == NULL ? 16 : (watched_mask + 1) * 2) < 0) {
        return -1;
    }
    size_t i = place_of(globals, watched_mask);
    while (watched[i] != NULL) {
        if (watched[i] == globals) {
            return 0;
        }
        i = (i + 1) & watched_mask;
    }
    watched[i] = Py_NewRef(globals);
    watched_used++;
    pj_watching = true;
    return 0;
}

int pj_unwatch(PyObject *globals)
{
    for (size_t i = 0; watched != NULL && i <= watched_mask; i++) {
        if (watched[i] == globals) {
            watched[i] = NULL;
            watched_used--;
            pj_watching = watched_used > 0 || watching_all;
            int bad = watched_resize(watched_mask + 1); /* closes the gap in the probe sequences */
            Py_DECREF(globals);
            return bad;
        }
    }
    return 0;
}

void pj_watch_all(bool on)
{
    watching_all = on;
    pj_watching = on || watched_used > 0;
}

int pj_namespaces_init(void)
{
    return watched_resize(16);
}
