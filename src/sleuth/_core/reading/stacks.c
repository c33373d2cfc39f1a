/* The stacks of calls while a segment is read. */
#include "stacks.h"

#include <string.h>

int
stacks_init(Stacks *stacks)
{
    memset(stacks, 0, sizeof *stacks);
    stacks->slots_room = 64;
    stacks->slots = PyMem_Calloc(stacks->slots_room, sizeof(uint32_t));
    if (stacks->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return stacks_switch(stacks, 0);
}

void
stacks_free(Stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        PyMem_Free(stacks->threads[i].stack);
        PyMem_Free(stacks->threads[i].popped);
    }
    PyMem_Free(stacks->threads);
    PyMem_Free(stacks->slots);
    memset(stacks, 0, sizeof *stacks);
}

static size_t
slot_of(const Stacks *stacks, uint32_t number)
{
    size_t mask = stacks->slots_room - 1;
    size_t slot = (number * 2654435761u) & mask;
    while (stacks->slots[slot] != 0 && stacks->threads[stacks->slots[slot] - 1].number != number) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen(Stacks *stacks)
{
    size_t room = stacks->slots_room * 2;
    uint32_t *slots = PyMem_Calloc(room, sizeof(uint32_t));
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(stacks->slots);
    stacks->slots = slots;
    stacks->slots_room = room;
    for (size_t i = 0; i < stacks->count; i++) {
        stacks->slots[slot_of(stacks, stacks->threads[i].number)] = (uint32_t)i + 1;
    }
    return 0;
}

static void
touch(Thread *thread)
{
    if (!thread->touched) {
        thread->touched = 1;
        thread->start_task = thread->task;
        thread->start = thread->low = thread->depth;
        thread->popped_count = 0;
    }
}

int
stacks_switch(Stacks *stacks, uint32_t number)
{
    size_t slot = slot_of(stacks, number);
    if (stacks->slots[slot] == 0) {
        if (walk_grow((void **)&stacks->threads, &stacks->room, stacks->count,
                      sizeof(Thread)) < 0) {
            return -1;
        }
        if (stacks->count * 2 >= stacks->slots_room) {
            if (widen(stacks) < 0) {
                return -1;
            }
            slot = slot_of(stacks, number);
        }
        stacks->threads[stacks->count] = (Thread){.number = number};
        stacks->count++;
        stacks->slots[slot] = (uint32_t)stacks->count;
    }
    stacks->current = stacks->slots[slot] - 1;
    touch(&stacks->threads[stacks->current]);
    return 0;
}

int
stacks_push(Stacks *stacks, uint32_t call)
{
    Thread *thread = &stacks->threads[stacks->current];
    if (walk_grow((void **)&thread->stack, &thread->room, thread->depth, sizeof(uint32_t)) < 0) {
        return -1;
    }
    thread->stack[thread->depth++] = call;
    return 0;
}

int
stacks_pop(Stacks *stacks, uint32_t *call)
{
    Thread *thread = &stacks->threads[stacks->current];
    if (thread->depth == 0) {
        *call = NO_CALL;
        return 0;
    }
    *call = thread->stack[--thread->depth];
    if (thread->depth < thread->low) {
        if (walk_grow((void **)&thread->popped, &thread->popped_room, thread->popped_count,
                      sizeof(uint32_t)) < 0) {
            return -1;
        }
        thread->popped[thread->popped_count++] = *call;
        thread->low = thread->depth;
    }
    return 0;
}

int
stacks_step(Stacks *stacks, const Record *record, uint64_t *next_call, uint32_t *call)
{
    *call = stacks_top(stacks);
    switch (record->kind) {
    case KIND_THREAD:
        return stacks_switch(stacks, (uint32_t)record->number);
    case KIND_TASK:
        stacks->threads[stacks->current].task = (uint32_t)record->number;
        return 0;
    case KIND_ENTER:
        *call = (uint32_t)(*next_call)++;
        return record->flags & ENTER_DEFERRED ? 0 : stacks_push(stacks, *call);
    case KIND_RESUME:
        *call = (uint32_t)record->number;
        return stacks_push(stacks, *call);
    case KIND_RETURN:
    case KIND_UNWIND:
    case KIND_SUSPEND:
    case KIND_LOST:
        return stacks_pop(stacks, call);
    default:
        return 0;
    }
}

int
stacks_mark(Stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        stacks->threads[i].touched = 0;
    }
    stacks->start_current = stacks->current;
    touch(&stacks->threads[stacks->current]);
    return 0;
}

int
stacks_restore(Stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        Thread *thread = &stacks->threads[i];
        if (!thread->touched) {
            continue;
        }
        thread->task = thread->start_task;
        thread->depth = thread->low;
        /* The stack was as deep as this before, so there is room. */
        for (size_t k = thread->popped_count; k > 0; k--) {
            thread->stack[thread->depth++] = thread->popped[k - 1];
        }
        thread->touched = 0;
    }
    stacks->current = stacks->start_current;
    return 0;
}

/* The state consists of u32, little endian: the current thread, the number of threads; then for each thread
 * its number, its task, n, and n call ids: the top of its stack, down to the lowest call that the segment
 * needs. */
PyObject *
stacks_state(const Stacks *stacks)
{
    size_t words = 2, threads = 0;
    for (size_t i = 0; i < stacks->count; i++) {
        const Thread *thread = &stacks->threads[i];
        if (thread->touched) {
            threads++;
            words += 3 + (thread->start - thread->low) + (thread->low > 0);
        }
    }
    PyObject *state = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(words * sizeof(uint32_t)));
    if (state == NULL) {
        return NULL;
    }
    uint32_t *next = (uint32_t *)PyBytes_AS_STRING(state);
    *next++ = stacks->threads[stacks->start_current].number;
    *next++ = (uint32_t)threads;
    for (size_t i = 0; i < stacks->count; i++) {
        const Thread *thread = &stacks->threads[i];
        if (!thread->touched) {
            continue;
        }
        *next++ = thread->number;
        *next++ = thread->start_task;
        *next++ = (uint32_t)((thread->start - thread->low) + (thread->low > 0));
        if (thread->low > 0) {
            *next++ = thread->stack[thread->low - 1];
        }
        for (size_t k = thread->popped_count; k > 0; k--) {
            *next++ = thread->popped[k - 1];
        }
    }
    return state;
}

int
stacks_load(Stacks *stacks, const void *state, Py_ssize_t size, uint32_t first_call)
{
    size_t words = (size_t)size / sizeof(uint32_t), at = 2;
    uint32_t word[3];
    const char *bytes = state;
    if (words < 2) {
        goto malformed;
    }
    uint32_t header[2];
    memcpy(header, bytes, sizeof header);
    for (uint32_t i = 0; i < header[1]; i++) {
        if (words - at < 3) {
            goto malformed;
        }
        memcpy(word, bytes + at * sizeof(uint32_t), sizeof word);
        at += 3;
        if (words - at < word[2]) {
            goto malformed;
        }
        if (stacks_switch(stacks, word[0]) < 0) {
            return -1;
        }
        stacks->threads[stacks->current].task = word[1];
        for (uint32_t k = 0; k < word[2]; k++, at++) {
            uint32_t call;
            memcpy(&call, bytes + at * sizeof(uint32_t), sizeof call);
            if (call >= first_call) {
                goto malformed;
            }
            if (stacks_push(stacks, call) < 0) {
                return -1;
            }
        }
    }
    return stacks_switch(stacks, header[0]);

malformed:
    PyErr_SetString(PyExc_ValueError, "the start state of a segment is malformed");
    return -1;
}
