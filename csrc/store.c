/* store.c - target[...] = expression by one kernel, without a temporary array where that cannot be noticed.
 *
 * A floating-point flag must find the target as it was: NumPy, which is then asked, warns before it stores. So
 * - what is small goes into a buffer on the stack first;
 * - where a warning can do no more than be shown (quiet.c), the kernel stores directly, if no operand lies in the target's memory; what
 *   NumPy says of a flag is found out afterwards, from the operands;
 * - an operand that is the target itself, element by element, is still there for the part that was not stored yet: it is done in strips,
 *   of which the result, or what was there before, goes into a buffer until it is known that no flag was raised;
 * - operands that are the target, moved by some rows, are done in strips too, from the last to the first where they lie before it; otherwise
 *   what is computed waits in the buffer until no row that is still to be done reads what it replaces;
 * - everything else gets a temporary array.
 */
#include "store.h"
#include "numpy_api.h"

#include <stdatomic.h>
#include <stdlib.h>

#define LAG_BUFFER (1 << 19) /* bytes: in the second-level cache */
#define LOGGED 4096 /* bytes that are computed at a time where what was there is kept: so little that operands stay in the first-level cache */
#define SHARED (1 << 23) /* the same where threads share it: waking them for less takes longer */
#define SHORT 512 /* bytes that are sooner copied there and back than asked how they lie to the operands */
#define COPIED 2048 /* and those that are sooner copied there only */

/* Lets the kernel store somewhere else. */
static void point_at(const Plan *plan, int64_t *p, const char *data, const int64_t *steps)
{
    p[plan->target.place] = (int64_t)(intptr_t)data;
    for (int64_t i = 0; i < plan->naxes; i++) {
        if (plan->target.axes[i].place >= 0) {
            p[plan->target.axes[i].place] = steps[i];
        }
    }
}

/* Stores rows of the first axis, from the buffer. */
static void put(const Plan *plan, const Walk *target, int64_t first, int64_t n, const char *buffer, Copies *copies)
{
    copies->out[0] = n;
    pj_copy(target->data + first * target->steps[0], buffer, target->itemsize, plan->naxes, copies->out);
}

/* Both give the first row of the first axis that was not stored, and have a buffer for `rows` of them. */

/* Stores by way of the buffer. */
static int64_t run_buffered(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, char *buffer, int64_t rows)
{
    const int64_t n = p[0];
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    int64_t low = 0;
    while (low < n) {
        int64_t high = rows < n - low ? low + rows : n;
        point_at(plan, p, buffer - low * copies.steps[0], copies.steps);
        if (raised(kernel, plan, low, high, p)) {
            break;
        }
        put(plan, target, low, high - low, buffer, &copies);
        low = high;
    }
    point_at(plan, p, target->data, target->steps);
    return low;
}

/* The same from the last row on; gives how many rows were not stored. */
static int64_t run_falling(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, char *buffer, int64_t rows)
{
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    int64_t high = p[0];
    while (high > 0) {
        int64_t low = (high - 1) / rows * rows;
        point_at(plan, p, buffer - low * copies.steps[0], copies.steps);
        if (raised(kernel, plan, low, high, p)) {
            break;
        }
        put(plan, target, low, high - low, buffer, &copies);
        high = low;
    }
    point_at(plan, p, target->data, target->steps);
    return high;
}

/* A short axis, all of it at once, into the buffer. */
static int64_t make_short(Kernel kernel, const Plan *plan, int64_t *p, const char *data, int64_t step, char *buffer)
{
    const int64_t n = p[0], size = plan->target.itemsize;
    if (plan->in_place) {
        pj_copy_row(buffer, size, data, step, n, size);
        if (plan->log >= 0) {
            p[plan->log] = (int64_t)(intptr_t)(buffer + SHORT); /* nobody looks at it */
        }
    }
    point_at(plan, p, buffer, &size);
    int64_t flags = raised(kernel, plan, 0, n, p);
    point_at(plan, p, data, &step);
    return flags;
}

/* The same by way of the buffer for a short axis. A store of its own, as it takes about as long to ask all that larger ones are asked. So does
 * reading the flags: it is done once, and the kernel is run again where there are any, which may have been there before. */
static int run_short(Kernel kernel, const Plan *plan, int64_t *p)
{
    _Alignas(64) char buffer[BUFFER];
    const int64_t n = p[0], size = plan->target.itemsize, place = plan->target.axes[0].place;
    const int64_t step = place < 0 ? plan->target.axes[0].bytes : p[place];
    char *data = (char *)(intptr_t)p[plan->target.place];
    int64_t flags = make_short(kernel, plan, p, data, step, buffer);
    if (PJ_UNLIKELY(flags & plan->watched)) {
        clear_flags(plan);
        flags = make_short(kernel, plan, p, data, step, buffer);
    }
    if (flags) {
        p[plan->result] = 0;
        return REDO;
    }
    pj_copy_row(data, step, buffer, size, n, size);
    return DONE;
}

/* Stores in place; the kernel puts what was there before into the buffer. */
static int64_t run_logged(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, char *buffer, int64_t rows)
{
    const int64_t n = p[0];
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    int64_t low = 0;
    while (low < n) {
        int64_t high = rows < n - low ? low + rows : n;
        p[plan->log] = (int64_t)(intptr_t)(buffer - low * copies.steps[0]);
        if (raised(kernel, plan, low, high, p)) {
            put(plan, target, low, high - low, buffer, &copies);
            break;
        }
        low = high;
    }
    return low;
}

/* Stores in place; what was there before is in the buffer. */
static int run_saved(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, char *buffer)
{
    if (plan->naxes == 1) {
        const int64_t n = p[0], size = target->itemsize, step = target->steps[0];
        pj_copy_row(buffer, size, target->data, step, n, size);
        if (!raised(kernel, plan, 0, n, p)) {
            return DONE;
        }
        pj_copy_row(target->data, step, buffer, size, n, size);
        return REDO;
    }
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    pj_copy(buffer, target->data, target->itemsize, plan->naxes, copies.back);
    if (!raised(kernel, plan, 0, p[0], p)) {
        return DONE;
    }
    pj_copy(target->data, buffer, target->itemsize, plan->naxes, copies.out);
    return REDO;
}

/* In place in a copy, for the strips of which there is a log. */
static int run_copied(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, int64_t size, char *log, int64_t rows)
{
    PyObject *owner = pj_empty(NPY_UINT8, 1, &size, 0);
    if (owner == NULL) {
        return REDO;
    }
    Walk copy = {.data = PyArray_BYTES((PyArrayObject *)owner), .itemsize = target->itemsize};
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    memcpy(copy.steps, copies.steps, sizeof copy.steps);
    pj_copy(copy.data, target->data, target->itemsize, plan->naxes, copies.back);
    point_at(plan, p, copy.data, copy.steps);
    bool good = plan->log < 0 ? !raised(kernel, plan, 0, p[0], p) : run_logged(kernel, plan, p, &copy, log, rows) == p[0];
    if (good) {
        pj_copy(target->data, copy.data, target->itemsize, plan->naxes, copies.out);
    }
    Py_DECREF(owner);
    return good ? DONE : REDO;
}

/* Rows that wait to be stored, until the site that does the rest has run. */
static _Thread_local PyObject *waiting;

/* Stores what is computed `lag` rows later, by way of a buffer for `rows` rows and those that wait. Where a row is to be, there is what was
 * in the target before, if the kernel reads that. Gives the first row that was not computed. */
static int64_t run_lagged(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, int64_t lag, char *buffer, char *log, int64_t rows)
{
    const int64_t n = p[0];
    Copies copies;
    copies_of(target, p, plan->naxes, &copies);
    const int64_t row = copies.steps[0];
    char *fresh = buffer + lag * row; /* the rows that wait lie before it */
    int64_t low = 0, stored = 0;
    while (low < n) {
        int64_t high = rows < n - low ? low + rows : n;
        point_at(plan, p, fresh - low * row, copies.steps);
        if (plan->in_place) {
            copies.back[0] = high - low;
            pj_copy(fresh, target->data + low * target->steps[0], target->itemsize, plan->naxes, copies.back);
        }
        if (plan->log >= 0) {
            p[plan->log] = (int64_t)(intptr_t)(log - low * row);
        }
        if (raised(kernel, plan, low, high, p)) {
            break;
        }
        int64_t end = high == n ? n : high - lag;
        if (end > stored) {
            put(plan, target, stored, end - stored, fresh + (stored - low) * row, &copies);
            stored = end;
        }
        memmove(fresh - (high - stored) * row, fresh + (stored - low) * row, (size_t)((high - stored) * row));
        low = high;
    }
    point_at(plan, p, target->data, target->steps);
    p[plan->result + 2] = (int64_t)(intptr_t)(fresh - (low - stored) * row);
    p[plan->result + 3] = low - stored;
    return low;
}

/* The same with memory for it. */
static int64_t store_later(Kernel kernel, const Plan *plan, int64_t *p, const Walk *target, int64_t lag, int64_t rows, int64_t row)
{
    int64_t needed = (lag + (plan->log >= 0 ? 2 : 1) * rows) * row;
    PyObject *owner = pj_empty(NPY_UINT8, 1, &needed, 0);
    if (owner == NULL) {
        return REDO;
    }
    char *buffer = PyArray_BYTES((PyArrayObject *)owner);
    int64_t done = run_lagged(kernel, plan, p, target, lag, buffer, buffer + (lag + rows) * row, rows);
    p[plan->result] = done;
    if (done < p[0] && p[plan->result + 3] > 0) {
        Py_XSETREF(waiting, owner);
    }
    else {
        Py_DECREF(owner);
    }
    return done == p[0] ? DONE : done == 0 ? REDO : FINISH;
}

/* How the kernel may store: as its operands lie; MIXED also where it must not store directly for another reason. */
static int64_t manner(const Plan *plan, const Situation *is, bool small)
{
    if (!is->simple || (is->worst == SAME && (plan->in_place || plan->whole))) {
        return MIXED;
    }
    bool silent = small || (plan->in_place && plan->log < 0 && !plan->named);
    return is->worst == MIXED || silent || may_finish(plan) ? is->worst : MIXED;
}

/* Bytes that are computed at a time where what was there is kept. */
static int64_t logged(const Plan *plan, int64_t size)
{
    const bool is_shared = plan->threads > 1 && plan->work * (size / plan->target.itemsize) >= 2 * PJ_WORTH;
    return is_shared ? (size < SHARED ? size : SHARED) : LOGGED;
}

/* Memory for the log of a shared strip. One is kept: to be given it anew each time takes longer than the strip. Whoever takes it has it. */
typedef struct {
    _Alignas(64) int64_t size;
    _Alignas(64) char bytes[];
} Log;

static _Atomic(Log *) kept;

static Log *take_log(int64_t size)
{
    Log *log = atomic_exchange(&kept, NULL);
    if (log == NULL || log->size < size) {
        free(log);
        log = aligned_alloc(64, (sizeof *log + (size_t)size + 63) / 64 * 64);
        if (log != NULL) {
            log->size = size;
        }
    }
    return log;
}

static void keep_log(Log *log)
{
    free(atomic_exchange(&kept, log));
}

/* What is not short. */
static int64_t run(Kernel kernel, const Plan *plan, int64_t *p)
{
    Walk target;
    (void)read_walk((const int64_t *)&plan->target, p, plan->naxes, &target);
    const int64_t n = p[0];
    clear_flags(plan);
    memset(p + plan->result, 0, 4 * sizeof *p);
    int64_t row = target.itemsize; /* bytes of a row of the first axis */
    for (int64_t i = 1; i < plan->naxes; i++) {
        row *= p[i];
    }
    const int64_t size = row * n;
    const bool small = size <= BUFFER, tiny = size <= (plan->in_place ? 0 : COPIED);
    if (plan->direct == 3) {
        return raised(kernel, plan, 0, n, p) ? REDO : DONE;
    }
    int64_t how = MIXED, lag = -1;
    if (!tiny) {
        const Situation *is = pj_situation(plan, p);
        how = manner(plan, is, small);
        lag = is->lag;
    }
    if (how == APART && (plan->in_place ? plan->log < 0 && !(small && plan->named) : !small || may_finish(plan))) {
        int64_t flags = raised(kernel, plan, 0, n, p);
        p[plan->result + 1] = flags;
        return flags ? FINISH : DONE;
    }
    bool falling = false;
    if (how == MIXED && (plan->in_place || !small) && (small || may_finish(plan))) {
        int64_t strip = small ? n : row > BUFFER ? 1 : BUFFER / row;
        if (lag >= 0 && (small || (lag + strip) * row <= LAG_BUFFER)) {
            return store_later(kernel, plan, p, &target, small ? 0 : lag, strip, row);
        }
        falling = lag == FALLING;
    }
    _Alignas(64) char near[BUFFER];
    char *buffer = near;
    PyObject *owner = NULL;
    const int64_t strip = plan->in_place && how == APART && plan->log >= 0 ? logged(plan, size) : BUFFER;
    int64_t rows = small || (how == MIXED && !plan->in_place && !falling) ? n : row > strip ? 1 : strip / row;
    int64_t needed = rows * row;
    Log *log = NULL;
    if (strip > BUFFER && needed > BUFFER) {
        log = take_log(needed);
        if (log == NULL) {
            return REDO;
        }
        buffer = log->bytes;
    }
    else if (needed > BUFFER) {
        owner = pj_empty(NPY_UINT8, 1, &needed, 0);
        if (owner == NULL) {
            return REDO;
        }
        buffer = PyArray_BYTES((PyArrayObject *)owner);
    }
    int done;
    if (falling) {
        int64_t left = run_falling(kernel, plan, p, &target, buffer, rows);
        done = left == 0 ? DONE : left == n ? REDO : FINISH;
        if (done == FINISH) {
            p[0] = left;
            p[plan->result + 3] = AT_ONCE;
        }
    }
    else if (plan->in_place && how == APART && plan->log < 0) {
        done = run_saved(kernel, plan, p, &target, buffer);
    }
    else if (plan->in_place && how == MIXED) {
        done = run_copied(kernel, plan, p, &target, size, buffer, rows);
    }
    else {
        int64_t stored = (plan->in_place ? run_logged : run_buffered)(kernel, plan, p, &target, buffer, rows);
        p[plan->result] = stored;
        done = stored == n ? DONE : rows == n ? REDO : FINISH;
    }
    Py_XDECREF(owner);
    if (log != NULL) {
        keep_log(log);
    }
    return done;
}

/* Does what NumPy does with target[...] = expression. DONE; REDO: the target is as it was, and the interpreter has to do it;
 * FINISH: it is as it was behind the place told, and somebody has to say what NumPy would. */
int64_t pj_kernel_into(Kernel kernel, int64_t *p, const int64_t *words)
{
    const Plan *plan = (const Plan *)words;
    const bool is_short = plan->naxes == 1 && plan->direct != 3 && p[0] * plan->target.itemsize <= (plan->in_place ? SHORT : COPIED);
    return is_short ? run_short(kernel, plan, p) : run(kernel, plan, p);
}

/* A call site whose exception, which is not of the program's code there, is raised when the main thread next looks at its signals. */
void pj_call_aside(int64_t *W, int64_t site)
{
    pj_thread.in_callback++;
    int64_t status = pj_call(W, site);
    pj_thread.in_callback--;
    Py_CLEAR(waiting);
    if (status == 1) {
        pj_raise_later(pj_err_take());
    }
}
