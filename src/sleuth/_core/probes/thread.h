/* Threads, their stacks of calls, and the kinds of records that are written of them. */
#ifndef SLEUTH_THREAD_H
#define SLEUTH_THREAD_H

#include "write.h"
#include "shared_numbers.h"

#define MAX_ARGUMENTS 255

typedef struct {
    Frame *frame;
    uint64_t call;
    PyObject *caught;      /* compared only: the exception that a handler here was told of */
    PyObject *called;      /* compared only: the recorded function that is about to be called */
    uint32_t place_base;
    uint8_t is_part;       /* a comprehension of 3.11: its frame is part of the call below */
    uint8_t is_generator;
    uint8_t is_task_root;  /* a coroutine that a task runs: when it is left, no task runs */
    uint8_t doubts;        /* the code that was called can have changed anything */
    uint8_t adds;          /* it adds the second pending object to the set that is the first */
    uint8_t is_waiting;    /* for that code to come back */
    uint32_t world;        /* how much code that is not recorded had run at the beginning */
    uint32_t pending;      /* where in the thread's list the objects are that it may change */
    uint64_t pending_place;
} Activation;

/* The call that started a thread, or submitted the work that it does. */
typedef struct {
    uint64_t call;         /* plus one; 0: nobody */
    uint64_t place;        /* where in it, plus one */
    uint64_t moment;       /* when: the last event before */
} Starter;

typedef struct Thread {
    uint64_t id;           /* of the interpreter's thread state; never used twice */
    uint32_t number;
    uint32_t task;
    PyObject *task_object; /* compared only */
    PyObject *unwinding;   /* compared only: the exception that has just left a recorded call */
    Activation *stack;
    int count, room;
    PyObject **pending;    /* compared and looked up only: they may be dead */
    uint32_t pending_count, pending_room;
    Starter started, work; /* who started it; who submitted what it works on */
    struct Thread *next;
} Thread;

static inline Activation *
top(Thread *thread)
{
    return thread->count ? &thread->stack[thread->count - 1] : NULL;
}

/* On whose behalf it runs what nobody in it calls. */
static inline const Starter *
thread_starter(const Thread *thread)
{
    return thread->work.call ? &thread->work : &thread->started;
}

static inline uint64_t
place_of(Activation *activation)
{
    return activation->place_base + (uint64_t)FRAME_UNIT(activation->frame) + 1;
}

extern Thread *thread_current;                   /* the one that made the latest event */
extern PyThreadState *thread_current_state;
extern int threads_are_several;                  /* more than one has made events */
Thread *thread_switch(PyThreadState *state);     /* another one makes an event; NULL: no memory */
Thread *thread_find(PyThreadState *state);       /* NULL: it made no event yet */
void threads_begin_anew(void);                   /* none is known any more */

static inline Thread *
this_thread(PyThreadState *state)
{
    if (likely(state == thread_current_state && thread_current->id == state->id)) {
        return thread_current;
    }
    return thread_switch(state);
}

#endif
