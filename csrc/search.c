/* search.c - places of numbers among sorted ones for native code: np.searchsorted, np.digitize and np.interp. Plain memory.
 *
 * Where the numbers are not sorted, NumPy's answer tells how it searches, so the same steps are taken; which those are has changed
 * between its versions (pijit/codegen/searches.py finds out). NaN is behind everything else, as np.sort puts it. */
#include "ints.h"
#include "helpers.h"

#define BATCH 8 /* numbers whose searches go on side by side */
#define NEAR 8
#define FEWER 4 /* times as few searches as elements: to find out whether those are sorted would take as long */
#define FLOATS 16 /* added to the bytes of a float to make its kind */

/* n elements, `step` bytes from one to the next. */
typedef struct {
    const char *data;
    int64_t step, n;
} Vector;

enum { RIGHT = 1, BINS = 2, IN_TURN = 4 };

#define ALWAYS inline __attribute__((always_inline)) /* with a step that is known, or not */
#define ITEM(T, v, i) (*(const T *)((v)->data + (i) * (v)->step))

/* `before`: whether an element lies before the place of a number; `plain`: the number is not NaN. `in_turn`: each search begins where the last
 * one has ended; `halving`: each by itself, where steps do not depend on what is found. `direction`: 1 where elements never become smaller, -1
 * where they never become larger (as float64, as np.digitize looks), else 0. */
#define SEARCHES(T, NAN)                                                                                               \
    static ALWAYS int64_t before_##T(T element, T number, int right, bool plain)                                       \
    {                                                                                                                  \
        if (right) {                                                                                                   \
            return plain ? element <= number : 1;                                                                      \
        }                                                                                                              \
        return plain ? element < number : !NAN(element);                                                               \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS int64_t between_##T(const Vector *a, T number, int right, bool plain, int64_t low, int64_t high)     \
    {                                                                                                                  \
        while (low < high) {                                                                                           \
            const int64_t middle = low + ((high - low) >> 1);                                                           \
            if (before_##T(ITEM(T, a, middle), number, right, plain)) {                                                \
                low = middle + 1;                                                                                      \
            }                                                                                                          \
            else {                                                                                                     \
                high = middle;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
        return low;                                                                                                    \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS void in_turn_##T(int64_t *target, const Vector *a, const Vector *v, int right)                       \
    {                                                                                                                  \
        int64_t low = 0, high = a->n;                                                                                  \
        T last = v->n ? ITEM(T, v, 0) : 0;                                                                             \
        for (int64_t i = 0; i < v->n; i++) {                                                                           \
            const T number = ITEM(T, v, i);                                                                            \
            if (before_##T(last, number, right, !NAN(number))) {                                                       \
                high = a->n;                                                                                           \
            }                                                                                                          \
            else {                                                                                                     \
                low = 0;                                                                                               \
                high += high < a->n;                                                                                   \
            }                                                                                                          \
            last = number;                                                                                             \
            low = high = NAN(number) ? between_##T(a, number, right, false, low, high)                                 \
                                     : between_##T(a, number, right, true, low, high);                                 \
            target[i] = low;                                                                                           \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS void halve_##T(int64_t *place, const Vector *a, const Vector *v, int64_t n, int right, bool plain)   \
    {                                                                                                                  \
        for (int64_t left = a->n, half; left > 1; left -= half) {                                                      \
            half = left >> 1;                                                                                          \
            for (int64_t k = 0; k < n; k++) {                                                                          \
                place[k] += half & -before_##T(ITEM(T, a, place[k] + half), ITEM(T, v, k), right, plain);              \
            }                                                                                                          \
        }                                                                                                              \
        for (int64_t k = 0; a->n && k < n; k++) {                                                                      \
            place[k] += before_##T(ITEM(T, a, place[k]), ITEM(T, v, k), right, plain);                                 \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS void halving_##T(int64_t *target, const Vector *a, const Vector *v, int right)                       \
    {                                                                                                                  \
        for (int64_t i = 0; i < v->n; i += BATCH) {                                                                    \
            const Vector some = {v->data + i * v->step, v->step, v->n - i < BATCH ? v->n - i : BATCH};                 \
            int64_t place[BATCH] = {0}; /* in no memory that elements may lie in, as the target could */               \
            int odd = 0;                                                                                               \
            for (int64_t k = 0; k < some.n; k++) {                                                                     \
                odd |= NAN(ITEM(T, &some, k));                                                                         \
            }                                                                                                          \
            if (some.n == BATCH) { /* in registers */                                                                  \
                halve_##T(place, a, &some, BATCH, right, true);                                                        \
            }                                                                                                          \
            else {                                                                                                     \
                halve_##T(place, a, &some, some.n, right, true);                                                       \
            }                                                                                                          \
            for (int64_t k = 0; odd && k < some.n; k++) {                                                              \
                const Vector one = {some.data + k * some.step, some.step, 1};                                          \
                if (NAN(ITEM(T, &one, 0))) {                                                                           \
                    place[k] = 0;                                                                                      \
                    halve_##T(place + k, a, &one, 1, right, false);                                                    \
                }                                                                                                      \
            }                                                                                                          \
            for (int64_t k = 0; k < some.n; k++) {                                                                     \
                target[i + k] = place[k];                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS bool sorted_##T(const Vector *a)                                                                     \
    {                                                                                                                  \
        for (int64_t i = 1; i < a->n; i++) {                                                                           \
            const T one = ITEM(T, a, i - 1), next = ITEM(T, a, i);                                                     \
            if (next < one || (NAN(one) && !NAN(next))) {                                                              \
                return false;                                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        return true;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS int direction_##T(const Vector *a)                                                                   \
    {                                                                                                                  \
        int64_t i = 1, against = 0;                                                                                    \
        while (i < a->n && (double)ITEM(T, a, i) == (double)ITEM(T, a, 0)) {                                           \
            i++;                                                                                                       \
        }                                                                                                              \
        if (i >= a->n || (double)ITEM(T, a, 0) < (double)ITEM(T, a, i)) {                                              \
            for (i++; i < a->n; i++) {                                                                                 \
                against += (double)ITEM(T, a, i) < (double)ITEM(T, a, i - 1);                                          \
            }                                                                                                          \
            return !against;                                                                                           \
        }                                                                                                              \
        for (i++; i < a->n; i++) {                                                                                     \
            against += (double)ITEM(T, a, i) > (double)ITEM(T, a, i - 1);                                              \
        }                                                                                                              \
        return against ? 0 : -1;                                                                                       \
    }                                                                                                                  \
                                                                                                                       \
    static ALWAYS bool searching_##T(int64_t *target, const Vector *a, const Vector *v, int how, bool bins)            \
    {                                                                                                                  \
        const int direction = bins ? direction_##T(a) : 1;                                                             \
        const Vector turned = {a->data + (a->n - 1) * a->step, -a->step, a->n}, *rising = direction < 0 ? &turned : a; \
        /* where elements are sorted it makes no difference; to those that are, a way from the last place is short */  \
        const bool in_turn = how & IN_TURN && (v->n < a->n / FEWER || sorted_##T(v) || !sorted_##T(rising));           \
        if (in_turn && how & RIGHT) {                                                                                  \
            in_turn_##T(target, rising, v, RIGHT);                                                                     \
        }                                                                                                              \
        else if (in_turn) {                                                                                            \
            in_turn_##T(target, rising, v, 0);                                                                         \
        }                                                                                                              \
        else if (direction < 0) {                                                                                      \
            halving_##T(target, &turned, v, how & RIGHT);                                                              \
        }                                                                                                              \
        else if (how & RIGHT) {                                                                                        \
            halving_##T(target, a, v, RIGHT);                                                                          \
        }                                                                                                              \
        else {                                                                                                         \
            halving_##T(target, a, v, 0);                                                                              \
        }                                                                                                              \
        for (int64_t i = 0; direction < 0 && i < v->n; i++) {                                                          \
            target[i] = a->n - target[i];                                                                              \
        }                                                                                                              \
        return direction != 0;                                                                                         \
    }                                                                                                                  \
                                                                                                                       \
    static bool search_##T(int64_t *target, const Vector *a, const Vector *v, int how)                                 \
    {                                                                                                                  \
        const Vector dense = {a->data, sizeof(T), a->n};                                                               \
        return a->step == dense.step ? searching_##T(target, &dense, v, how, how & BINS)                               \
                                     : searching_##T(target, a, v, how, how & BINS);                                   \
    }

#define NEVER(x) 0
#define UNEQUAL(x) ((x) != (x))
#define TYPES(X)                                                                                                       \
    X(-1, int8_t, NEVER)                                                                                               \
    X(1, uint8_t, NEVER)                                                                                               \
    X(-2, int16_t, NEVER)                                                                                              \
    X(2, uint16_t, NEVER)                                                                                              \
    X(-4, int32_t, NEVER)                                                                                              \
    X(4, uint32_t, NEVER)                                                                                              \
    X(-8, int64_t, NEVER)                                                                                              \
    X(8, uint64_t, NEVER)                                                                                              \
    X(FLOATS + 4, float, UNEQUAL)                                                                                      \
    X(FLOATS + 8, double, UNEQUAL)

#define X(kind, T, NAN) SEARCHES(T, NAN)
TYPES(X)
#undef X

/* Where each of v belongs in a; both have elements of one kind, as in ints.h, FLOATS added for floats. block: the kind, step and length of a, then
 * of v; how. False: as bins np.digitize takes none that go up and down, and anything may be in the target. */
int64_t pj_search(int64_t *target, const char *a, const char *v, const int64_t *block)
{
    const Vector sorted = {a, block[1], block[2]}, numbers = {v, block[3], block[4]};
    switch (block[0]) {
#define X(kind, T, NAN)                                                                                                \
    case kind: return search_##T(target, &sorted, &numbers, (int)block[5]);
        TYPES(X)
#undef X
    }
    return 0;
}

/* The last of n sorted numbers that x is not below: -1 below the first one, n above the last one. Around `guess` is where it probably is. */
static int64_t interval(double x, const double *xp, int64_t n, int64_t guess)
{
    int64_t low = 0, high = n;
    if (x > xp[n - 1] || x < xp[0]) {
        return x > xp[n - 1] ? n : -1;
    }
    if (n <= 4) {
        for (low = 1; low < n && x >= xp[low];) {
            low++;
        }
        return low - 1;
    }
    guess = guess > n - 3 ? n - 3 : guess;
    guess = guess < 1 ? 1 : guess;
    if (x < xp[guess]) {
        if (!(x < xp[guess - 1])) { /* also where that is NaN */
            return guess - 1;
        }
        high = guess - 1;
        if (guess > NEAR && x >= xp[guess - NEAR]) {
            low = guess - NEAR;
        }
    }
    else {
        for (int64_t next = guess + 1; next <= guess + 2; next++) {
            if (x < xp[next]) {
                return next - 1;
            }
        }
        low = guess + 2;
        if (guess < n - NEAR - 1 && x < xp[guess + NEAR]) {
            high = guess + NEAR;
        }
    }
    while (low < high) {
        const int64_t middle = low + ((high - low) >> 1);
        if (x >= xp[middle]) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low - 1;
}

static double slope_at(const double *xp, const double *fp, int64_t k)
{
    return (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k]);
}

/* What lies on the line between two neighbours, seen from the first one, or where that gives NaN from the other. */
static double between(double x, const double *xp, const double *fp, int64_t k, double slope)
{
    double made = slope * (x - xp[k]) + fp[k];
    if (made != made) {
        made = slope * (x - xp[k + 1]) + fp[k + 1];
        if (made != made && fp[k] == fp[k + 1]) {
            made = fp[k];
        }
    }
    return made;
}

/* np.interp of `count` numbers, `step` bytes from one to the next; n > 0. */
void pj_interp(double *target, const char *x, int64_t step, int64_t count, const double *xp, const double *fp, int64_t n, double left, double right)
{
    double *slopes = n > 1 && n <= count ? PyMem_RawMalloc((size_t)(n - 1) * sizeof *slopes) : NULL; /* without them it is only slower */
    int64_t k = 0;
    for (int64_t i = 0; slopes != NULL && i < n - 1; i++) {
        slopes[i] = slope_at(xp, fp, i);
    }
    for (int64_t i = 0; i < count; i++, x += step) {
        const double number = *(const double *)x;
        if (n == 1) {
            target[i] = number < xp[0] ? left : number > xp[0] ? right : fp[0];
            continue;
        }
        if (number != number) {
            target[i] = number;
            continue;
        }
        k = interval(number, xp, n, k);
        if (k < 0 || k == n) {
            target[i] = k < 0 ? left : right;
        }
        else if (k == n - 1 || xp[k] == number) {
            target[i] = fp[k];
        }
        else {
            target[i] = between(number, xp, fp, k, slopes != NULL ? slopes[k] : slope_at(xp, fp, k));
        }
    }
    PyMem_RawFree(slopes);
}
