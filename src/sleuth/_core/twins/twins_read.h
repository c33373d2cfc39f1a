/* Shows plain code to readers of code, frames and tracebacks. */
#ifndef SLEUTH_TWINS_READ_H
#define SLEUTH_TWINS_READ_H

#include "compat.h"

/* Hook the attributes of these types; the descriptors stay the same objects.  0, or -1. */
int twins_read_start(void);

#endif
