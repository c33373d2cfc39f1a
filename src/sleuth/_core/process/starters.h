/* Who started a thread, or submitted the work that a thread of a pool does. */
#ifndef SLEUTH_STARTERS_H
#define SLEUTH_STARTERS_H

#include "thread.h"

int starters_install(void);         /* listen to starts of threads; 0, or -1 with an exception */
/* A module is about to be imported: the one that has the queues of pools is listened to. */
void starters_note_import(PyObject *args);
/* Who started the thread with that state; nobody, if no recorded call did. */
Starter starters_take(uint64_t id);
void starters_begin_anew(void);     /* nobody has started anything */

#endif
