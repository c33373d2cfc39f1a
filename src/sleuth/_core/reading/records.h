/* Records of one segment, found by the object or the variable they are about. */
#ifndef SLEUTH_RECORDS_H
#define SLEUTH_RECORDS_H

#include "scan.h"

/* Adds the type Records to the module (borrowed). */
int records_init(PyObject *module);

#endif
