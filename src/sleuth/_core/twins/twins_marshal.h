/* Code that leaves the process is plain. */
#ifndef SLEUTH_TWINS_MARSHAL_H
#define SLEUTH_TWINS_MARSHAL_H

#include "compat.h"

void twins_marshal_start(void);

#endif
