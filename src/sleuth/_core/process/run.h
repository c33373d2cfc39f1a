/* Runs a program, recorded, as the interpreter itself would. */
#ifndef SLEUTH_RUN_H
#define SLEUTH_RUN_H

#include "compat.h"

int run_init(PyObject *module);   /* add the function `run` to the module; 0, or -1 with an exception */

#endif
