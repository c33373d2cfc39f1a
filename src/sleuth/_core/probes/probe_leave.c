/* Probes where a call returns, or where a generator or coroutine yields or waits. */
#include "probe_inside.h"

#include "given.h"

static inline void
write_return(Thread *thread, Frame *frame, PyObject *value)
{
    given_meet_again(thread, frame);
    heap_meet(value);
    WRITE(64, {
        *p++ = KIND_RETURN;
        p = encode(p, value);
    });
    thread->unwinding = NULL;
    calls_pop(thread);
}

void
run_return(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    if (unlikely(probe->flags & FLAG_PART)) {
        if (top(thread)->is_generator) {
            generator_forget(frame);
        }
        thread->count--;
        return;
    }
    write_return(thread, frame, frame->localsplus[probe->slot]);
}

void
run_return_const(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        write_return(thread, frame, probe->constant);
    }
}

/* Return a yielded value, borrowed: asynchronous generators wrap it. */
static PyObject *
unwrapped(PyObject *value)
{
    typedef struct { PyObject_HEAD PyObject *value; } Wrapped;
    int is_wrapped = value && strcmp(Py_TYPE(value)->tp_name, "async_generator_wrapped_value") == 0;
    return is_wrapped ? ((Wrapped *)value)->value : value;
}

void
run_suspend(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject *given = unwrapped(frame->localsplus[probe->slot]);
    given_meet_again(thread, frame);
    heap_meet(given);
    WRITE(64, {
        *p++ = KIND_SUSPEND;
        *p++ = (probe->flags & FLAG_WAITS ? SUSPEND_WAITS : 0) | SUSPEND_HAS_PLACE;
        p = put_varint(p, place_of(top(thread)));
        VALUE(given);
    });
    int ends_task = top(thread)->is_task_root;
    thread->count--;
    calls_give_back(thread);
    if (unlikely(ends_task)) {
        calls_leave_task(thread);
    }
}
