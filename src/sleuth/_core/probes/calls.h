/* The stack of calls of a thread, and calls that were left unseen. */
#ifndef SLEUTH_CALLS_H
#define SLEUTH_CALLS_H

#include "effects.h"
#include "generators.h"
#include "heap.h"
#include "thread.h"
#include "write.h"

extern uint64_t calls_next;           /* the number of the next call */

/* --- pushing */

int calls_grow(Thread *thread);       /* make room for more; 0: there is no memory */
Activation *calls_push_part(Thread *thread, Frame *frame, uint32_t place_base);
void calls_push_generator(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base);
/* A generator or coroutine goes on: write that, and push it. */
void calls_resume(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base, PyObject *sent);

/* The call of a comprehension's coroutine in 3.11, which is part of the call that awaits it. */
#define PART_OF_CALLER (UINT64_MAX - 1)

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

void calls_leave_task(Thread *thread);         /* the task's step ends */
void calls_leave_unseen(Thread *thread);       /* the topmost call was left without an event */
/* Is it this frame, or one of its callers? */
int calls_is_running(Frame *wanted, Frame *frame);
/* The recorded call that runs in this thread; NULL: there is none.  Generators that were left unseen
 * are noted first. */
Activation *calls_running(Thread *thread, PyThreadState *state);

/* Whoever waits for a call that has just been left goes on, and if that is code that is not recorded it
 * may change anything. */
static inline void
calls_give_back(Thread *thread)
{
    if (unlikely(heap_stale_count) && (!thread->count || top(thread)->is_waiting)) {
        heap_freshen();
    }
}

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

/* Before a frame is entered: drop generators on top that are not among its callers. */
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

/* An event comes from a frame that is not on top; 0: it was never seen. */
int calls_find_again(Thread *thread, Frame *frame);

/* The frame that an event comes from is made the topmost one; 0: it was never seen. */
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
