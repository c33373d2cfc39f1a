/* Shows the events of plain code to tracing functions and monitoring tools of the program. */
#ifndef SLEUTH_TWINS_EVENTS_H
#define SLEUTH_TWINS_EVENTS_H

#include "compat.h"

void twins_events_start(void);   /* hook sys.settrace and sys.monitoring */

#endif
