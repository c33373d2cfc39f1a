/* Differences between the versions of CPython, and access to the interpreter's inner structures. */
#ifndef SLEUTH_COMPAT_H
#define SLEUTH_COMPAT_H

#ifndef Py_BUILD_CORE_MODULE
#define Py_BUILD_CORE_MODULE 1
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <structmember.h>

#include "internal/pycore_frame.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_pystate.h"

#ifdef Py_GIL_DISABLED
#error "Sleuth needs the global interpreter lock"
#endif

typedef struct _PyInterpreterFrame Frame;

#if PY_VERSION_HEX >= 0x030D0000
#define FRAME_CODE(f) ((PyCodeObject *)(f)->f_executable)
#define FRAME_UNIT(f) ((int)((f)->instr_ptr - _PyCode_CODE(FRAME_CODE(f))))
#define CURRENT_FRAME(ts) ((ts)->current_frame)
#else
#define FRAME_CODE(f) ((f)->f_code)
#define FRAME_UNIT(f) ((int)((f)->prev_instr - _PyCode_CODE(FRAME_CODE(f))))
#define CURRENT_FRAME(ts) ((ts)->cframe->current_frame)
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define FRAME_FUNCTION(f) ((f)->f_funcobj)
#else
#define FRAME_FUNCTION(f) ((PyObject *)(f)->f_func)
#endif

/* A frame that only marks an entry from C code; it runs no bytecode. */
#if PY_VERSION_HEX >= 0x030C0000
#define FRAME_IS_SHIM(f) ((f)->owner == FRAME_OWNED_BY_CSTACK)
#else
#define FRAME_IS_SHIM(f) 0
#endif

/* Sixteen bits of a new frame that the interpreter does not use before the frame's first call, and that
 * are copied when the frame becomes a generator's.  The recorder keeps a tag there: generators.h. */
#if PY_VERSION_HEX >= 0x030C0000
#define FRAME_SET_TAG(f, tag) ((f)->return_offset = (uint16_t)(tag))
#define FRAME_GET_TAG(f) ((uint16_t)(f)->return_offset)
#else
_Static_assert(offsetof(struct _PyInterpreterFrame, localsplus)
               - offsetof(struct _PyInterpreterFrame, owner) >= 3, "no room for the tag");
static inline void FRAME_SET_TAG(Frame *f, uint16_t tag) { memcpy(&f->owner + 1, &tag, 2); }
static inline uint16_t FRAME_GET_TAG(Frame *f)
{
    uint16_t tag;
    memcpy(&tag, &f->owner + 1, 2);
    return tag;
}
#endif

/* The id of the newest thread state. */
#define LAST_THREAD_ID(interpreter) ((interpreter)->threads.next_unique_id)

/* The offset + 1 of the yield at which a frame waits, or which it has just left (it is at the probe behind
 * the yield); 0: not known.  Needed on 3.11 only, where some yields have no probe before them. */
#if PY_VERSION_HEX >= 0x030C0000
#define FRAME_YIELDED(f) ((uint64_t)0)
#else
#include <opcode.h>
static inline uint64_t FRAME_YIELDED(Frame *f)
{
    _Py_CODEUNIT *code = _PyCode_CODE(f->f_code);
    int unit = (int)(f->prev_instr - code);
    for (; unit > 0; unit--) {
        int opcode = _Py_OPCODE(code[unit]);
        if (opcode == YIELD_VALUE) {
            return (uint64_t)unit + 1;
        }
        if (opcode != UNARY_NEGATIVE && opcode != LOAD_CONST && opcode != EXTENDED_ARG
            && opcode != EXTENDED_ARG_QUICK && opcode != RESUME && opcode != RESUME_QUICK) {
            return 0;
        }
    }
    return 0;
}
#endif

/* Give the running thread its full recursion limits again, so that the program starts with them.  From
 * 3.12 on there is a second limit, for calls through C.  Its value differs between releases, so it is taken
 * from a thread state that is made for this. */
static inline void
reset_recursion(PyThreadState *state)
{
#if PY_VERSION_HEX >= 0x030C0000
    state->py_recursion_remaining = state->py_recursion_limit;
    PyThreadState *fresh = PyThreadState_New(state->interp);
    if (fresh) {
        state->c_recursion_remaining = fresh->c_recursion_remaining;
        PyThreadState_Clear(fresh);
        PyThreadState_Delete(fresh);
    }
#else
    state->recursion_remaining = state->recursion_limit;
#endif
}

#if PY_VERSION_HEX >= 0x030D0000
#define IS_FINALIZING() Py_IsFinalizing()
#else
#define IS_FINALIZING() _Py_IsFinalizing()
#endif

/* sys.modules, borrowed; NULL: it is no plain dict, or gone at the interpreter's end.  The interpreter's
 * own function would abort the process in that case. */
static inline PyObject *
loaded_modules(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *modules = _PyThreadState_GET()->interp->imports.modules;
#else
    PyObject *modules = _PyThreadState_GET()->interp->modules;
#endif
    return modules && PyDict_CheckExact(modules) ? modules : NULL;
}

/* A loaded module by its name, borrowed; NULL: it is not loaded. */
static inline PyObject *
loaded_module(const char *name)
{
    PyObject *modules = loaded_modules();
    PyObject *module = modules ? PyDict_GetItemString(modules, name) : NULL;
    return module && PyModule_CheckExact(module) ? module : NULL;
}

#if PY_VERSION_HEX >= 0x030C0000
#define LONG_IS_COMPACT(o) PyUnstable_Long_IsCompact((PyLongObject *)(o))
#define LONG_COMPACT_VALUE(o) PyUnstable_Long_CompactValue((PyLongObject *)(o))
#else
#define LONG_IS_COMPACT(o) (Py_SIZE(o) >= -1 && Py_SIZE(o) <= 1)
#define LONG_COMPACT_VALUE(o) (Py_SIZE(o) * (Py_ssize_t)((PyLongObject *)(o))->ob_digit[0])
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define LONG_DIGITS(o) ((Py_ssize_t)(((PyLongObject *)(o))->long_value.lv_tag >> 3))
#define LONG_DIGIT(o, i) (((PyLongObject *)(o))->long_value.ob_digit[i])
#else
#define LONG_DIGITS(o) (Py_SIZE(o) < 0 ? -Py_SIZE(o) : Py_SIZE(o))
#define LONG_DIGIT(o, i) (((PyLongObject *)(o))->ob_digit[i])
#endif

#if PY_VERSION_HEX >= 0x030D0000
#define LONG_AS_BYTES(o, out, n) \
    _PyLong_AsByteArray((PyLongObject *)(o), (out), (n), 1, 1, 0)
#else
#define LONG_AS_BYTES(o, out, n) _PyLong_AsByteArray((PyLongObject *)(o), (out), (n), 1, 1)
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define CODE_NEW PyUnstable_Code_NewWithPosOnlyArgs
#define CODE_EXTRA_INDEX PyUnstable_Eval_RequestCodeExtraIndex
#define CODE_GET_EXTRA PyUnstable_Code_GetExtra
#define CODE_SET_EXTRA PyUnstable_Code_SetExtra
#else
#define CODE_NEW PyCode_NewWithPosOnlyArgs
#define CODE_EXTRA_INDEX _PyEval_RequestCodeExtraIndex
#define CODE_GET_EXTRA _PyCode_GetExtra
#define CODE_SET_EXTRA _PyCode_SetExtra
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define HAS_MONITORING 1
#include "internal/pycore_instruments.h"
#else
#define HAS_MONITORING 0
#endif

/* From 3.12 on comprehensions are inlined into the code around them. */
#define HAS_CODE_OF_COMPREHENSIONS (PY_VERSION_HEX < 0x030C0000)

/* The calling convention of the functions of `marshal`. */
#if PY_VERSION_HEX >= 0x030D0000
#define MARSHAL_FLAGS (METH_FASTCALL | METH_KEYWORDS)
#define MARSHAL_PARAMETERS \
    PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names
#define MARSHAL_NAMES names
#define MARSHAL_CALL(f, module, args, count, names) \
    ((Named)(void (*)(void))(f))((module), (args), (count), (names))
#else
#define MARSHAL_FLAGS METH_FASTCALL
#define MARSHAL_PARAMETERS PyObject *module, PyObject *const *args, Py_ssize_t count
#define MARSHAL_NAMES NULL
#define MARSHAL_CALL(f, module, args, count, names) \
    ((Plain)(void (*)(void))(f))((module), (args), (count))
#endif

/* The calling convention of `eval`; from 3.13 on `eval` and `exec` also take the namespaces by keyword. */
#if PY_VERSION_HEX >= 0x030D0000
#define EXEC_HAS_NAMES 1
#define EVAL_FLAGS (METH_FASTCALL | METH_KEYWORDS)
#define EVAL_PARAMETERS \
    PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names
#define EVAL_NAMES names
#else
#define EXEC_HAS_NAMES 0
#define EVAL_FLAGS METH_FASTCALL
#define EVAL_PARAMETERS PyObject *module, PyObject *const *args, Py_ssize_t count
#define EVAL_NAMES NULL
#endif

#if PY_VERSION_HEX >= 0x030C0000
#define UNICODE_IS_READY(o) 1
#else
#define UNICODE_IS_READY(o) PyUnicode_IS_READY(o)
#endif

#endif
