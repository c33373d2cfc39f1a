/* The stack of calls of each thread while a segment is read. */
#ifndef SLEUTH_STACKS_H
#define SLEUTH_STACKS_H

#include "walk.h"

typedef struct {
    uint32_t number, task;
    uint32_t *stack; /* owned; call ids, the current one last */
    size_t depth, room;
    /* The stack at the beginning of the segment, so that it can be packed and restored. */
    int touched;       /* the thread has records in the segment */
    uint32_t start_task;
    size_t start, low; /* depth then; the lowest depth since */
    uint32_t *popped;  /* owned; the calls that were at start-1, start-2, ..., low */
    size_t popped_count, popped_room;
} Thread;

typedef struct {
    Thread *threads; /* owned */
    size_t count, room;
    uint32_t *slots; /* owned; a hash table of thread number -> index + 1 */
    size_t slots_room;
    size_t current, start_current;
} Stacks;

/* Functions that return int give 0, or -1 with MemoryError, if nothing else is said. */
int stacks_init(Stacks *stacks);
void stacks_free(Stacks *stacks);
/* Make a thread the current one. */
int stacks_switch(Stacks *stacks, uint32_t number);
int stacks_push(Stacks *stacks, uint32_t call);
/* Pop a call into `call`; NO_CALL if there is none. */
int stacks_pop(Stacks *stacks, uint32_t *call);

/* The current call; NO_CALL: there is none. */
static inline uint32_t
stacks_top(const Stacks *stacks)
{
    const Thread *thread = &stacks->threads[stacks->current];
    return thread->depth ? thread->stack[thread->depth - 1] : NO_CALL;
}

/* Apply a record of a checked segment to the stacks; `call` is set to the call that it belongs to. */
int stacks_step(Stacks *stacks, const Record *record, uint64_t *next_call, uint32_t *call);

/* Mark the beginning of a segment. */
int stacks_mark(Stacks *stacks);
/* Restore the stacks at the mark. */
int stacks_restore(Stacks *stacks);
/* Return the state at the mark as bytes (new reference), as far as the records since then need it; NULL with
 * an exception. */
PyObject *stacks_state(const Stacks *stacks);
/* Load such a state into new stacks; all its calls must have ids below `first_call`.  0, or -1 with an
 * exception. */
int stacks_load(Stacks *stacks, const void *state, Py_ssize_t size, uint32_t first_call);

#endif
