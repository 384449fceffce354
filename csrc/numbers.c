/* numbers.c - what Python's ints and floats and its math module do that is neither an instruction nor a function of the C library. */
#include <alloca.h>
#include <math.h>
#include "helpers.h"

/* Those of ints give -1 where Python raises, where the result has more than 63 bits, and in what is rare: the interpreter does it. */
#define LEAVE (-1)

__extension__ typedef unsigned __int128 Wide;

static uint64_t size_of(int64_t a)
{
    return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

static int64_t fitting(Wide n)
{
    return n <= INT64_MAX ? (int64_t)n : LEAVE;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0) {
        return a | b;
    }
    const int twos = __builtin_ctzll(a | b);
    a >>= __builtin_ctzll(a);
    while (b != 0) {
        b >>= __builtin_ctzll(b);
        const uint64_t less = a < b ? a : b;
        b = a < b ? b - a : a - b;
        a = less;
    }
    return a << twos;
}

int64_t pj_gcd(int64_t a, int64_t b)
{
    return fitting(gcd(size_of(a), size_of(b)));
}

int64_t pj_lcm(int64_t a, int64_t b)
{
    return a == 0 || b == 0 ? 0 : fitting((Wide)(size_of(a) / gcd(size_of(a), size_of(b))) * size_of(b));
}

int64_t pj_isqrt(int64_t n)
{
    if (n < 0) {
        return LEAVE;
    }
    uint64_t root = (uint64_t)sqrt((double)n); /* one too large or too small at most */
    root -= root * root > (uint64_t)n;
    root += (root + 1) * (root + 1) <= (uint64_t)n;
    return (int64_t)root;
}

/* n * (n - 1) * ... of k numbers, and with `divided` over k!. A product that has k factors left is at least twice what it was before. */
static int64_t falling(int64_t n, int64_t k, bool divided)
{
    Wide product = 1;
    for (int64_t i = 1; i <= k; i++) {
        product *= (Wide)(divided ? n - k + i : n - i + 1);
        product /= divided ? (Wide)i : 1;
        if (product > INT64_MAX) {
            return LEAVE;
        }
    }
    return (int64_t)product;
}

int64_t pj_comb(int64_t n, int64_t k)
{
    if (n < 0 || k < 0) {
        return LEAVE;
    }
    return k > n ? 0 : falling(n, k < n - k ? k : n - k, true);
}

int64_t pj_perm(int64_t n, int64_t k)
{
    if (n < 0 || k < 0) {
        return LEAVE;
    }
    return k > n ? 0 : falling(n, k, false);
}

int64_t pj_factorial(int64_t n)
{
    return n < 0 ? LEAVE : falling(n, n, false);
}

/* pow(a, n, m) */
int64_t pj_pow_mod(int64_t a, int64_t n, int64_t m)
{
    if (n < 0 || m <= 0) {
        return LEAVE;
    }
    const uint64_t by = (uint64_t)m;
    int64_t rest = a % m;
    uint64_t square = (uint64_t)(rest < 0 ? rest + m : rest), result = 1 % by;
    const bool narrow = by <= UINT32_MAX; /* then products have 64 bits, and dividing them takes a third of the time */
    for (; n > 0; n >>= 1) {
        if (n & 1) {
            result = narrow ? result * square % by : (uint64_t)((Wide)result * square % by);
        }
        square = narrow ? square * square % by : (uint64_t)((Wide)square * square % by);
    }
    return (int64_t)result;
}

/* math.isclose, line by line: what NumPy calls for each element, it looks for the processor's flags after. -1: it raises. */
int64_t pj_isclose(double a, double b, double rel_tol, double abs_tol)
{
    if (rel_tol < 0.0 || abs_tol < 0.0) {
        return LEAVE;
    }
    if (a == b) {
        return 1;
    }
    if (isinf(a) || isinf(b)) {
        return 0;
    }
    const double diff = fabs(b - a);
    return diff <= fabs(rel_tol * b) || diff <= fabs(rel_tol * a) || diff <= abs_tol;
}

/* What these functions are called with is theirs for as long as the call takes, so a float need be nowhere but here. */
typedef union {
    PyFloatObject as_float;
    PyObject as_object;
} Lent;

static PyObject *call(PyObject *function, PyObject **args, int64_t n)
{
    const int flags = PyCFunction_CheckExact(function) ? PyCFunction_GET_FLAGS(function) : 0;
    if (flags == METH_FASTCALL) {
        PyObject *(*fast)(PyObject *, PyObject *const *, Py_ssize_t) = (void *)PyCFunction_GET_FUNCTION(function);
        return fast(PyCFunction_GET_SELF(function), args, n);
    }
    if (flags == METH_O && n == 1) {
        return PyCFunction_GET_FUNCTION(function)(PyCFunction_GET_SELF(function), args[0]);
    }
    return PyObject_Vectorcall(function, args, (size_t)n, NULL);
}

/* Calls what is written in C and looks at nothing but the numbers it is given: floats, and where a bit of `ints` is set, ints. The result is a
 * float, put in the place of the first. 1: it raised, which the interpreter does again. */
int64_t pj_called(PyObject *function, int64_t n, int64_t ints, int64_t *numbers)
{
    PyObject **args = alloca((size_t)n * sizeof(PyObject *)), *result = NULL;
    Lent *lent = alloca((size_t)n * sizeof(Lent));
    int64_t made = 0;
    for (; made < n; made++) {
        if (ints >> made & 1) {
            args[made] = PyLong_FromLongLong(numbers[made]);
            if (args[made] == NULL) {
                break;
            }
            continue;
        }
        lent[made].as_float = (PyFloatObject){PyObject_HEAD_INIT(&PyFloat_Type)};
        memcpy(&lent[made].as_float.ob_fval, &numbers[made], sizeof(double));
        args[made] = &lent[made].as_object;
    }
    if (made == n) {
        result = call(function, args, n);
    }
    while (made-- > 0) {
        if (ints >> made & 1) {
            Py_DECREF(args[made]);
        }
    }
    const bool fits = result != NULL && PyFloat_CheckExact(result);
    if (fits) {
        memcpy(&numbers[0], &((PyFloatObject *)result)->ob_fval, sizeof(double));
    }
    else {
        PyErr_Clear();
    }
    Py_XDECREF(result);
    return !fits;
}

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}; /* exact */

/* round(x, digits), which CPython does by way of decimal digits: the whole number next to the exact x * 10 ** digits, the even one of two that are, and
 * the float next to its quotient. With the error of the product, the product tells which number that is: both are multiples of a power of two
 * that is at most 0.5, the error at most half of it, so that it matters in the middle of two numbers only. Number and power of ten are exact, so
 * the quotient is right. Where a flag might be raised, or numbers are too large, CPython does it. */
int64_t pj_rounded(PyObject *function, int64_t n, int64_t ints, int64_t *numbers)
{
    double x;
    memcpy(&x, &numbers[0], sizeof(x));
    const int64_t digits = numbers[1];
    const bool plain = x == 0.0 || (fabs(x) > 1e-100 && fabs(x) < 0x1p52); /* first: the product may overflow else */
    if (digits < 0 || digits > 22 || !plain || fabs(x) * TENS[digits] >= 0x1p52) {
        return pj_called(function, n, ints, numbers);
    }
    const double product = x * TENS[digits], error = fma(x, TENS[digits], -product);
    double whole = rint(product);
    const double rest = product - whole;
    if (fabs(rest) == 0.5 && rest * error > 0.0) {
        whole += 2.0 * rest;
    }
    whole /= TENS[digits];
    memcpy(&numbers[0], &whole, sizeof(whole));
    return 0;
}

/* A number of k random bits from a method in C of a random.Random, which nobody else has hold of while native code runs. -1: none was drawn. */
int64_t pj_random_bits(PyCFunction method, PyObject *random, int64_t k)
{
    if (k < 0 || k > 63) {
        return LEAVE;
    }
    int64_t bits = LEAVE;
    PyObject *count = PyLong_FromLongLong(k), *drawn = count == NULL ? NULL : method(random, count);
    if (drawn == NULL || pj_unbox_int(drawn, &bits) != 0) { /* no memory */
        PyErr_Clear();
    }
    Py_XDECREF(drawn);
    Py_XDECREF(count);
    return bits;
}
