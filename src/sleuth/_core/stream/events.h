/* Events that no probe makes. */
#ifndef SLEUTH_EVENTS_H
#define SLEUTH_EVENTS_H

#include "compat.h"

void event_output(int stream, PyObject *text);
void event_child(uint64_t pid, const char *how);

#endif
