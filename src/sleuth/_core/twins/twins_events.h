/* Tracing functions and monitoring tools of the program see the events of plain code. */
#ifndef SLEUTH_TWINS_EVENTS_H
#define SLEUTH_TWINS_EVENTS_H

#include "compat.h"

void twins_events_start(void);

#endif
