/* The stack of calls of each thread, as the records of the stream move it. */
#ifndef SLEUTH_STACKS_H
#define SLEUTH_STACKS_H

#include "walk.h"

typedef struct {
    uint32_t number, task;
    uint32_t *stack; /* owned; call ids, the current one last */
    size_t depth, room;
    /* How it was when the segment began, so that it can be told and put back. */
    int touched;
    uint32_t start_task;
    size_t start, low; /* depth then; the lowest depth since */
    uint32_t *popped;  /* owned; what stood at start-1, start-2, ..., low */
    size_t popped_count, popped_room;
} Thread;

typedef struct {
    Thread *threads; /* owned */
    size_t count, room;
    uint32_t *slots; /* owned; a hash table of thread number -> index + 1 */
    size_t slots_room;
    size_t current, start_current;
} Stacks;

int stacks_init(Stacks *stacks);
void stacks_free(Stacks *stacks);
/* Makes that thread the current one. -1: MemoryError set. */
int stacks_switch(Stacks *stacks, uint32_t number);
int stacks_push(Stacks *stacks, uint32_t call);
/* Stores the call that was left; NO_CALL when there was none. */
int stacks_pop(Stacks *stacks, uint32_t *call);

static inline uint32_t
stacks_top(const Stacks *stacks)
{
    const Thread *thread = &stacks->threads[stacks->current];
    return thread->depth ? thread->stack[thread->depth - 1] : NO_CALL;
}

/* Moves the stacks over one record of a checked segment; stores the call that it belongs to. */
int stacks_step(Stacks *stacks, const Record *record, uint64_t *next_call, uint32_t *call);

/* A segment begins here. */
int stacks_mark(Stacks *stacks);
/* Puts back how it was at the mark. */
int stacks_restore(Stacks *stacks);
/* New bytes: what decoding from the mark up to here needs to know of the state at the mark. */
PyObject *stacks_state(const Stacks *stacks);
/* Loads such a state into fresh stacks; all its calls must have ids below `first_call`. -1: exception
 * set. */
int stacks_load(Stacks *stacks, const void *state, Py_ssize_t size, uint32_t first_call);

#endif
