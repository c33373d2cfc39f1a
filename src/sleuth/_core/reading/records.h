/* The records of one segment, found by the object or the variable that they are about. */
#ifndef SLEUTH_RECORDS_H
#define SLEUTH_RECORDS_H

#include "scan.h"

/* Add the type Records to the module; 0, or -1 with an exception. */
int records_init(PyObject *module);

#endif
