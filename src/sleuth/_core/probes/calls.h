/* The stack of recorded calls of a thread. */
#ifndef SLEUTH_CALLS_H
#define SLEUTH_CALLS_H

#include "effects.h"
#include "generators.h"
#include "heap.h"
#include "thread.h"
#include "write.h"

extern uint64_t calls_next;           /* the number of the next call */

/* --- pushing */

int calls_grow(Thread *thread);       /* make room for more; 0: no memory, and recording ends */
/* Push the frame of a comprehension, which is part of the call below (3.11); NULL: no memory. */
Activation *calls_push_part(Thread *thread, Frame *frame, uint32_t place_base);
void calls_push_generator(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base);
/* Write that a generator or coroutine goes on, and push it. */
void calls_resume(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base, PyObject *sent);

/* The call number of an asynchronous comprehension in 3.11, which is part of the call that awaits it. */
#define PART_OF_CALLER (UINT64_MAX - 1)

/* Push a call; NULL: no memory. */
static inline Activation *
calls_push(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base)
{
    if (unlikely(thread->count == thread->room) && !calls_grow(thread)) {
        return NULL;
    }
    Activation *activation = &thread->stack[thread->count++];
    *activation = (Activation){.frame = frame, .call = call, .place_base = place_base,
                               .world = heap_world};
    return activation;
}

/* --- leaving */

void calls_leave_task(Thread *thread);         /* write that the thread runs no task any more */
void calls_leave_unseen(Thread *thread);       /* pop the topmost call, which was left without an event */
/* Tell whether `wanted` is this frame or one of its callers. */
int calls_is_running(Frame *wanted, Frame *frame);
/* Return the recorded call that runs in this thread; NULL: there is none.  Generators on top that are not
 * running any more are popped first. */
Activation *calls_running(Thread *thread, PyThreadState *state);

/* A call was left.  If code that is not recorded goes on now, it may change any object: hashes that are
 * out of date are computed before that. */
static inline void
calls_give_back(Thread *thread)
{
    if (unlikely(heap_stale_count) && (!thread->count || top(thread)->is_waiting)) {
        heap_freshen();
    }
}

/* Pop the topmost call, which has ended. */
static inline void
calls_pop(Thread *thread)
{
    Activation *left = top(thread);
    int ends_task = left->is_task_root;
    if (unlikely(left->is_generator)) {
        generator_forget(left->frame);
    }
    thread->count--;
    calls_give_back(thread);
    if (unlikely(ends_task)) {
        calls_leave_task(thread);
    }
}

/* Before a frame is entered: pop generators on top that are not among its callers. */
static inline void
calls_settle(Thread *thread, Frame *frame)
{
    Activation *above = top(thread);
    while (above && above->is_generator && frame->previous != above->frame
           && !calls_is_running(above->frame, frame->previous)) {
        calls_leave_unseen(thread);
        above = top(thread);
    }
}

/* --- finding */

/* Make a frame the topmost one: pop those above it, or push it again; 0: it is not known. */
int calls_find_again(Thread *thread, Frame *frame);

/* Make the frame that an event comes from the topmost one; 0: it is not known, and the event is dropped.
 * If it has called code that is not recorded, look at what that code has changed. */
static inline int
on_top(Thread *thread, Frame *frame)
{
    if (unlikely(!thread->count || thread->stack[thread->count - 1].frame != frame)) {
        if (!calls_find_again(thread, frame)) {
            return 0;
        }
    }
    Activation *activation = top(thread);
    if (unlikely(activation->is_waiting)) {
        effects_settle(thread, activation);
    }
    return 1;
}

#define ON_TOP(thread, frame) likely(on_top((thread), (frame)))

#endif
