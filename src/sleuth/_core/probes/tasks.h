/* The tasks of asyncio. */
#ifndef SLEUTH_TASKS_H
#define SLEUTH_TASKS_H

#include "thread.h"

extern PyObject *tasks_of_loops;   /* asyncio's dict of running tasks, owned; NULL until it is found */

/* Write which task the thread runs now, if it has changed. */
void task_note(Thread *thread);
void tasks_begin_anew(void);   /* forget the numbers of all tasks */

#endif
