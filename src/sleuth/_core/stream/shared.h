/* What the collector needs of the shared memory that Python has no words for. */
#ifndef SLEUTH_SHARED_H
#define SLEUTH_SHARED_H

#include "compat.h"

int shared_init(PyObject *module);

#endif
