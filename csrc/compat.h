/* compat.h - every difference between CPython 3.11, 3.12 and 3.13 that the extension depends on: here those of code and frames,
 * in compat_interpreter.h those of interpreters and threads, in compat_objects.h those of objects.
 *
 * These three alone look at PY_VERSION_HEX, and this one alone includes CPython's internal headers. The rest of the sources
 * sees the names that they define. */
#ifndef PIJIT_COMPAT_H
#define PIJIT_COMPAT_H

#define PY_SSIZE_T_CLEAN
#define Py_BUILD_CORE_MODULE 1 /* the internal headers, as CPython's own extension modules see them */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" /* CPython's headers are not clean under -Wextra */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include <Python.h>

#if defined(PYPY_VERSION) || defined(GRAALVM_PYTHON)
#error "pijit needs CPython 3.11, 3.12 or 3.13"
#endif
#if PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#error "pijit needs CPython 3.11, 3.12 or 3.13"
#endif
#ifdef Py_GIL_DISABLED
#error "pijit needs a CPython with the GIL: the free-threaded build is not supported"
#endif

#include <frameobject.h>
#include <internal/pycore_code.h>
#include <internal/pycore_dict.h>
#include <internal/pycore_frame.h>
#include <internal/pycore_interp.h>
#include <internal/pycore_object.h>
#include <internal/pycore_pystate.h>
#include <opcode.h>
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#endif
#if PY_VERSION_HEX >= 0x030C0000
#include <internal/pycore_hashtable.h>
#include <internal/pycore_range.h>
#endif
#if PY_VERSION_HEX >= 0x030D0000
#include <internal/pycore_ceval.h>
#endif
#pragma GCC diagnostic pop

typedef struct _PyInterpreterFrame PjFrame;

/* Which Python the extension is for, as in Py_Version >> 16. */
#define PJ_COMPILED_FOR (PY_VERSION_HEX >> 16)

/* 3.12: RETURN_VALUE clears and pops a frame in the interpreter loop, so whoever finishes a frame clears it.
 * 3.11: _PyEval_Vector clears the frame after the hook has returned. */
#define PJ_CALLER_CLEARS (PY_VERSION_HEX < 0x030C0000)

/* 3.12: sys.monitoring. */
#define PJ_MONITORING (PY_VERSION_HEX >= 0x030C0000)

/* 3.12: opcode that leaves _PyEval_EvalFrameDefault with the frame alive. 3.11: RETURN_VALUE does (the caller clears). */
#if PJ_CALLER_CLEARS
#define PJ_EXIT_OPCODE RETURN_VALUE
#else
#define PJ_EXIT_OPCODE INTERPRETER_EXIT
#endif

/* 3.13: superinstructions are made by the compiler and are one code unit; before, by quickening, over two units. */
#define PJ_PAIRED_SUPERINSTRUCTIONS (PY_VERSION_HEX < 0x030D0000)

/* Instructions that set something for the next one in the interpreter's C variables. 3.13: KW_NAMES became CALL_KW. */
#if PY_VERSION_HEX < 0x030D0000
#define PJ_IS_PREFIX(op) ((op) == EXTENDED_ARG || (op) == KW_NAMES)
#else
#define PJ_IS_PREFIX(op) ((op) == EXTENDED_ARG)
#endif

/* 3.12: PRECALL is gone. */
#if PY_VERSION_HEX < 0x030C0000
#define PJ_IS_PRECALL(op) ((op) == PRECALL)
#else
#define PJ_IS_PRECALL(op) 0
#endif

/* 3.12: calls that were specialised for a function look at its vectorcall again when its version is 0. */
#define PJ_OWN_CALLS (PY_VERSION_HEX >= 0x030C0000)

/* 3.12: conditional jumps go forward only. */
#define PJ_CONDITIONAL_BACKWARD (PY_VERSION_HEX < 0x030C0000)
#if PJ_CONDITIONAL_BACKWARD
#define PJ_IS_CONDITIONAL(op)                                                                                         \
    ((op) == POP_JUMP_BACKWARD_IF_TRUE || (op) == POP_JUMP_BACKWARD_IF_FALSE || (op) == POP_JUMP_BACKWARD_IF_NONE ||  \
     (op) == POP_JUMP_BACKWARD_IF_NOT_NONE)
#else
#define PJ_IS_CONDITIONAL(op) 0
#endif

/* ---- frame fields: only frame.h and frame.c use these ---- */

#if PY_VERSION_HEX >= 0x030D0000
#define PJF_CODE(f) ((PyCodeObject *)(f)->f_executable)
#define PJF_SET_CODE(f, c) ((f)->f_executable = (PyObject *)(c))
#define PJF_FUNC(f) ((PyFunctionObject *)(f)->f_funcobj)
#define PJF_SET_FUNC(f, function) ((f)->f_funcobj = (PyObject *)(function))
#define PJF_IP(f) ((f)->instr_ptr)
#define PJF_IP_LEFT 0   /* after the exit opcode at X: ip = X + this */
#define PJF_IP_RESUME 0 /* to run X next */
#define PJF_IP_CALL 0   /* looks like a frame in the middle of X */
#define PJF_IP_RAISE 1  /* handler lookup uses the unit before ip; see pj_frame_raise_at */
#elif PY_VERSION_HEX >= 0x030C0000
#define PJF_CODE(f) ((f)->f_code)
#define PJF_SET_CODE(f, c) ((f)->f_code = (PyCodeObject *)(c))
#define PJF_FUNC(f) ((PyFunctionObject *)(f)->f_funcobj)
#define PJF_SET_FUNC(f, function) ((f)->f_funcobj = (PyObject *)(function))
#define PJF_IP(f) ((f)->prev_instr)
#define PJF_IP_LEFT 0
#define PJF_IP_RESUME (-1)
#define PJF_IP_CALL 0
#define PJF_IP_RAISE 0
#else
#define PJF_CODE(f) ((f)->f_code)
#define PJF_SET_CODE(f, c) ((f)->f_code = (PyCodeObject *)(c))
#define PJF_FUNC(f) ((f)->f_func)
#define PJF_SET_FUNC(f, function) ((f)->f_func = (function))
#define PJF_IP(f) ((f)->prev_instr)
#define PJF_IP_LEFT 0
#define PJF_IP_RESUME (-1)
#define PJF_IP_CALL 0
#define PJF_IP_RAISE 0
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define PJ_CURRENT(ts) ((ts)->current_frame)
#else
#define PJ_CURRENT(ts) ((ts)->cframe->current_frame)
#endif

/* A kept PyFrameObject's f_locals cache flag went away with 3.13's write-through proxies. */
#if PY_VERSION_HEX >= 0x030D0000
#define PJ_FRAME_OBJECT_RESET(fo) ((void)0)
#else
#define PJ_FRAME_OBJECT_RESET(fo) ((fo)->f_fast_as_locals = 0)
#endif

/* ---- code objects ---- */

#if PY_VERSION_HEX >= 0x030C0000
#define pj_request_extra_index PyUnstable_Eval_RequestCodeExtraIndex
#define pj_grow_code_extra PyUnstable_Code_SetExtra
#else
#define pj_request_extra_index _PyEval_RequestCodeExtraIndex
#define pj_grow_code_extra _PyCode_SetExtra
#endif

/* Mirrors _PyCodeObjectExtra of codeobject.c, the same in all three versions. */
typedef struct {
    Py_ssize_t size;
    void *extras[1];
} PjCodeExtra;

static inline void *pj_code_extra(PyCodeObject *code, Py_ssize_t index)
{
    PjCodeExtra *extra = (PjCodeExtra *)code->co_extra;
    return extra != NULL && index < extra->size ? extra->extras[index] : NULL;
}

/* CPython's own function makes room for every user there is, and then calls the free function of each, with NULL, also for
 * code objects that it never touched: Python code (ctypes) at the end of the interpreter, for one. So room is made here for
 * the users up to ours only. 0 or -1 with an exception. */
static inline int pj_set_code_extra(PyCodeObject *code, Py_ssize_t index, void *value)
{
    if (code->co_extra != NULL) {
        return pj_grow_code_extra((PyObject *)code, index, value);
    }
    PjCodeExtra *extra = PyMem_Calloc(1, sizeof(PjCodeExtra) + (size_t)index * sizeof(void *));
    if (extra == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    extra->size = index + 1;
    extra->extras[index] = value;
    code->co_extra = (void *)extra;
    return 0;
}

static inline uint8_t pj_opcode_at(PyCodeObject *code, int pc)
{
    return ((uint8_t *)_PyCode_CODE(code))[2 * pc];
}

static inline void pj_write_unit(PyCodeObject *code, int pc, uint8_t opcode, uint8_t oparg)
{
    uint8_t *unit = (uint8_t *)_PyCode_CODE(code) + 2 * pc;
    unit[0] = opcode;
    unit[1] = oparg;
}

#endif
