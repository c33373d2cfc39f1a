/* The nearest event of a kind in a segment, and who was running before an event. */
#ifndef SLEUTH_NEAR_H
#define SLEUTH_NEAR_H

#include "walk.h"

extern PyMethodDef near_functions[];

#endif
