/* Finds the call that started a thread, or that submitted the work of a pool's thread. */
#ifndef SLEUTH_STARTERS_H
#define SLEUTH_STARTERS_H

#include "thread.h"

int starters_install(void);         /* hook the starts of threads; 0, or -1 with an exception */
/* An audit event: a module is about to be imported.  The module of the pools' queues is hooked. */
void starters_note_import(PyObject *args);
/* Return the starter of the thread with this state, once; call 0: no recorded call has started it. */
Starter starters_take(uint64_t id);
void starters_begin_anew(void);     /* forget all starters */

#endif
