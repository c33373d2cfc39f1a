/* Events that no probe writes: output, children, the end of recording; and the change of segments. */
#include "events.h"

#include "calls.h"
#include "thread.h"

/* Return the running thread; NULL: it is not recorded. */
static Thread *
thread_here(void)
{
    PyThreadState *state = _PyThreadState_GET();
    /* Subinterpreters can have locks of their own, so they are not recorded. */
    return ring.on && state->interp == PyInterpreterState_Main() ? this_thread(state) : NULL;
}

void
event_output(int stream, PyObject *text)
{
    Thread *thread = thread_here();
    if (thread) {
        Activation *caller = calls_running(thread, _PyThreadState_GET());
        uint64_t place = caller ? place_of(caller) : 0;
        WRITE(64, {
            *p++ = KIND_OUTPUT;
            *p++ = (uint8_t)(stream | OUTPUT_HAS_PLACE);
            p = put_varint(p, place);
            VALUE(text);
        });
    }
}

void
event_child(uint64_t pid, const char *how)
{
    if (thread_here()) {
        WRITE(64, {
            *p++ = KIND_CHILD;
            p = put_varint(p, pid);
            p = encode_utf8(p, how, strlen(how));
        });
    }
}

/* --- the end of a segment */

static void
write_stopped(const char *why)
{
    uint8_t *p = ring.pos;
    *p++ = KIND_STOPPED;
    p = encode_utf8(p, why, strlen(why));
    ring_commit(p);
    ring.moment++;
}

void
ring_overrun(void)
{
#ifdef SLEUTH_GUARDS
    ring_fault = 0;
#endif
    write_stopped("the recorder met a value that it could not write");
    ring_stop();
}

uint8_t *
write_in_new_segment(void)
{
    if (!ring_next_segment()) {
        return NULL;
    }
    if (ring.control->stop) {
        write_stopped(ring.control->stop == 1 ? "the trace reached its largest size"
                      : ring.control->stop == 2 ? "the disk is nearly full"
                      : "the trace could not be written");
        ring_stop();
        return NULL;
    }
    return ring.pos;
}

int
write_again(void)
{
    if (ring.pos > ring.base) {
        return write_in_new_segment() != NULL;
    }
    /* An empty segment is not enough. */
    if (encode_tight) {
        ring_overrun();
        return 0;
    }
    encode_tight = 1;
    ring.epoch++;   /* texts and types that the record defined were not written */
    return 1;
}
