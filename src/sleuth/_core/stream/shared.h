/* Functions for the collector that Python lacks: `wait`, `post`, `leave_will`, `exit_status`. */
#ifndef SLEUTH_SHARED_H
#define SLEUTH_SHARED_H

#include "compat.h"

int shared_init(PyObject *module);   /* add them to the module; 0, or -1 with an exception */

#endif
