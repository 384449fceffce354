/* collector.c - what pijit's Python side allocates is no business of the program's garbage collector.
 *
 * While a callback runs the program's generations are set aside and no collection starts. What the callback leaves behind is
 * collected by itself and then kept in a list of ours. So the program's collections come when they come without pijit, take no
 * longer, and find, count and list its own objects only; and finalizers never run in the middle of a compilation. An object that
 * gets its memory from a free list is not counted, so callbacks have free lists of their own too.
 *
 * With several threads nothing is set aside: what they allocate meanwhile could not be told from ours. */
#include "frame.h"

typedef struct _gc_runtime_state Collector;

enum { YOUNG = 100, OLD = 20000 }; /* new objects from which on they, or all of ours, are looked through */

static PyGC_Head ours = {(uintptr_t)&ours, (uintptr_t)&ours}; /* what callbacks left behind */
static Py_ssize_t known, since;                               /* how many at the last look at all of them, how many since */
static PyGC_Head aside[NUM_GENERATIONS];                      /* the program's objects */
static Collector before;                                      /* and its counts and settings */
static char lists[PJ_FREE_LISTS_SIZE];                        /* the free lists of callbacks; while one runs, the program's */
static int depth;                                             /* callbacks may nest */

static inline void list_init(PyGC_Head *list)
{
    list->_gc_prev = list->_gc_next = (uintptr_t)list;
}

/* Moves what is in `from` to the end of `to`. */
static void list_move(PyGC_Head *from, PyGC_Head *to)
{
    PyGC_Head *first = _PyGCHead_NEXT(from), *last = _PyGCHead_PREV(from), *end = _PyGCHead_PREV(to);
    if (first == from) {
        return;
    }
    _PyGCHead_SET_NEXT(end, first);
    _PyGCHead_SET_PREV(first, end);
    _PyGCHead_SET_NEXT(last, to);
    _PyGCHead_SET_PREV(to, last);
    list_init(from);
}

static inline Collector *collector(PyThreadState *ts)
{
    return &ts->interp->gc;
}

static void swap_free_lists(PyThreadState *ts)
{
    PjPart parts[PJ_FREE_LISTS];
    char other[PJ_FREE_LISTS_SIZE], *at = other, *from = lists;
    pj_free_lists(ts->interp, parts);
    for (int i = 0; i < PJ_FREE_LISTS; from += parts[i].size, at += parts[i].size, i++) {
        memcpy(at, parts[i].at, parts[i].size);
        memcpy(parts[i].at, from, parts[i].size);
    }
    memcpy(lists, other, (size_t)(at - other));
}

/* Before a callback: whether the program's objects were set aside. */
bool pj_collector_leave(PyThreadState *ts)
{
    Collector *gc = collector(ts);
    if (depth > 0 || !pj_only_thread(ts)) {
        return false;
    }
    depth++;
    before = *gc;
    for (int i = 0; i < NUM_GENERATIONS; i++) {
        list_init(&aside[i]);
        list_move(&gc->generations[i].head, &aside[i]);
        gc->generations[i].count = 0;
    }
    gc->enabled = 0;
    swap_free_lists(ts);
    return true;
}

static void keep(Collector *gc)
{
    for (int i = 0; i < NUM_GENERATIONS; i++) {
        list_move(&gc->generations[i].head, &ours);
    }
}

/* Collects what the callback left behind, and now and then all that callbacks did. Whatever is collected, it empties the free lists. */
static void collect(Collector *gc)
{
    bool all = since > known + OLD; /* so each object is looked at about twice, however many there are in the end */
    if (gc->collecting) {
        since += gc->generations[0].count;
        return; /* in the middle of a collection, of finalizers say, there is no other */
    }
    if (!all && gc->generations[0].count < YOUNG) {
        since += gc->generations[0].count;
        keep(gc);
    }
    else if (all) {
        list_move(&ours, &gc->generations[NUM_GENERATIONS - 1].head);
    }
    gc->enabled = 1;
    gc->debug = 0;
    gc->callbacks = NULL;
    pj_thread.in_callback++; /* what goes is of callbacks too */
    PyGC_Collect();
    pj_thread.in_callback--;
    since += gc->long_lived_total;
    if (all) {
        known = gc->long_lived_total;
        since = 0;
    }
}

/* After it: everything is as it was. An exception that is set stays set. ``left``: what pj_collector_leave gave. */
void pj_collector_back(PyThreadState *ts, bool left)
{
    if (!left) {
        return;
    }
    Collector *gc = collector(ts);
    collect(gc);
    keep(gc);
    swap_free_lists(ts);
    for (int i = 0; i < NUM_GENERATIONS; i++) {
        list_move(&aside[i], &gc->generations[i].head);
        gc->generations[i].count = before.generations[i].count;
    }
    memcpy(gc->generation_stats, before.generation_stats, sizeof(before.generation_stats));
    gc->enabled = before.enabled;
    gc->debug = before.debug;
    gc->callbacks = before.callbacks;
    gc->long_lived_total = before.long_lived_total;
    gc->long_lived_pending = before.long_lived_pending;
    depth--;
}

/* The interpreter ends, or pijit does: from here on the program's collector sees all. */
void pj_collector_end(void)
{
    Collector *gc = collector(PyThreadState_Get());
    if (depth == 0) {
        list_move(&ours, &gc->generations[NUM_GENERATIONS - 1].head);
    }
}
