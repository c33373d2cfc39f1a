/* What events say of the routes of calls. */
#ifndef SLEUTH_TRAIL_H
#define SLEUTH_TRAIL_H

#include "scan.h"

extern PyMethodDef trail_functions[];

#endif
