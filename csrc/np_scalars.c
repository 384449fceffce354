/* np_scalars.c - NumPy scalars in and out of words. */
#define PIJIT_IMPORTS_NUMPY
#include "pijit.h"
#include "numpy_api.h"

/* X(type number, scalar struct, type object, C type, how to widen) */
#define NP_INTEGERS(X)                                                                                                \
    X(NPY_BYTE, Byte, npy_byte)                                                                                       \
    X(NPY_UBYTE, UByte, npy_ubyte)                                                                                    \
    X(NPY_SHORT, Short, npy_short)                                                                                    \
    X(NPY_USHORT, UShort, npy_ushort)                                                                                 \
    X(NPY_INT, Int, npy_int)                                                                                          \
    X(NPY_UINT, UInt, npy_uint)                                                                                       \
    X(NPY_LONG, Long, npy_long)                                                                                       \
    X(NPY_ULONG, ULong, npy_ulong)                                                                                    \
    X(NPY_LONGLONG, LongLong, npy_longlong)                                                                           \
    X(NPY_ULONGLONG, ULongLong, npy_ulonglong)

#define NP_BYTES(X)                                                                                                   \
    X(NPY_HALF, Half, npy_half)                                                                                       \
    X(NPY_FLOAT, Float, npy_float)                                                                                    \
    X(NPY_DOUBLE, Double, npy_double)                                                                                 \
    X(NPY_CFLOAT, CFloat, npy_cfloat)                                                                                 \
    X(NPY_CDOUBLE, CDouble, npy_cdouble)

PyTypeObject *pj_np_type(int typenum)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        return &Py##name##ArrType_Type;
        NP_INTEGERS(X)
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        return &PyBoolArrType_Type;
    default:
        return NULL;
    }
}

/* The scalar must be of exactly the type of typenum. 0 ok. */
int pj_unbox_np(PyObject *o, int typenum, int64_t *out)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        *out = (int64_t)((Py##name##ScalarObject *)o)->obval;                                                         \
        return 0;
        NP_INTEGERS(X)
#undef X
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        if (sizeof(ctype) < sizeof(int64_t)) {                                                                        \
            *out = 0;                                                                                                 \
        }                                                                                                             \
        memcpy(out, &((Py##name##ScalarObject *)o)->obval, sizeof(ctype));                                            \
        return 0;
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        *out = ((PyBoolScalarObject *)o)->obval != 0;
        return 0;
    default:
        return -1;
    }
}

/* Whether it is the scalar that pj_box_np makes of the words; beyond the size of its type they may hold anything. */
bool pj_is_np(PyObject *o, int typenum, const int64_t *w)
{
    if (!Py_IS_TYPE(o, pj_np_type(typenum))) {
        return false;
    }
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        return ((Py##name##ScalarObject *)o)->obval == (ctype)*w;
        NP_INTEGERS(X)
#undef X
#define X(num, name, ctype)                                                                                           \
    case num:                                                                                                         \
        return memcmp(&((Py##name##ScalarObject *)o)->obval, w, sizeof(ctype)) == 0;
        NP_BYTES(X)
#undef X
    default:
        return false;
    }
}

PyObject *pj_box_np(int typenum, const int64_t *w)
{
    switch (typenum) {
#define X(num, name, ctype)                                                                                           \
    case num: {                                                                                                       \
        PyObject *o = Py##name##ArrType_Type.tp_alloc(&Py##name##ArrType_Type, 0);                                    \
        if (o != NULL) {                                                                                              \
            ((Py##name##ScalarObject *)o)->obval = (ctype)*w;                                                         \
        }                                                                                                             \
        return o;                                                                                                     \
    }
        NP_INTEGERS(X)
#undef X
#define X(num, name, ctype)                                                                                           \
    case num: {                                                                                                       \
        PyObject *o = Py##name##ArrType_Type.tp_alloc(&Py##name##ArrType_Type, 0);                                    \
        if (o != NULL) {                                                                                              \
            memcpy(&((Py##name##ScalarObject *)o)->obval, w, sizeof(ctype));                                          \
        }                                                                                                             \
        return o;                                                                                                     \
    }
        NP_BYTES(X)
#undef X
    case NPY_BOOL:
        return Py_NewRef(*w ? PyArrayScalar_True : PyArrayScalar_False);
    default:
        PyErr_BadInternalCall();
        return NULL;
    }
}

int pj_np_init(void)
{
    import_array1(-1);
    return 0;
}
