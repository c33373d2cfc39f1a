/* The program's threads: each gets a stack of calls and a number with its first event. */
#include "thread.h"

#include "starters.h"

Thread *thread_current;
PyThreadState *thread_current_state;
int threads_are_several;
static Thread *threads;
static uint32_t thread_count;

static void
free_thread(Thread *thread)
{
    PyMem_RawFree(thread->stack);
    PyMem_RawFree(thread->pending);
    PyMem_RawFree(thread);
}

static void
drop_idle_threads(void)
{
    Thread **link = &threads;
    while (*link) {
        Thread *thread = *link;
        if (thread->count == 0 && thread != thread_current) {
            *link = thread->next;
            free_thread(thread);
        }
        else {
            link = &thread->next;
        }
    }
}

static Thread *
new_thread(uint64_t id)
{
    if (thread_count % 256 == 255) {
        drop_idle_threads();
    }
    Thread *thread = PyMem_RawCalloc(1, sizeof(Thread));
    if (!thread) {
        return NULL;
    }
    thread->room = 64;
    thread->stack = PyMem_RawMalloc(sizeof(Activation) * 64);
    if (!thread->stack) {
        PyMem_RawFree(thread);
        return NULL;
    }
    thread->id = id;
    thread->number = ++thread_count;
    threads_are_several |= thread_count > 1;
    thread->started = starters_take(id);
    thread->next = threads;
    threads = thread;
    return thread;
}

Thread *
thread_find(PyThreadState *state)
{
    Thread *thread = threads;
    while (thread && thread->id != state->id) {
        thread = thread->next;
    }
    return thread;
}

Thread *
thread_switch(PyThreadState *state)
{
    Thread *thread = thread_find(state);
    if (!thread && !(thread = new_thread(state->id))) {
        ring_stop();
        return NULL;
    }
    thread_current = thread;
    thread_current_state = state;
    DEFINE(16, {
        *p++ = KIND_THREAD;
        p = put_varint(p, thread->number);
    });
    return thread;
}

void
threads_begin_anew(void)
{
    while (threads) {
        Thread *thread = threads;
        threads = thread->next;
        free_thread(thread);
    }
    thread_current = NULL;
    thread_current_state = NULL;
    thread_count = 0;
    threads_are_several = 0;
}
