/* situation.c - how what a kernel reads lies to where it stores. In a loop it is the same in every round: it is looked at again when an address, a
 * length or a stride is another one. */
#include "store.h"

/* Whether no element of one has a byte in common with any of the other though they lie among each other, like columns of a matrix: all steps are
 * multiples of some number of bytes, and within that many they lie side by side. */
static bool interleaved(const Walk *target, const Walk *other, const int64_t *dims, int64_t naxes)
{
    int64_t common = 0;
    for (int64_t i = 0; i < 2 * naxes; i++) {
        int64_t step = dims[i / 2] == 1 ? 0 : (i & 1 ? other : target)->steps[i / 2];
        while (step != 0 && step != common) { /* equal ones are usual, and a division takes as long as a store of some elements */
            int64_t rest = common == 0 ? 0 : common % step;
            common = step;
            step = rest;
        }
    }
    if (common < 0) {
        common = -common;
    }
    int64_t apart = common == 0 ? 0 : (other->data - target->data) % common;
    if (apart < 0) {
        apart += common;
    }
    return apart >= target->itemsize && apart + other->itemsize <= common;
}

static int relation(const Walk *target, const Walk *other, const int64_t *dims, int64_t naxes)
{
    uintptr_t low, high, other_low, other_high;
    pj_extent(target->data, target->itemsize, naxes, dims, target->steps, &low, &high);
    pj_extent(other->data, other->itemsize, naxes, dims, other->steps, &other_low, &other_high);
    if (low >= other_high || other_low >= high || interleaved(target, other, dims, naxes)) {
        return APART;
    }
    bool same = target->data == other->data && target->itemsize == other->itemsize;
    for (int64_t i = 0; i < naxes && same; i++) {
        same = dims[i] == 1 || target->steps[i] == other->steps[i];
    }
    return same ? SAME : MIXED;
}

/* Whether different elements lie in different memory, as far as can be seen at once: each axis steps over the inner ones. */
static bool simple(const Walk *target, const int64_t *dims, int64_t naxes)
{
    int64_t reach = target->itemsize;
    for (int64_t i = naxes - 1; i >= 0; i--) {
        int64_t step = target->steps[i] < 0 ? -target->steps[i] : target->steps[i];
        if (dims[i] == 1) {
            continue;
        }
        if (step < reach) {
            return false;
        }
        reach = (dims[i] - 1) * step + reach;
    }
    return true;
}

/* See Situation. */
static int64_t lag_of(const Plan *plan, const int64_t *p, const Walk *target, const int64_t *operand, int64_t worst)
{
    uintptr_t low, high, other_low, other_high;
    const int64_t step = target->steps[0];
    int64_t row[MAX_AXES], lag = 0;
    bool falling = !plan->in_place;
    if (step <= 0 || plan->whole) {
        return -1;
    }
    memcpy(row, p, (size_t)plan->naxes * sizeof *row);
    row[0] = 1;
    pj_extent(target->data, target->itemsize, plan->naxes, row, target->steps, &low, &high);
    for (int64_t i = 0; i < plan->noperands && worst != APART; i++) {
        Walk walk;
        operand = read_walk(operand, p, plan->naxes, &walk);
        if (relation(target, &walk, p, plan->naxes) == APART) {
            continue;
        }
        if (walk.steps[0] != step) {
            return -1;
        }
        pj_extent(walk.data, walk.itemsize, plan->naxes, row, walk.steps, &other_low, &other_high);
        falling &= other_high <= low + (uintptr_t)step;
        if (high > other_low) {
            int64_t rows = (int64_t)((high - other_low + (uintptr_t)step - 1) / (uintptr_t)step) - 1;
            lag = rows > lag ? rows : lag;
        }
    }
    return lag && falling ? FALLING : lag;
}

static void look(const Plan *plan, const int64_t *p, Situation *is)
{
    Walk target, operand;
    const int64_t *first = read_walk((const int64_t *)&plan->target, p, plan->naxes, &target), *next = first;
    is->worst = APART;
    for (int64_t i = 0; i < plan->noperands; i++) {
        next = read_walk(next, p, plan->naxes, &operand);
        int lies = relation(&target, &operand, p, plan->naxes);
        is->worst = lies > is->worst ? lies : is->worst;
    }
    is->simple = simple(&target, p, plan->naxes);
    is->lag = is->simple ? lag_of(plan, p, &target, first, is->worst) : -1;
}

const Situation *pj_situation(const Plan *plan, const int64_t *p)
{
    Situation *is = (Situation *)(intptr_t)((const int64_t *)plan + plan->situation);
    const size_t size = (size_t)plan->result * sizeof *p;
    if (!is->known || memcmp(is->words, p, size) != 0) {
        look(plan, p, is);
        memcpy(is->words, p, size);
        is->known = 1;
    }
    return is;
}
