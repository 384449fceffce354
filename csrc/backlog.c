/* backlog.c - kernels that store in large arrays wait for those that follow, and are then run together, strip by strip: what one makes or
 * reads is still in the cache when the next wants it.
 *
 * Native code sees to it that the work is done (`pj_catch_up`) before anything can notice that it was put off: whatever reads or writes
 * elements, runs Python, or leaves. Only kernels wait that store directly, all over the same rows, and that may be done strip by strip:
 * where one stores and another reads or stores, it is the same element, or memory that does not overlap. That goes for new arrays too that they
 * make beside: the memory of those that were let go meanwhile is theirs (`pj_empty_later`), so that a loop that makes an array in every round
 * needs two.
 *
 * Of one operation on one target that waits several times in succession a kernel does some at once, which keeps an element in a register
 * meanwhile (codegen/repeats.py).
 *
 * A floating-point flag ends that. By then all strips before are done, without a flag; each kernel does the rest by itself, in order, and NumPy
 * does what is left of one that raises flags, and warns (codegen/stores.py).
 */
#include "store.h"
#include "numpy_api.h"

enum { MOST = 48, WALKS = 8, AXES = 4, WORDS = 64, GONE = 32 };
#define STRIP 4096 /* bytes that a kernel stores at a time */
#define LEAST 32768 /* bytes; what is smaller is in the cache anyway */

typedef struct {
    char *data;
    uintptr_t low, high;
    int64_t itemsize, steps[AXES];
} Span;

typedef struct {
    Kernel kernel;
    const Plan *plan;
    int64_t p[WORDS];
    int64_t done, flags;     /* rows; of one whose flags say who raised them */
    int64_t site, word;      /* who does what is left, and the first of the words of W that it gets */
    const int64_t *repeats;  /* how many words of the next time have to be equal to words of this one, and which they are. Then kernels that do
                              * it several times, the most first: how often, the kernel, its plan, how many words it has, and for each of which
                              * time and which word it is; ended by 0. Or NULL */
    int64_t passed;          /* how many of the new arrays are gone, and the next task is the only one that reads them */
    bool more;               /* the next one is the same operation on the elements that follow */
    int64_t nspans, nwritten;
    Span spans[WALKS]; /* the target, new arrays, and the operands */
} Task;

typedef struct {
    int64_t count, ngone, naxes;
    bool dirty; /* flags are set that nobody watches */
    void *gone[GONE];
    bool scratch[GONE]; /* not an object */
    _Alignas(64) char log[BUFFER];
    Task tasks[MOST];
    int64_t nline, njoined;
    struct {
        Task *task;
        int64_t times; /* how many of the tasks it does */
    } line[MOST];
    Task joined[MOST / 2];
} Backlog;

static _Thread_local Backlog *backlog __attribute__((tls_model("initial-exec")));

/* ---- what may wait ---- */

static int64_t row_size(const Plan *plan, const int64_t *p)
{
    int64_t size = plan->target.itemsize;
    for (int64_t i = 1; i < plan->naxes; i++) {
        size *= p[i];
    }
    return size;
}

static bool can_wait(const Plan *plan, const int64_t *p)
{
    const int64_t row = row_size(plan, p);
    if (row > BUFFER || row * p[0] < LEAST) { /* first: small ones are many */
        return false;
    }
    if (plan->naxes > AXES || plan->noperands + plan->noutputs >= WALKS || plan->result + 4 > WORDS || plan->whole || plan->direct == 3 || plan->threads > 1) {
        return false;
    }
    const Situation *is = pj_situation(plan, p);
    return is->simple && is->worst == APART && may_finish(plan);
}

/* A span of the task, from `first` rows further on. */
static void add_span(Task *t, Walk walk, int64_t place, int64_t naxes, int64_t first)
{
    Span *s = &t->spans[t->nspans++];
    walk.data += first * walk.steps[0];
    t->p[place] = (int64_t)(intptr_t)(walk.data - walk.distance);
    s->data = walk.data;
    s->itemsize = walk.itemsize;
    memcpy(s->steps, walk.steps, (size_t)naxes * sizeof *s->steps);
    pj_extent(walk.data, walk.itemsize, naxes, t->p, walk.steps, &s->low, &s->high);
}

/* Makes a task of the kernel, on rows that begin `first` rows further on. */
static void fill(Task *t, Kernel kernel, const int64_t *p, const Plan *plan, int64_t first, int64_t rows)
{
    const int64_t naxes = plan->naxes, *next = (const int64_t *)&plan->target, *outputs = next + (1 + plan->noperands) * WALK_WORDS(naxes);
    Walk walk;
    t->kernel = kernel;
    t->plan = plan;
    t->done = t->flags = t->passed = t->nspans = 0;
    memcpy(t->p, p, (size_t)(plan->result + 4) * sizeof *p);
    memset(t->p + plan->result, 0, 4 * sizeof *p);
    t->p[0] = rows;
    const int64_t *operands = read_walk(next, p, naxes, &walk);
    add_span(t, walk, next[0], naxes, first);
    if (plan->own >= 0) {
        t->p[plan->own] = t->p[next[0]];
    }
    for (int64_t i = 0; i < plan->noutputs; i++, outputs += 2) {
        walk.data = (char *)(intptr_t)p[outputs[0]];
        int64_t step = walk.itemsize = outputs[1];
        for (int64_t axis = naxes - 1; axis >= 0; axis--) {
            walk.steps[axis] = step;
            step *= p[axis];
        }
        add_span(t, walk, outputs[0], naxes, first);
    }
    t->nwritten = t->nspans;
    for (int64_t i = 0; i < plan->noperands; i++) {
        next = operands;
        operands = read_walk(next, p, naxes, &walk);
        add_span(t, walk, next[0], naxes, first);
    }
}

static bool overlap(const Span *a, const Span *b)
{
    return a->low < b->high && b->low < a->high;
}

static bool same(const Span *a, const Span *b, const int64_t *dims, int64_t naxes)
{
    bool equal = a->data == b->data && a->itemsize == b->itemsize;
    for (int64_t i = 0; i < naxes && equal; i++) {
        equal = dims[i] == 1 || a->steps[i] == b->steps[i];
    }
    return equal;
}

/* What the task makes there, beside what it stores; or NULL. */
static const Span *made(const Task *t, const char *data)
{
    for (int64_t i = 1; i < t->nwritten; i++) {
        if (t->spans[i].data == data) {
            return &t->spans[i];
        }
    }
    return NULL;
}

/* Whether the task may be done strip by strip with the one before, and whether they have something in common. */
static bool goes_with(const Task *before, const Task *t, int64_t naxes, bool *common)
{
    for (int64_t i = 0; i < before->nspans; i++) {
        for (int64_t j = 0; j < t->nspans; j++) {
            const Span *a = &before->spans[i], *b = &t->spans[j];
            if (overlap(a, b)) {
                if ((i < before->nwritten || j < t->nwritten) && !same(a, b, t->p, naxes)) {
                    return false;
                }
                *common = true;
            }
        }
    }
    return true;
}

/* Puts the kernel behind those that wait, in as many pieces as it takes; false: it does not go with them. */
static bool append(Backlog *b, Kernel kernel, const int64_t *p, const Plan *plan, int64_t site, int64_t word, const int64_t *repeats)
{
    const int64_t before = b->count, rows = before ? b->tasks[0].p[0] : p[0], pieces = p[0] / rows;
    const size_t inner = (size_t)(plan->naxes - 1) * sizeof *p;
    bool common = before == 0;
    if (before && (plan->naxes != b->naxes || p[0] % rows || (pieces > 1 && plan->naxes > 1) || memcmp(p + 1, b->tasks[0].p + 1, inner))) {
        return false;
    }
    if (before + pieces > MOST) {
        return false;
    }
    for (int64_t piece = 0; piece < pieces; piece++) {
        Task *t = &b->tasks[before + piece];
        fill(t, kernel, p, plan, piece * rows, rows);
        t->site = site;
        t->word = word;
        t->repeats = repeats;
        t->more = piece + 1 < pieces;
        for (int64_t i = 0; i < before; i++) {
            if (!goes_with(&b->tasks[i], t, plan->naxes, &common)) {
                return false;
            }
        }
    }
    if (common) {
        b->count += pieces;
        b->naxes = plan->naxes;
    }
    return common;
}

/* ---- doing it ---- */

/* The next rows; false when a flag was raised in them, and the target is as it was there. */
static bool advance(Backlog *b, Task *t, int64_t rows)
{
    const Plan *plan = t->plan;
    const Span *target = &t->spans[0];
    const int64_t low = t->done, high = rows < t->p[0] - low ? low + rows : t->p[0];
    const bool logged = plan->in_place && plan->log >= 0;
    if (logged) {
        t->p[plan->log] = (int64_t)(intptr_t)(b->log - low * row_size(plan, t->p));
    }
    if (plan->watched && b->dirty) {
        pj_fp_clear();
    }
    int64_t flags = raised(t->kernel, plan, low, high, t->p);
    b->dirty = flags || !plan->watched;
    if (flags && plan->in_place && plan->named) {
        t->flags |= flags;
        flags = 0;
    }
    if (flags && logged) {
        Walk walk = {.data = target->data, .itemsize = target->itemsize};
        Copies copies;
        memcpy(walk.steps, target->steps, (size_t)plan->naxes * sizeof *walk.steps);
        copies_of(&walk, t->p, plan->naxes, &copies);
        copies.out[0] = high - low;
        pj_copy(target->data + low * target->steps[0], b->log, target->itemsize, plan->naxes, copies.out);
    }
    t->done = flags ? low : high;
    return !flags;
}

/* Whether the next one is a repetition, into which all that the task makes goes, and nowhere else. */
static bool feeds(const Task *t, const Task *next)
{
    const int64_t n = t->repeats[0], *words = t->repeats + 1;
    bool all = t->passed == t->nwritten - 1;
    for (int64_t i = 0; i < n && all; i++) {
        all = next->p[words[2 * i]] == t->p[words[2 * i + 1]];
    }
    return all;
}

/* How many tasks from this one on are the same operation on the same target. */
static int64_t successive(const Backlog *b, const Task *t)
{
    const Task *next = t + 1, *end = b->tasks + b->count;
    while (next < end && next->plan == t->plan && next->kernel == t->kernel && same(&next->spans[0], &t->spans[0], t->p, b->naxes) &&
           next[-1].repeats != NULL && feeds(next - 1, next)) {
        next++;
    }
    return next - t;
}

/* Whether what the last of some tasks makes lies apart from all that they read, but for what they make for each other. */
static bool makes_apart(const Task *first, int64_t times)
{
    const Task *last = first + times - 1;
    for (int64_t i = 1; i < last->nwritten; i++) {
        for (const Task *t = first; t <= last; t++) {
            for (int64_t k = t->nwritten; k < t->nspans; k++) {
                if (overlap(&last->spans[i], &t->spans[k]) && (t == first || made(t - 1, t->spans[k].data) == NULL)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* A task that does the work of several; NULL: there is no kernel for two or more. */
static Task *join(Backlog *b, const Task *first, int64_t *times)
{
    if (first->repeats == NULL) {
        return NULL;
    }
    const int64_t *r = first->repeats + 1 + 2 * first->repeats[0], most = successive(b, first);
    while (most > 1 && r[0] > 0) {
        const int64_t nwords = r[3], *source = r + 4;
        if (r[0] <= most && nwords + 4 <= WORDS && makes_apart(first, r[0])) {
            Task *t = &b->joined[b->njoined++];
            t->kernel = (Kernel)(intptr_t)r[1];
            t->plan = (const Plan *)(intptr_t)r[2];
            t->done = t->flags = 0;
            t->spans[0] = first->spans[0];
            for (int64_t i = 0; i < nwords; i++) {
                t->p[i] = first[source[2 * i]].p[source[2 * i + 1]];
            }
            *times = r[0];
            return t;
        }
        r = source + 2 * nwords;
    }
    return NULL;
}

/* Who does what is waiting. */
static void line_up(Backlog *b)
{
    b->nline = b->njoined = 0;
    for (int64_t i = 0; i < b->count; i += b->line[b->nline++].times) {
        int64_t times = 1;
        Task *joined = join(b, &b->tasks[i], &times);
        b->line[b->nline].task = joined != NULL ? joined : &b->tasks[i];
        b->line[b->nline].times = times;
    }
}

static void all_strips(Backlog *b)
{
    const int64_t n = b->tasks[0].p[0];
    int64_t widest = 1;
    for (int64_t i = 0; i < b->count; i++) {
        int64_t row = row_size(b->tasks[i].plan, b->tasks[i].p);
        widest = row > widest ? row : widest;
    }
    const int64_t rows = widest < STRIP ? STRIP / widest : 1;
    while (b->line[b->nline - 1].task->done < n) {
        for (int64_t i = 0; i < b->nline; i++) {
            if (!advance(b, b->line[i].task, rows)) {
                return;
            }
        }
    }
}

static void run_strips(Backlog *b)
{
    line_up(b);
    all_strips(b);
    Task *t = b->tasks;
    for (int64_t i = 0; i < b->nline; i++) {
        for (int64_t k = 0; k < b->line[i].times; k++) {
            (t++)->done = b->line[i].task->done;
        }
    }
}

enum { NOTE = 1, WARN = 2 }; /* as codegen/stores.py knows them */

static void ask_numpy(int64_t *W, Task *t, int64_t what)
{
    W[t->word] = (int64_t)(intptr_t)t->p;
    W[t->word + 1] = (int64_t)(intptr_t)t->plan;
    W[t->word + 2] = what;
    pj_call_aside(W, t->site);
}

/* Does what is left of each task, one after the other. */
static void finish(Backlog *b, int64_t *W)
{
    bool noted = false;
    for (int64_t i = 0; i < b->count; i++) {
        Task *t = &b->tasks[i];
        const int64_t rows = BUFFER / row_size(t->plan, t->p);
        while (t->done < t->p[0] && advance(b, t, rows)) {
        }
        if (t->done < t->p[0] || t->flags) {
            t->p[t->plan->result] = t->done;
            t->p[t->plan->result + 1] = t->flags;
            ask_numpy(W, t, NOTE);
            noted = b->dirty = true;
        }
        if (noted && !t->more) {
            ask_numpy(W, t, WARN);
            noted = false;
        }
    }
}

static void let_go(void *gone, bool scratch)
{
    if (scratch) {
        pj_discard(gone);
    }
    else {
        pj_release(gone);
    }
}

/* Does all that waits. */
void pj_catch_up(int64_t *W)
{
    Backlog *b = backlog;
    if (PJ_LIKELY(b == NULL)) {
        return;
    }
    backlog = NULL;
    Task *t = b->tasks;
    if (b->count == 1) {
        int64_t how = pj_kernel_into(t->kernel, t->p, (const int64_t *)t->plan);
        if (how != DONE) { /* nothing is stored, or some of it: there is no way back from here */
            ask_numpy(W, t, NOTE);
            ask_numpy(W, t, WARN);
        }
    }
    else {
        b->dirty = true;
        run_strips(b);
        finish(b, W);
    }
    for (int64_t i = 0; i < b->ngone; i++) {
        let_go(b->gone[i], b->scratch[i]);
    }
    free(b);
}

/* pj_kernel_into, now or later; `site`, `word` and `repeats`: as in Task. */
int64_t pj_kernel_later(int64_t *W, Kernel kernel, int64_t *p, const int64_t *words, int64_t site, int64_t word, const int64_t *repeats)
{
    const Plan *plan = (const Plan *)words;
    const bool later = can_wait(plan, p);
    if (later && backlog != NULL && append(backlog, kernel, p, plan, site, word, repeats)) {
        return DONE;
    }
    pj_catch_up(W);
    if (later && (backlog = malloc(sizeof *backlog)) != NULL) {
        backlog->count = backlog->ngone = 0;
        (void)append(backlog, kernel, p, plan, site, word, repeats);
        return DONE;
    }
    return pj_kernel_into(kernel, p, words);
}

/* Before memory is read. */
void pj_settle(int64_t *W, uintptr_t low, uintptr_t high)
{
    for (int64_t i = 0; backlog != NULL && i < backlog->count; i++) {
        const Task *t = &backlog->tasks[i];
        for (int64_t k = 0; k < t->nwritten; k++) {
            if (t->spans[k].low < high && low < t->spans[k].high) {
                pj_catch_up(W);
                return;
            }
        }
    }
}

/* Notes that nobody but those that wait reads what one of them makes there. */
static void note_gone(Backlog *b, const char *data)
{
    for (int64_t i = b->count; i-- > 0;) {
        Task *t = &b->tasks[i];
        const Span *s = made(t, data);
        if (s != NULL) {
            bool passed = true;
            for (int64_t j = i + 2; j < b->count; j++) {
                for (int64_t k = 0; k < b->tasks[j].nspans; k++) {
                    passed &= !overlap(s, &b->tasks[j].spans[k]);
                }
            }
            t->passed += passed;
            return;
        }
    }
}

/* pj_release, or pj_discard, of what those that wait may work on. */
void pj_let_go_later(int64_t *W, void *gone, int64_t scratch)
{
    if (backlog != NULL && backlog->ngone == GONE) {
        pj_catch_up(W);
    }
    if (backlog == NULL) {
        let_go(gone, scratch);
        return;
    }
    PyObject *array = scratch ? pj_scratch_array(gone) : gone;
    if (array != NULL && PyArray_CheckExact(array) && Py_REFCNT(array) == 1) {
        note_gone(backlog, PyArray_DATA((PyArrayObject *)array));
    }
    backlog->scratch[backlog->ngone] = array == NULL;
    backlog->gone[backlog->ngone++] = gone;
}

/* pj_empty for what a kernel makes that may wait: those that wait work on the elements of one that was let go before the new one does. */
PyObject *pj_empty_later(int64_t typenum, int64_t ndim, int64_t *dims, int64_t order)
{
    for (int64_t i = backlog == NULL ? 0 : backlog->ngone; i-- > 0;) {
        PyObject *a = backlog->gone[i];
        if (!backlog->scratch[i] && pj_is_as_new(a, typenum, ndim, dims, order)) {
            backlog->ngone--;
            backlog->gone[i] = backlog->gone[backlog->ngone];
            backlog->scratch[i] = backlog->scratch[backlog->ngone];
            return a;
        }
    }
    return pj_empty(typenum, ndim, dims, order);
}
