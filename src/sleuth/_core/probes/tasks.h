/* Asyncio's tasks. */
#ifndef SLEUTH_TASKS_H
#define SLEUTH_TASKS_H

#include "thread.h"

extern PyObject *tasks_of_loops;   /* NULL until there was a task */

/* Write which task the thread runs now, if it is another one than before. */
void task_note(Thread *thread);
void tasks_begin_anew(void);   /* none has a number any more */

#endif
