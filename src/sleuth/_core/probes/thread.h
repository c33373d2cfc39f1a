/* The program's threads and their stacks of recorded calls. */
#ifndef SLEUTH_THREAD_H
#define SLEUTH_THREAD_H

#include "write.h"
#include "shared_numbers.h"

#define MAX_ARGUMENTS 255

/* A recorded call that runs, or a part of one. */
typedef struct {
    Frame *frame;
    uint64_t call;
    PyObject *caught;      /* only compared: the exception that a handler in this frame has caught */
    PyObject *called;      /* only compared: the recorded function that is about to be called */
    uint32_t place_base;
    uint8_t is_part;       /* a comprehension on 3.11: its frame is part of the call below */
    uint8_t is_generator;
    uint8_t is_task_root;  /* the outermost coroutine of a task: when it is left, no task runs */
    uint8_t doubts;        /* code that it has called may have changed any object */
    uint8_t adds;          /* that code adds the second pending object to the first, which is a set */
    uint8_t is_waiting;    /* that code is not recorded, and there was no event of this call since */
    uint32_t world;        /* heap_world when the call began */
    uint32_t pending;      /* index of the first object in the thread's list that the code may change */
    uint64_t pending_place;/* the place of the call of that code */
} Activation;

/* The call that started a thread, or submitted the work that it does. */
typedef struct {
    uint64_t call;         /* the call + 1; 0: none */
    uint64_t place;        /* the place in that call + 1 */
    uint64_t moment;       /* the moment of the last event before that */
} Starter;

typedef struct Thread {
    uint64_t id;           /* of the interpreter's thread state; never used twice */
    uint32_t number;       /* in the trace */
    uint32_t task;         /* the number of the running task; 0: none */
    PyObject *task_object; /* only compared */
    PyObject *unwinding;   /* only compared: the exception that has just left a recorded call */
    Activation *stack;
    int count, room;
    PyObject **pending;    /* objects that may change; only compared and looked up: they may be dead */
    uint32_t pending_count, pending_room;
    Starter started, work; /* the call that started it; the call that submitted its present work */
    struct Thread *next;
} Thread;

static inline Activation *
top(Thread *thread)
{
    return thread->count ? &thread->stack[thread->count - 1] : NULL;
}

/* The starter of a call that has no caller in its thread. */
static inline const Starter *
thread_starter(const Thread *thread)
{
    return thread->work.call ? &thread->work : &thread->started;
}

/* The place at which a call is now, + 1. */
static inline uint64_t
place_of(Activation *activation)
{
    return activation->place_base + (uint64_t)FRAME_UNIT(activation->frame) + 1;
}

extern Thread *thread_current;                   /* the thread of the latest event */
extern PyThreadState *thread_current_state;
extern int threads_are_several;                  /* more than one thread has written events */
Thread *thread_switch(PyThreadState *state);     /* make it current; NULL: no memory, recording ends */
Thread *thread_find(PyThreadState *state);       /* NULL: it has written no event yet */
void threads_begin_anew(void);                   /* forget all threads */

/* The running thread; NULL: no memory. */
static inline Thread *
this_thread(PyThreadState *state)
{
    if (likely(state == thread_current_state && thread_current->id == state->id)) {
        return thread_current;
    }
    return thread_switch(state);
}

#endif
