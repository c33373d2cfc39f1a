/* Probes where an exception leaves a call, reaches a handler, or has been handled. */
#include "probe_inside.h"

#include "given.h"

#define MOST_EXCEPTION_ARGUMENTS 8

/* Return the place in this frame that raised the exception, + 1, by its traceback; 0: not known. */
static uint64_t
raise_place(Activation *activation, PyObject *exception)
{
    PyObject *traceback = ((PyBaseExceptionObject *)exception)->traceback;
    if (!traceback || !PyTraceBack_Check(traceback)) {
        return 0;
    }
    PyTracebackObject *entry = (PyTracebackObject *)traceback;
    if (!entry->tb_frame || entry->tb_frame->f_frame != activation->frame) {
        return 0;
    }
    return activation->place_base + (uint64_t)(entry->tb_lasti / 2) + 1;
}

static void
write_raise(PyObject *exception, uint64_t place)
{
    PyObject *arguments = ((PyBaseExceptionObject *)exception)->args;
    Py_ssize_t count = arguments && PyTuple_CheckExact(arguments) ? PyTuple_GET_SIZE(arguments) : 0;
    if (count > MOST_EXCEPTION_ARGUMENTS) {
        count = MOST_EXCEPTION_ARGUMENTS;
    }
    heap_meet(exception);
    WRITE(64 + MOST_EXCEPTION_ARGUMENTS * SMALL_VALUE, {
        *p++ = KIND_RAISE;
        p = put_varint(p, place);
        VALUE(exception);
        if (p) {
            p = put_varint(p, (uint64_t)count);
        }
        for (Py_ssize_t i = 0; i < count && p; i++) {
            p = encode(p, PyTuple_GET_ITEM(arguments, i));
        }
    });
}

/* Return the exception on the stack, borrowed, and its place; write a RAISE event if this is its first frame.
 * NULL: there is none. */
static inline PyObject *
raised(Probe *probe, Thread *thread, Frame *frame, uint64_t *place)
{
    if (!ON_TOP(thread, frame)) {
        return NULL;
    }
    PyObject *exception = frame->localsplus[probe->slot];
    if (!exception || !PyExceptionInstance_Check(exception)) {
        return NULL;
    }
    Activation *activation = top(thread);
    *place = raise_place(activation, exception);
    if (thread->unwinding != exception && activation->caught != exception) {
        write_raise(exception, *place);
    }
    return exception;
}

void
run_unwind(Probe *probe, Thread *thread, Frame *frame)
{
    uint64_t place;
    PyObject *exception = raised(probe, thread, frame, &place);
    if (!exception) {
        return;
    }
    Activation *activation = top(thread);
    thread->unwinding = exception;
    if (activation->is_part) {
        if (activation->is_generator) {
            generator_forget(frame);
        }
        thread->count--;
        return;
    }
    given_meet_again(thread, frame);
    WRITE(64, {
        *p++ = KIND_UNWIND;
        p = put_varint(p, place);
        VALUE(exception);
    });
    calls_pop(thread);
}

void
run_catch(Probe *probe, Thread *thread, Frame *frame)
{
    uint64_t place;
    PyObject *exception = raised(probe, thread, frame, &place);
    if (!exception) {
        return;
    }
    Activation *activation = top(thread);
    thread->unwinding = NULL;
    activation->caught = exception;
    activation->called = NULL;   /* the call may have failed before it began */
    WRITE(64, {
        HEAD();
        p = put_varint(p, place);
        VALUE(exception);
    });
}

void
run_handled(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        top(thread)->caught = NULL;
    }
}
