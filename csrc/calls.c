/* calls.c - what native code calls: Python through call sites, arrays, views, floating-point flags, libm. */
#include <alloca.h>
#include <fenv.h>
#include <math.h>
#include "frame.h"
#include "numpy_api.h"
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

int64_t pj_forced;

/* ---- call sites ---- */

void pj_site_clear(PjSite *s)
{
    pj_recipe_free(s->callable);
    for (int i = 0; s->args != NULL && i < s->nargs; i++) {
        pj_recipe_free(s->args[i]);
    }
    PyMem_Free(s->args);
    Py_XDECREF(s->kwnames);
    for (int i = 0; s->chain != NULL && i < s->nlinks; i++) {
        pj_recipe_free(s->chain[i].function);
    }
    PyMem_Free(s->chain);
    pj_rows_free(s->rows);
}

static int site_args_parse(PjSite *s, PyObject *args, PyObject *names)
{
    PyObject *fast = PySequence_Fast(args, "arguments must be a sequence of recipes");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    s->args = PyMem_Calloc((size_t)n + 1, sizeof(PjRecipe *));
    for (Py_ssize_t i = 0; s->args != NULL && i < n; i++) {
        if ((s->args[i] = pj_recipe_new(PySequence_Fast_GET_ITEM(fast, i))) == NULL) {
            break;
        }
        s->nargs++;
    }
    Py_DECREF(fast);
    if (s->args == NULL) {
        PyErr_NoMemory();
    }
    if (PyErr_Occurred()) {
        return -1;
    }
    PyObject *tuple = names == Py_None ? PyTuple_New(0) : PySequence_Tuple(names);
    if (tuple == NULL) {
        return -1;
    }
    if (PyTuple_GET_SIZE(tuple) == 0) {
        Py_DECREF(tuple);
        return 0;
    }
    s->kwnames = tuple;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(tuple, i))) {
            PyErr_SetString(PyExc_TypeError, "keyword names must be str");
            return -1;
        }
    }
    if (PyTuple_GET_SIZE(tuple) > n) {
        PyErr_SetString(PyExc_ValueError, "more keyword names than arguments");
        return -1;
    }
    return 0;
}

static int site_chain_parse(PjSite *s, PyObject *chain)
{
    PyObject *fast = PySequence_Fast(chain, "the chain must be a sequence of (function recipe, pc)");
    if (fast == NULL) {
        return -1;
    }
    Py_ssize_t n = PySequence_Fast_GET_SIZE(fast);
    s->chain = PyMem_Calloc((size_t)n + 1, sizeof(PjLink));
    if (s->chain == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; s->chain != NULL && i < n; i++) {
        PyObject *function, *pair = PySequence_Fast_GET_ITEM(fast, i);
        PjLink *link = &s->chain[i];
        if (!PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "Oi;a link is (function recipe, pc)", &function, &link->pc) ||
            (function != Py_None && (link->function = pj_recipe_new(function)) == NULL)) {
            break;
        }
        s->nlinks++;
        if ((i == 0) != (link->function == NULL)) {
            PyErr_SetString(PyExc_ValueError, "the outermost frame of a chain, and only it, has no function");
            break;
        }
    }
    Py_DECREF(fast);
    if (!PyErr_Occurred() && s->nlinks != n) {
        PyErr_SetString(PyExc_TypeError, "a link of a chain is a tuple (function recipe, pc)");
    }
    if (!PyErr_Occurred() && n == 0) {
        PyErr_SetString(PyExc_ValueError, "the chain of a call site needs the root frame");
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* Fills a zeroed site; to be cleared by the caller also after a failure. */
int pj_site_parse(PjSite *s, PyObject *tuple)
{
    PyObject *callable, *args, *names, *chain, *rows;
    if (PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) > 0 && PyUnicode_Check(PyTuple_GET_ITEM(tuple, 0))) {
        return pj_object_site_parse(s, tuple);
    }
    if (!PyTuple_Check(tuple) ||
        !PyArg_ParseTuple(tuple, "OOOOOi;a call site is (callable, arguments, keyword names, chain, guards, root)",
                          &callable, &args, &names, &chain, &rows, &s->root)) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "a call site is a tuple of six");
        }
        return -1;
    }
    if ((s->callable = pj_recipe_new(callable)) == NULL || site_args_parse(s, args, names) < 0 ||
        site_chain_parse(s, chain) < 0 || (s->rows = pj_rows_new(rows, 1)) == NULL) {
        return -1;
    }
    return 0;
}

/* Builds callable and arguments into vector[1...]; vector[0] is left for the callee's use. Returns the number of
 * objects built (callable included); fewer than wanted: an exception is set. */
static int build_call(PjSite *s, int64_t *W, PyObject **vector, PyObject **callable)
{
    int n = 0;
    PjRecipe *c = s->callable;
    *callable = NULL;
    if (pj_recipe_is_bound(c)) {
        /* function and self apart: no method object is made */
        *callable = pj_build(c->kids[0], W);
        if (*callable == NULL || (vector[1] = pj_build(c->kids[1], W)) == NULL) {
            return 0;
        }
        n = 1;
    }
    else if ((*callable = pj_build(c, W)) == NULL) {
        return 0;
    }
    for (int i = 0; i < s->nargs; i++) {
        PyObject *arg = pj_build(s->args[i], W);
        if (arg == NULL) {
            return n;
        }
        vector[1 + n++] = arg;
    }
    return n;
}

/* Links the frames of the chain; 0 ok. The root frame gets its cells first: Python may look at it. */
static int link_chain(PjRun *r, PjSite *s, int64_t *W, PjFrame **shadows)
{
    if (r->fresh) {
        if (r->kinds != NULL && pj_frame_prologue(r->frame) < 0) {
            return -1;
        }
        r->fresh = false;
    }
    pj_frame_call_at(r->frame, s->chain[0].pc);
    pj_frame_link(r->ts, r->frame, r->prev);
    for (int i = 1; i < s->nlinks; i++) {
        PyObject *function = pj_build(s->chain[i].function, W);
        shadows[i] = NULL;
        if (function == NULL || !PJ_IS_FUNCTION(function)) {
            if (function != NULL) {
                Py_DECREF(function);
                PyErr_SetString(PyExc_SystemError, "pijit: a link of a chain is not a function");
            }
            return -1;
        }
        shadows[i] = pj_shadow_new(function, s->chain[i].pc, PJ_CURRENT(r->ts));
        Py_DECREF(function);
        if (shadows[i] == NULL) {
            return -1;
        }
        PJ_CURRENT(r->ts) = shadows[i];
    }
    return 0;
}

static void unlink_chain(PjRun *r, PjSite *s, PjFrame **shadows)
{
    for (int i = s->nlinks - 1; i > 0; i--) {
        if (shadows[i] != NULL) {
            PjFrame *before = shadows[i]->previous;
            PyObject *exc = pj_err_take(); /* clearing may run destructors */
            PJ_CURRENT(r->ts) = before;
            pj_shadow_free(r->ts, shadows[i]);
            pj_err_give(exc);
        }
    }
    PJ_CURRENT(r->ts) = r->frame;
}

/* See docs/native.md. */
int64_t pj_call(int64_t *W, int64_t number)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    PjSite *s = &r->fragment->sites[number];
    PyObject **vector = alloca(((size_t)s->nargs + 2) * sizeof(PyObject *));
    PjFrame **shadows = alloca(((size_t)s->nlinks + 1) * sizeof(PjFrame *));
    memset(shadows, 0, ((size_t)s->nlinks + 1) * sizeof(PjFrame *));
    PyObject *callable, *result = NULL;
    pj_drop_spare();
    pj_hold_inputs(r);
    int bound = pj_recipe_is_bound(s->callable);
    int n = build_call(s, W, vector, &callable);
    if (callable != NULL && n == s->nargs + bound) {
        if (link_chain(r, s, W, shadows) == 0) {
            size_t named = s->kwnames == NULL ? 0 : (size_t)PyTuple_GET_SIZE(s->kwnames);
            /* the keyword arguments are the last ones; vector[0] is free for the callee */
            result = PyObject_Vectorcall(callable, vector + 1,
                                         ((size_t)n - named) | PY_VECTORCALL_ARGUMENTS_OFFSET, s->kwnames);
        }
        unlink_chain(r, s, shadows);
    }
    else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_SystemError, "pijit: the arguments of a call could not be built");
    }
    PyObject *exc = result == NULL ? pj_err_take() : NULL;
    for (int i = 0; i < n; i++) {
        Py_DECREF(vector[1 + i]);
    }
    Py_XDECREF(callable);
    if (result == NULL) {
        pj_err_give(exc);
        return 1;
    }
    PyObject *old = (PyObject *)(intptr_t)W[s->root];
    W[s->root] = (int64_t)(intptr_t)result;
    Py_XDECREF(old);
    PyObject **registers = alloca(((size_t)s->rows->registers + 1) * sizeof(PyObject *));
    registers[0] = result;
    if (pj_walk(s->rows, 0, r, registers, W) >= 0) {
        return 2;
    }
    /* The callee switched tracing on: what follows belongs to the tracer, so the frame goes on in the interpreter. */
    return pj_traced(r->ts, pj_frame_code(r->frame)) ? 2 : 0;
}

/* ---- arrays ---- */

/* Whether an array has no elements and nothing but zeros for strides, as new ones have: views on it begin where it does. */
static bool is_nowhere(PyArrayObject *a)
{
    bool empty = false, still = true;
    for (int d = 0; d < PyArray_NDIM(a); d++) {
        empty |= PyArray_DIM(a, d) == 0;
        still &= PyArray_STRIDE(a, d) == 0;
    }
    return empty && still;
}

/* New view of memory that belongs to base (NULL: one that could not be made), or NULL without an exception. */
static PyObject *pj_view(PyObject *base, void *data, int64_t typenum, int64_t ndim, int64_t *dims, int64_t *strides,
                         int64_t writable)
{
    PyArray_Descr *descr = PyArray_DescrFromType((int)typenum);
    if (base == NULL) {
        Py_XDECREF(descr);
        return NULL;
    }
    if (is_nowhere((PyArrayObject *)base)) {
        data = PyArray_DATA((PyArrayObject *)base);
    }
    PyObject *a = descr == NULL ? NULL
                                : PyArray_NewFromDescr(&PyArray_Type, descr, (int)ndim, (npy_intp *)dims,
                                                       (npy_intp *)strides, data, writable ? NPY_ARRAY_WRITEABLE : 0,
                                                       NULL);
    if (a != NULL && PyArray_SetBaseObject((PyArrayObject *)a, Py_NewRef(base)) < 0) {
        Py_CLEAR(a);
    }
    if (a == NULL) {
        PyErr_Clear();
    }
    return a;
}

static void pj_retain(PyObject *o)
{
    Py_XINCREF(o);
}

static void *pj_list_item(PyObject *list, int64_t index)
{
    if (!PyList_CheckExact(list) || index < 0 || index >= PyList_GET_SIZE(list)) {
        return NULL;
    }
    return PyList_GET_ITEM(list, index);
}

int64_t pj_unbox_int(PyObject *o, int64_t *out)
{
    if (!PyLong_CheckExact(o)) {
        return 1;
    }
    if (pj_long_compact(o, out)) {
        return 0;
    }
    int overflow;
    *out = PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow != 0;
}

/* ---- floating point ---- */

/* The bits of docs/native.md, which are NumPy's NPY_FPE_*. */
enum { FPE_DIVIDE = 1, FPE_OVER = 2, FPE_UNDER = 4, FPE_BAD = 8 };

/* On x86-64 all of Python's and NumPy's arithmetic is SSE, whose status register costs 1 ns, fenv.h 40. But feraiseexcept() of glibc, by which
 * some of NumPy's loops report (float32 exp), tells the x87 unit. Its flags are in the same places. */
#if defined(__x86_64__)
static inline unsigned x87_flags(void)
{
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status & 0x3F;
}
#endif

void pj_fp_clear(void)
{
#if defined(__x86_64__)
    unsigned csr = _mm_getcsr();
    if (PJ_UNLIKELY(x87_flags() & 0x1D)) {
        __asm__ volatile("fnclex");
    }
    if (csr & 0x1D) { /* one of those that pj_fp_get looks at: writing the register waits for all arithmetic to end */
        _mm_setcsr(csr & ~0x3Fu);
    }
#else
    feclearexcept(FE_ALL_EXCEPT);
#endif
}

int64_t pj_fp_get(void)
{
#if defined(__x86_64__)
    unsigned flags = _mm_getcsr() | x87_flags();
    return ((flags >> 2 & 1) * FPE_DIVIDE) | ((flags >> 3 & 1) * FPE_OVER) |
           ((flags >> 4 & 1) * FPE_UNDER) | ((flags & 1) * FPE_BAD);
#else
    int flags = fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    return (flags & FE_DIVBYZERO ? FPE_DIVIDE : 0) | (flags & FE_OVERFLOW ? FPE_OVER : 0) |
           (flags & FE_UNDERFLOW ? FPE_UNDER : 0) | (flags & FE_INVALID ? FPE_BAD : 0);
#endif
}

static bool is_odd(double w)
{
    return fmod(fabs(w), 2.0) == 1.0;
}

/* float_pow of CPython's floatobject.c without its error cases: 0.0 to a negative power, a negative number to a
 * fraction (complex) and overflow are for the caller. */
static double pj_pow(double v, double w)
{
    bool negate = false;
    if (w == 0) {
        return 1.0;
    }
    if (isnan(v)) {
        return v;
    }
    if (isnan(w)) {
        return v == 1.0 ? 1.0 : w;
    }
    if (isinf(w)) {
        v = fabs(v);
        if (v == 1.0) {
            return 1.0;
        }
        return (w > 0.0) == (v > 1.0) ? fabs(w) : 0.0;
    }
    if (isinf(v)) {
        bool odd = is_odd(w);
        if (w > 0.0) {
            return odd ? v : fabs(v);
        }
        return odd ? copysign(0.0, v) : 0.0;
    }
    if (v == 0.0) {
        if (w < 0.0) {
            return INFINITY; /* ZeroDivisionError: whoever calls leaves when finite numbers give this */
        }
        return is_odd(w) ? v : 0.0;
    }
    if (v < 0.0) {
        v = -v;
        negate = is_odd(w);
    }
    if (v == 1.0) {
        return negate ? -1.0 : 1.0;
    }
    double x = pow(v, w);
    return negate ? -x : x;
}

/* ---- fragments that are Python objects ---- */

/* A native function that calls what its fragment keeps: keep(address of W) -> (exit, exception or None). Returns an exit
 * that does not exist when that fails; the caller reports it. */
int64_t pj_reference(int64_t *W)
{
    PjRun *r = (PjRun *)(intptr_t)W[1];
    long long exit = -1;
    PyObject *exc = NULL;
    pj_hold_inputs(r);
    PyObject *args = Py_BuildValue("(n)", (Py_ssize_t)(intptr_t)W);
    PyObject *result = args == NULL ? NULL : pj_call_back(r->fragment->keep, args);
    Py_XDECREF(args);
    if (result == NULL || !PyArg_ParseTuple(result, "LO", &exit, &exc)) {
        Py_XDECREF(result);
        return -1; /* with an exception, which pj_report takes */
    }
    if (exc != Py_None) {
        PyErr_SetObject((PyObject *)Py_TYPE(exc), exc);
    }
    Py_DECREF(result);
    return exit;
}

/* ---- symbols ---- */

#define MATH(X)                                                                                                       \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atan2) X(atanh) X(cbrt) X(ceil) X(copysign) X(cos) X(cosh) X(erf)     \
    X(erfc) X(exp) X(exp2) X(expm1) X(fabs) X(floor) X(fma) X(fmod) X(hypot) X(ldexp) X(lgamma) X(log) X(log10)       \
    X(log1p) X(log2) X(nextafter) X(pow) X(remainder) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma)        \
    X(trunc)

/* What NumPy's matmul calls for two vectors of this type; NULL where it has no such function. */
static void *dot_of(int typenum)
{
    PyArray_Descr *dtype = PyArray_DescrFromType(typenum);
    void *dot = dtype == NULL ? NULL : (void *)(uintptr_t)PyDataType_GetArrFuncs(dtype)->dotfunc;
    Py_XDECREF(dtype);
    return dot;
}

/* {name: address} for the code generator, without what there is not. New reference or NULL. */
PyObject *pj_symbols(void)
{
    const struct {
        const char *name;
        void *address;
    } table[] = {
        {"pj_call", (void *)pj_call},
        {"pj_look", (void *)pj_look},
        {"pj_look_at", (void *)pj_look_at},
        {"pj_make", (void *)pj_make},
        {"pj_put", (void *)pj_put},
        {"pj_recheck", (void *)pj_recheck},
        {"pj_empty", (void *)pj_empty},
        {"pj_empty_later", (void *)pj_empty_later},
        {"pj_view", (void *)pj_view},
        {"pj_scratch", (void *)pj_scratch},
        {"pj_scratch_later", (void *)pj_scratch_later},
        {"pj_discard", (void *)pj_discard},
        {"pj_kept", (void *)pj_kept},
        {"pj_assign", (void *)pj_assign},
        {"pj_spread", (void *)pj_assign}, /* where nothing overlaps: it cannot fail */
        {"pj_ramp_ints", (void *)pj_ramp_ints},
        {"pj_ramp_floats", (void *)pj_ramp_floats},
        {"pj_roll", (void *)pj_roll},
        {"pj_kernel_rolled", (void *)pj_kernel_rolled},
        {"pj_mask_count", (void *)pj_mask_count},
        {"pj_pick", (void *)pj_pick},
        {"pj_place", (void *)pj_place},
        {"pj_take", (void *)pj_take},
        {"pj_list_ints", (void *)pj_list_ints},
        {"pj_bincount", (void *)pj_bincount},
        {"pj_edges", (void *)pj_edges},
        {"pj_places", (void *)pj_places},
        {"pj_histogram", (void *)pj_histogram},
        {"pj_within", (void *)pj_within},
        {"pj_add_at", (void *)pj_add_at},
        {"pj_fold", (void *)pj_fold},
        {"pj_share", (void *)pj_share},
        {"pj_kernel_into", (void *)pj_kernel_into},
        {"pj_call_aside", (void *)pj_call_aside},
        {"pj_kernel_later", (void *)pj_kernel_later},
        {"pj_catch_up", (void *)pj_catch_up},
        {"pj_settle", (void *)pj_settle},
        {"pj_let_go_later", (void *)pj_let_go_later},
        {"pj_release", (void *)pj_release},
        {"pj_retain", (void *)pj_retain},
        {"pj_list_item", (void *)pj_list_item},
        {"pj_unbox_int", (void *)pj_unbox_int},
        {"pj_fp_clear", (void *)pj_fp_clear},
        {"pj_fp_get", (void *)pj_fp_get},
        {"pj_pow", (void *)pj_pow},
        {"pj_reference", (void *)pj_reference},
        {"pj_forced", (void *)&pj_forced},
        {"pj_dot_f", dot_of(NPY_FLOAT)},
        {"pj_dot_d", dot_of(NPY_DOUBLE)},
#define X(name) {"pj_m_" #name, (void *)(uintptr_t)name},
        MATH(X)
#undef X
    };
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].address == NULL) {
            continue;
        }
        PyObject *address = PyLong_FromVoidPtr(table[i].address);
        if (address == NULL || PyDict_SetItemString(dict, table[i].name, address) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(address);
    }
    return dict;
}
