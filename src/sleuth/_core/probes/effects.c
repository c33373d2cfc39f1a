/* Changes that are made by code that is not recorded.
 *
 * A probe right before a call sees the callee and the arguments.  What many builtin methods change is known
 * beforehand, and is written at once.  For other callees, the receiver, the arguments and the objects that
 * they lead to are listed (`pending`), and compared at the caller's next event, after the call.
 */
#include "effects.h"

#include "arrays.h"
#include "heap.h"
#include "identity.h"
#include "names.h"
#include "namespace.h"
#include "probe.h"

#define MOST_GIVEN 64        /* up to this many arguments are looked at for free */

/* Code that is not recorded runs from now on until the next event of this call. */
static void
expect_changes(Thread *thread, Activation *activation, int doubts)
{
    if (!heap_is_on) {
        return;
    }
    if (!activation->is_waiting) {
        activation->is_waiting = 1;
        activation->pending = thread->pending_count;
        activation->pending_place = place_of(activation);
        activation->doubts = activation->adds = 0;
    }
    activation->doubts |= (uint8_t)doubts;
    if (unlikely(heap_stale_count) && (doubts || heap_is_exposed)) {
        heap_freshen();
    }
}

static int
add_pending(void *context, PyObject *object)
{
    Thread *thread = context;
    if (unlikely(heap_stale_count)) {
        heap_freshen_one(object);
    }
    if (thread->pending_count == thread->pending_room) {
        uint32_t room = thread->pending_room ? thread->pending_room * 2 : 64;
        PyObject **grown = PyMem_RawRealloc(thread->pending, room * sizeof(PyObject *));
        if (!grown) {
            return 1;
        }
        thread->pending = grown;
        thread->pending_room = room;
    }
    thread->pending[thread->pending_count++] = object;
    return 0;
}

/* List an object and the objects that it leads to. */
static void
expect_deep_change(Thread *thread, Activation *activation, PyObject *object)
{
    if (object && heap_is_on && !heap_is_atom(object)) {
        expect_changes(thread, activation, 0);
        PyObject *globals = PyModule_Check(object) ? PyModule_GetDict(object)
                          : PyDict_CheckExact(object) ? object : NULL;
        if (globals && namespace_id(globals)) {
            add_pending(thread, globals);
            return;
        }
        heap_reach(object, add_pending, thread);
    }
}

void
effects_on(Thread *thread, Activation *activation, PyObject *object)
{
    if (object && heap_is_on && !heap_is_atom(object)) {
        /* An object that can die unnoticed can't be looked at later: it is compared when it is met again. */
        int is_probable = identity_of(object) & 1;
        expect_changes(thread, activation, is_probable);
        if (arrays_type()) {
            /* The receiver may stand for another object: df.loc[...] = ... */
            expect_deep_change(thread, activation, object);
        }
        else if (!is_probable) {
            add_pending(thread, object);
        }
    }
}

static int
is_recorded_function(PyObject *callable)
{
    if (!PyFunction_Check(callable)) {
        return 0;
    }
    /* In recorded code, the last constant is a probe. */
    PyObject *constants = ((PyCodeObject *)PyFunction_GET_CODE(callable))->co_consts;
    Py_ssize_t size = PyTuple_GET_SIZE(constants);
    return size && Py_IS_TYPE(PyTuple_GET_ITEM(constants, size - 1), &ProbeType);
}

/* Return the recorded `__call__` of an instance, borrowed; NULL: there is none. */
static PyObject *
recorded_method_of(PyObject *callable)
{
    static PyObject *call_name;
    PyTypeObject *type = Py_TYPE(callable);
    if (likely(!(type->tp_flags & Py_TPFLAGS_HEAPTYPE))) {
        return NULL;
    }
    PyObject *method = find_in_type(type, &call_name, "__call__");
    return method && is_recorded_function(method) ? method : NULL;
}

/* Tell whether a call of a class only makes a plain object and runs a recorded __init__. */
static int
is_recorded_class(PyTypeObject *type)
{
    if (!Py_IS_TYPE(type, &PyType_Type) || type->tp_new != PyBaseObject_Type.tp_new) {
        return 0;
    }
    static PyObject *init_name;
    PyObject *init = find_in_type(type, &init_name, "__init__");
    return type->tp_init == PyBaseObject_Type.tp_init || (init && is_recorded_function(init));
}

static int
is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(name, *names) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *const pure_functions[] = {
    "len", "isinstance", "issubclass", "print", "repr", "abs", "min", "max", "sum", "sorted", "any",
    "all", "ord", "chr", "hash", "id", "round", "divmod", "pow", "hex", "bin", "oct", "format",
    "callable", "iter", "next", "getattr", "hasattr", "ascii", "dir", NULL};
static const char *const reading_methods[] = {
    "get", "keys", "items", "values", "copy", "union", "intersection", "difference", "issubset",
    "issuperset", "isdisjoint", "symmetric_difference", "__contains__", "__getitem__", NULL};

/* A function written in C is about to be called; `self` is the object of a method. */
static void
call_builtin(Thread *thread, Activation *activation, const char *name, PyObject *self,
             PyObject *const *args, int count)
{
    if (self && PyList_CheckExact(self)) {
        if (!heap_before_list_method(self, name, args, count, place_of(activation))) {
            effects_on(thread, activation, self);
        }
        return;
    }
    if (self && (PyDict_CheckExact(self) || PyAnySet_CheckExact(self))) {
        if (is_one_of(name, reading_methods)) {
            return;
        }
        heap_meet(self);
        effects_on(thread, activation, self);
        if (count == 1 && PyAnySet_CheckExact(self) && strcmp(name, "add") == 0 && heap_is_on) {
            activation->adds = 1;
            add_pending(thread, args[0]);
        }
        return;
    }
    if (self && PyModule_CheckExact(self)) {
        self = NULL;
        if (is_one_of(name, pure_functions)) {
            return;
        }
    }
    if (self && (heap_is_atom(self) || PyTuple_CheckExact(self))) {
        return;
    }
    int doubts = strcmp(name, "exec") == 0 || strcmp(name, "eval") == 0;
    if (strcmp(name, "vars") == 0 || strcmp(name, "globals") == 0 || strcmp(name, "locals") == 0) {
        heap_is_exposed = doubts = 1;
    }
    for (int i = -1; i < count; i++) {
        PyObject *given = i < 0 ? self : args[i];
        expect_deep_change(thread, activation, given);
        /* An argument that is no plain container may have code of its own. */
        doubts |= given && i >= 0 && !heap_is_atom(given) && !PyList_CheckExact(given)
            && !PyDict_CheckExact(given) && !PyTuple_CheckExact(given)
            && !PyAnySet_CheckExact(given);
    }
    if (doubts) {
        expect_changes(thread, activation, 1);
    }
}

void
effects_of_call(Thread *thread, PyObject **slots, int count, int unpacks)
{
    namespace_settle();
#if PY_VERSION_HEX >= 0x030D0000
    PyObject *callable = slots[0], *self = slots[1];
#else
    PyObject *callable = slots[0] ? slots[0] : slots[1], *self = slots[0] ? slots[1] : NULL;
#endif
    PyObject *const *args = &slots[2];
    if (unpacks) {
        /* f(*args): the arguments are in a tuple */
        count = slots[2] && PyTuple_CheckExact(slots[2]) ? (int)PyTuple_GET_SIZE(slots[2]) : 0;
        args = count ? &PyTuple_GET_ITEM(slots[2], 0) : NULL;
    }
    Activation *activation = top(thread);
    activation->called = NULL;
    if (!callable) {
        return;
    }
    if (PyMethod_Check(callable)) {
        self = PyMethod_GET_SELF(callable);
        callable = PyMethod_GET_FUNCTION(callable);
    }
    if (is_recorded_function(callable)) {
        activation->called = callable;
        return;
    }
    activation->called = recorded_method_of(callable);
    if (unlikely(count > MOST_GIVEN) && !heap_pay(count)) {
        expect_changes(thread, activation, 1);   /* the arguments are compared when they are met again */
        count = 0;
    }
    for (int i = 0; i < count; i++) {
        /* An iterator written in C, such as that of map, may call any code for its next item. */
        if (args[i] && Py_TYPE(args[i])->tp_iternext && !PyGen_CheckExact(args[i])
            && !(Py_TYPE(args[i])->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
            expect_changes(thread, activation, 1);
            expect_deep_change(thread, activation, args[i]);
        }
    }
    if (Py_IS_TYPE(callable, &PyMethodDescr_Type)) {
        PyObject *receiver = self ? self : count ? args[0] : NULL;
        int skipped = !self && count;
        call_builtin(thread, activation, ((PyMethodDescrObject *)callable)->d_method->ml_name, receiver,
                     args + skipped, count - skipped);
        return;
    }
    if (PyCFunction_CheckExact(callable)) {
        call_builtin(thread, activation, ((PyCFunctionObject *)callable)->m_ml->ml_name,
                     PyCFunction_GET_SELF(callable), args, count);
        return;
    }
    if (PyType_Check(callable)
        && (!(((PyTypeObject *)callable)->tp_flags & Py_TPFLAGS_HEAPTYPE)
            || is_recorded_class((PyTypeObject *)callable))) {
        return;   /* list(x), str(x), ...: makes a new object; or all code that runs is recorded */
    }
    expect_changes(thread, activation, 1);
    if (!PyFunction_Check(callable) && !PyType_Check(callable)) {
        expect_deep_change(thread, activation, callable);
    }
    expect_deep_change(thread, activation, self);
    for (int i = 0; i < count; i++) {
        expect_deep_change(thread, activation, args[i]);
    }
}

void
effects_on_globals(Thread *thread, PyObject *globals)
{
    if (heap_is_on && globals && namespace_id(globals)) {
        expect_changes(thread, top(thread), 0);
        add_pending(thread, globals);
    }
}

void
effects_settle(Thread *thread, Activation *activation)
{
    uint32_t first = activation->pending, last = thread->pending_count;
    activation->is_waiting = 0;
    thread->pending_count = first;
    if (activation->doubts) {
        heap_doubt();
        heap_give_up_stale();
    }
    PyObject **pending = thread->pending;
    if (activation->adds && last - first >= 2
        && heap_grown(pending[first], pending[first + 1], activation->pending_place)) {
        return;
    }
    last = activation->adds && last > first ? first + 1 : last;
    for (uint32_t i = first; i < last; i++) {
        heap_look(pending[i], activation->pending_place);
    }
    if (heap_is_exposed) {
        heap_doubt();
    }
}
