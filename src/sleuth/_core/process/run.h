/* Run a program as the interpreter itself would, recorded. */
#ifndef SLEUTH_RUN_H
#define SLEUTH_RUN_H

#include "compat.h"

int run_init(PyObject *module);

#endif
