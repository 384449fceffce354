/* settle.c - modules that stay for ever: the collector does not look at them again and again.
 *
 * Importing the compiler makes some 50,000 objects, and each full collection of the program's would take a few milliseconds more for them. While
 * they are made the program's objects are set aside; then the new ones become what gc.freeze() makes of all. With several threads nothing is done: the
 * others make objects meanwhile. */
#include "frame.h"

static PyGC_Head aside; /* the program's youngest objects */
static int count, enabled;

static void make_empty(PyGC_Head *list)
{
    list->_gc_next = (uintptr_t)list;
    list->_gc_prev = (uintptr_t)list;
}

/* Moves all of one list behind another. */
static void move(PyGC_Head *from, PyGC_Head *to)
{
    PyGC_Head *first = _PyGCHead_NEXT(from), *last = _PyGCHead_PREV(from), *before = _PyGCHead_PREV(to);
    if (first != from) {
        _PyGCHead_SET_NEXT(before, first);
        _PyGCHead_SET_PREV(first, before);
        _PyGCHead_SET_NEXT(last, to);
        _PyGCHead_SET_PREV(to, last);
    }
    make_empty(from);
}

/* Whether the program's objects were set aside. */
bool pj_settle_begin(PyThreadState *ts)
{
    struct _gc_runtime_state *gc = &ts->interp->gc;
    if (aside._gc_next != 0 || gc->collecting || !pj_only_thread(ts)) {
        return false;
    }
    make_empty(&aside);
    move(&gc->generations[0].head, &aside);
    count = gc->generations[0].count;
    enabled = gc->enabled;
    gc->enabled = 0;
    return true;
}

void pj_settle_end(PyThreadState *ts)
{
    struct _gc_runtime_state *gc = &ts->interp->gc;
    move(&gc->generations[0].head, &gc->permanent_generation.head);
    move(&aside, &gc->generations[0].head);
    aside = (PyGC_Head){0, 0};
    gc->generations[0].count = count;
    gc->enabled = enabled;
}
