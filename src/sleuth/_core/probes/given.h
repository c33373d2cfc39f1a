/* The inputs of a call: its arguments, and the variables that it shares with closures (cells). */
#ifndef SLEUTH_GIVEN_H
#define SLEUTH_GIVEN_H

#include "heap.h"
#include "namespace.h"
#include "thread.h"

/* Only this many cells of a function are recorded.  record/rewrite/__init__.py has the same number. */
#define MOST_CELLS 4096
int given_count_cells(PyCodeObject *code);          /* MOST_CELLS at most */
void given_meet_cells(Frame *frame, PyCodeObject *code);                  /* heap_meet cells and values */
uint8_t *given_put_cells(uint8_t *p, Frame *frame, PyCodeObject *code);   /* write them; NULL: no room */
void given_meet(Frame *frame);                      /* heap_meet all arguments and cells */

/* The number of arguments that are recorded. */
static inline int
given_count(PyCodeObject *code)
{
    int count = code->co_argcount + code->co_kwonlyargcount;
    count += (code->co_flags & CO_VARARGS) != 0;
    count += (code->co_flags & CO_VARKEYWORDS) != 0;
    return count > MAX_ARGUMENTS ? MAX_ARGUMENTS : count;
}

/* The value of an argument, borrowed, taken out of its cell; NULL: the variable is not set. */
static inline PyObject *
given_argument(Frame *frame, PyCodeObject *code, int index)
{
    PyObject *value = frame->localsplus[index];
    if (value && (((unsigned char *)PyBytes_AS_STRING(code->co_localspluskinds))[index] & 0x40)
        && PyCell_Check(value)) {
        return PyCell_GET(value);
    }
    return value;
}

/* Before a call is left: look at its inputs again, if code that is not recorded has run. */
static inline void
given_meet_again(Thread *thread, Frame *frame)
{
    if (heap_is_on) {
        namespace_check(frame->f_globals);
    }
    if (heap_is_on && (top(thread)->world != heap_world || heap_is_restless)
        && !top(thread)->is_part) {
        given_meet(frame);
    }
}

#endif
