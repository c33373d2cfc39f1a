/* Filters the events that tracing functions and monitoring tools of the program get: those of inserted
 * instructions are dropped, and offsets are those of plain code.
 *
 * The interpreter calls a tracing function through a C function; ours is put before that.  The callback of a
 * monitoring tool is wrapped when it is registered, and unwrapped when it is returned.
 */
#include "twins_events.h"

#include "hooks.h"
#include "twins.h"

/* --- sys.settrace */

static PyCFunction settrace_original, settrace_all_original;
static Py_tracefunc trampoline;

static int
trace(PyObject *function, PyFrameObject *frame, int what, PyObject *arg)
{
    if (what == PyTrace_OPCODE) {
        PyObject *code = (PyObject *)FRAME_CODE(frame->f_frame);
        if (!twins_seen(code, FRAME_UNIT(frame->f_frame)).is_own) {
            return 0;
        }
    }
    return trampoline(function, frame, what, arg);
}

static void
stand_before(PyThreadState *state)
{
    if (state->c_tracefunc && state->c_tracefunc == trampoline) {
        state->c_tracefunc = trace;
    }
}

static PyObject *
settrace(PyObject *module, PyObject *function)
{
    PyObject *result = settrace_original(module, function);
    PyThreadState *state = _PyThreadState_GET();
    if (result && function != Py_None) {
        if (!trampoline && state->c_tracefunc) {
            trampoline = state->c_tracefunc;
        }
        stand_before(state);
    }
    return result;
}

static PyObject *
settrace_all(PyObject *module, PyObject *function)
{
    PyObject *result = settrace_all_original(module, function);
    PyThreadState *state = _PyThreadState_GET();
    if (!trampoline && result && function != Py_None) {
        trampoline = state->c_tracefunc;
    }
    for (state = PyInterpreterState_ThreadHead(state->interp); result && state;
         state = PyThreadState_Next(state)) {
        stand_before(state);
    }
    return result;
}

/* --- sys.monitoring */

#if HAS_MONITORING

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *function;
    int offsets;        /* how many of the arguments after the code are offsets */
    int of_instruction; /* the event is about an instruction that plain code may not have */
} Callback;

static PyTypeObject CallbackType;
static PyCFunction register_original;

static int
unit_of(PyObject *offset)
{
    return (int)(PyLong_AsLong(offset) / (long)sizeof(_Py_CODEUNIT));
}

/* Map a unit to the twin.  (An exception leaves recorded code at an inserted instruction; then the frame has
 * the instruction that raised it.) */
static PlainUnit
seen_in(PyObject *code, int unit)
{
    PlainUnit seen = twins_seen(code, unit);
    Frame *frame = CURRENT_FRAME(_PyThreadState_GET());
    if (!seen.is_own && frame && !FRAME_IS_SHIM(frame) && (PyObject *)FRAME_CODE(frame) == code) {
        seen.unit = twins_seen(code, FRAME_UNIT(frame)).unit;
    }
    return seen;
}

static PyObject *
call(PyObject *self, PyObject *const *args, size_t count, PyObject *names)
{
    Callback *callback = (Callback *)self;
    PyObject *given[8];
    Py_ssize_t all = PyVectorcall_NARGS(count);
    if (names || all < 2 || all > 7 || !twins_has(args[0])) {
        return PyObject_Vectorcall(callback->function, args, (size_t)all, names);
    }
    memcpy(given + 1, args, (size_t)all * sizeof(PyObject *));
    int made = 0;
    for (; made < callback->offsets && made + 1 < all; made++) {
        PlainUnit seen = made ? twins_seen(args[0], unit_of(args[made + 1]))   /* a jump's target */
                              : seen_in(args[0], unit_of(args[1]));
        if (made == 0 && !seen.is_own && callback->of_instruction) {
            Py_RETURN_NONE;
        }
        given[made + 2] = PyLong_FromLong(seen.unit * (long)sizeof(_Py_CODEUNIT));
        if (!given[made + 2]) {
            break;
        }
    }
    PyObject *result = PyErr_Occurred() ? NULL
        : PyObject_Vectorcall(callback->function, given + 1,
                              (size_t)all | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    while (made > 0) {
        Py_DECREF(given[made-- + 1]);
    }
    return result;
}

static void
callback_dealloc(PyObject *self)
{
    Py_XDECREF(((Callback *)self)->function);
    PyObject_Free(self);
}

static PyTypeObject CallbackType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sleuth._core.Callback",
    .tp_basicsize = sizeof(Callback),
    .tp_dealloc = callback_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_vectorcall_offset = offsetof(Callback, call),
    .tp_call = PyVectorcall_Call,
};

static PyObject *
wrap(PyObject *function, PyObject *event)
{
    int overflow;
    long bit = PyLong_CheckExact(event) ? PyLong_AsLongAndOverflow(event, &overflow) : 0;
    if (function == Py_None || bit <= 0 || bit == 1 << PY_MONITORING_EVENT_LINE) {
        return Py_NewRef(function);
    }
    Callback *callback = PyObject_New(Callback, &CallbackType);
    if (callback) {
        int has_target = bit == 1 << PY_MONITORING_EVENT_JUMP || bit == 1 << PY_MONITORING_EVENT_BRANCH;
        callback->of_instruction = has_target || bit == 1 << PY_MONITORING_EVENT_INSTRUCTION
            || bit == 1 << PY_MONITORING_EVENT_EXCEPTION_HANDLED
            || bit == 1 << PY_MONITORING_EVENT_RERAISE;
        callback->call = call;
        callback->function = Py_NewRef(function);
        callback->offsets = 1 + has_target;
    }
    return (PyObject *)callback;
}

static PyObject *
unwrapped(PyObject *callback)
{
    if (!callback || !Py_IS_TYPE(callback, &CallbackType)) {
        return callback;
    }
    PyObject *function = Py_NewRef(((Callback *)callback)->function);
    Py_DECREF(callback);
    return function;
}

static PyObject *
register_callback(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    typedef PyObject *(*Function)(PyObject *, PyObject *const *, Py_ssize_t);
    Function original = (Function)(void (*)(void))register_original;
    if (count != 3) {
        return original(module, args, count);
    }
    PyObject *ours = wrap(args[2], args[1]);
    if (!ours) {
        return NULL;
    }
    PyObject *const given[] = {args[0], args[1], ours};
    PyObject *before = original(module, given, 3);
    Py_DECREF(ours);
    return unwrapped(before);
}

static void
listen_to_tools(void)
{
    PyObject *monitoring = PySys_GetObject("monitoring");
    if (monitoring && PyType_Ready(&CallbackType) == 0) {
        hooks_exchange(monitoring, "register_callback", METH_FASTCALL, &register_original,
                       (PyCFunction)(void (*)(void))register_callback);
    }
    PyErr_Clear();
}

#else

static void
listen_to_tools(void)
{
}

#endif

void
twins_events_start(void)
{
    PyObject *sys = PyImport_ImportModule("sys");
    hooks_exchange(sys, "settrace", METH_O, &settrace_original, settrace);
    hooks_exchange(sys, "_settraceallthreads", METH_O, &settrace_all_original, settrace_all);
    Py_XDECREF(sys);
    listen_to_tools();
}
