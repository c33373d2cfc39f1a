/* The stack of recorded calls of a thread.
 *
 * Probes see exactly when a call is entered and left: they stand before the first instruction, before every
 * return and yield, and in a handler that covers all the code.  The exception is 3.11, where a call can be
 * suspended inside `await` without a probe; `calls_settle` notices that at the next event.
 */
#include "calls.h"

#include "given.h"
#include "namespace.h"

uint64_t calls_next;

/* --- pushing */

int
calls_grow(Thread *thread)
{
    size_t room = (size_t)thread->room * 2;
    Activation *stack = PyMem_RawRealloc(thread->stack, room * sizeof(Activation));
    if (!stack) {
        ring_stop();
        return 0;
    }
    thread->stack = stack;
    thread->room = (int)room;
    return 1;
}

Activation *
calls_push_part(Thread *thread, Frame *frame, uint32_t place_base)
{
    Activation *below = top(thread);
    Activation *activation = calls_push(thread, frame, below ? below->call : 0, place_base);
    if (activation) {
        activation->is_part = 1;
    }
    return activation;
}

void
calls_push_generator(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base)
{
    Activation *activation = calls_push(thread, frame, call, place_base);
    if (activation) {
        activation->is_generator = 1;
    }
}

void
calls_resume(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base, PyObject *sent)
{
    if (heap_is_on) {
        namespace_check(frame->f_globals);
        given_meet(frame);
    }
    heap_meet(sent);
    WRITE(64, {
        *p++ = KIND_RESUME;
        p = put_varint(p, call);
        VALUE(sent);
    });
    calls_push_generator(thread, frame, call, place_base);
}

/* --- leaving */

void
calls_leave_task(Thread *thread)
{
    thread->task = 0;
    thread->task_object = NULL;
    DEFINE(16, {
        *p++ = KIND_TASK;
        *p++ = 0;
    });
}

/* Return the place at which a generator waits that was suspended without a probe; 0: not known.  (If it has
 * ended in another thread, its frame is gone; then it is not in the table of generators either.) */
static uint64_t
yielded_place(Activation *left)
{
    Suspended *entry = generator_find(left->frame);
    uint64_t yielded = entry && entry->call == left->call ? FRAME_YIELDED(left->frame) : 0;
    return yielded ? left->place_base + yielded : 0;
}

void
calls_leave_unseen(Thread *thread)
{
    Activation *left = top(thread);
    int ends_task = left->is_task_root;
    thread->count--;
    if (left->is_part) {
        return;
    }
    if (left->is_generator) {
        uint64_t place = yielded_place(left);
        WRITE(24, {
            *p++ = KIND_SUSPEND;
            *p++ = SUSPEND_WAITS | SUSPEND_HAS_PLACE;
            p = put_varint(p, place);
            *p++ = TAG_ABSENT;
        });
    }
    else {
        WRITE(16, { *p++ = KIND_LOST; });
    }
    if (ends_task) {
        calls_leave_task(thread);
    }
}

int
calls_is_running(Frame *wanted, Frame *frame)
{
    while (frame && frame != wanted) {
        frame = frame->previous;
    }
    return frame != NULL;
}

Activation *
calls_running(Thread *thread, PyThreadState *state)
{
    Activation *found = top(thread);
    while (found && found->is_generator && !calls_is_running(found->frame, CURRENT_FRAME(state))) {
        calls_leave_unseen(thread);
        found = top(thread);
    }
    return found;
}

/* --- finding */

int
calls_find_again(Thread *thread, Frame *frame)
{
    for (int i = thread->count - 1; i >= 0; i--) {
        if (thread->stack[i].frame == frame) {
            while (thread->count - 1 > i) {
                calls_leave_unseen(thread);
            }
            return 1;
        }
    }
    Suspended *entry = generator_find(frame);
    if (entry && entry->call == PART_OF_CALLER) {
        /* An exception was thrown into it, so its caller is running again, too. */
        return frame->previous && calls_find_again(thread, frame->previous)
            && calls_push_part(thread, frame, entry->place_base);
    }
    if (entry && entry->call != UINT64_MAX) {
        calls_settle(thread, frame);
        calls_resume(thread, frame, entry->call, entry->place_base, NULL);
        return 1;
    }
    ring.control->orphans++;
    return 0;
}
