/* Readers of code, frames and tracebacks see plain code. */
#ifndef SLEUTH_TWINS_READ_H
#define SLEUTH_TWINS_READ_H

#include "compat.h"

/* From now on; the types' own descriptors stay what they are. */
int twins_read_start(void);

#endif
