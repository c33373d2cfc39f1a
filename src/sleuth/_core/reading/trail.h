/* The trail of a segment: the events that show which step of its code a call has reached. */
#ifndef SLEUTH_TRAIL_H
#define SLEUTH_TRAIL_H

#include "scan.h"

extern PyMethodDef trail_functions[];

#endif
