/* Events that no probe writes.  Nothing is written if the thread is not recorded. */
#ifndef SLEUTH_EVENTS_H
#define SLEUTH_EVENTS_H

#include "compat.h"

/* Write that the program has written a text to a stream (1: stdout, 2: stderr). */
void event_output(int stream, PyObject *text);
/* Write that the program has started a process. */
void event_child(uint64_t pid, const char *how);

#endif
