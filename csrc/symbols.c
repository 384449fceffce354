/* symbols.c - everything that generated code may name: functions of this extension, of libm and of NumPy. */
#include <math.h>
#include "helpers.h"
#include "numpy_api.h"

int64_t pj_forced;

/* ---- what is too small for a file of its own ---- */

static void pj_retain(PyObject *o)
{
    Py_XINCREF(o);
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

/* ---- the table ---- */

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
        {"pj_call_loop", (void *)pj_call_loop},
        {"pj_look", (void *)pj_look},
        {"pj_look_at", (void *)pj_look_at},
        {"pj_look_first", (void *)pj_look_first},
        {"pj_make", (void *)pj_make},
        {"pj_put", (void *)pj_put},
        {"pj_store_int", (void *)pj_store_int},
        {"pj_store_float", (void *)pj_store_float},
        {"pj_store_object", (void *)pj_store_object},
        {"pj_append_int", (void *)pj_append_int},
        {"pj_append_float", (void *)pj_append_float},
        {"pj_append_object", (void *)pj_append_object},
        {"pj_put_int", (void *)pj_put_int},
        {"pj_put_float", (void *)pj_put_float},
        {"pj_put_object", (void *)pj_put_object},
        {"pj_do", (void *)pj_do},
        {"pj_do_only", (void *)pj_do_only},
        {"pj_own_call", (void *)pj_own_call},
        {"pj_find", (void *)pj_find},
        {"pj_next", (void *)pj_next},
        {"pj_char", (void *)pj_char},
        {"pj_ord", (void *)pj_ord},
        {"pj_byte", (void *)pj_byte},
        {"pj_text_order", (void *)pj_text_order},
        {"pj_text_same", (void *)pj_text_same},
        {"pj_text_has", (void *)pj_text_has},
        {"pj_recheck", (void *)pj_recheck},
        {"pj_empty", (void *)pj_empty},
        {"pj_empty_later", (void *)pj_empty_later},
        {"pj_view", (void *)pj_view},
        {"pj_scratch", (void *)pj_scratch},
        {"pj_scratch_later", (void *)pj_scratch_later},
        {"pj_discard", (void *)pj_discard},
        {"pj_kept", (void *)pj_kept},
        {"pj_assign", (void *)pj_assign},
        {"pj_assign_around", (void *)pj_assign_around},
        {"pj_ramp_ints", (void *)pj_ramp_ints},
        {"pj_ramp_floats", (void *)pj_ramp_floats},
        {"pj_roll", (void *)pj_roll},
        {"pj_kernel_rolled", (void *)pj_kernel_rolled},
        {"pj_mask_count", (void *)pj_mask_count},
        {"pj_mask_places", (void *)pj_mask_places},
        {"pj_pick", (void *)pj_pick},
        {"pj_place", (void *)pj_place},
        {"pj_take", (void *)pj_take},
        {"pj_list_ints", (void *)pj_list_ints},
        {"pj_bincount", (void *)pj_bincount},
        {"pj_edges", (void *)pj_edges},
        {"pj_places", (void *)pj_places},
        {"pj_histogram", (void *)pj_histogram},
        {"pj_search", (void *)pj_search},
        {"pj_interp", (void *)pj_interp},
        {"pj_within", (void *)pj_within},
        {"pj_add_at", (void *)pj_add_at},
        {"pj_scattered", (void *)pj_scattered},
        {"pj_arg_extreme", (void *)pj_arg_extreme},
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
        {"pj_unbox_int", (void *)pj_unbox_int},
        {"pj_fp_clear", (void *)pj_fp_clear},
        {"pj_fp_clear_own", (void *)pj_fp_clear_own},
        {"pj_fp_get", (void *)pj_fp_get},
        {"pj_fp_get_own", (void *)pj_fp_get_own},
        {"pj_pow", (void *)pj_pow},
        {"pj_gcd", (void *)pj_gcd},
        {"pj_lcm", (void *)pj_lcm},
        {"pj_isqrt", (void *)pj_isqrt},
        {"pj_comb", (void *)pj_comb},
        {"pj_perm", (void *)pj_perm},
        {"pj_factorial", (void *)pj_factorial},
        {"pj_pow_mod", (void *)pj_pow_mod},
        {"pj_isclose", (void *)pj_isclose},
        {"pj_called", (void *)pj_called},
        {"pj_rounded", (void *)pj_rounded},
        {"pj_random_bits", (void *)pj_random_bits},
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
