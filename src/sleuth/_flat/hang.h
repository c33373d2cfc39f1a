/* Finds the parents in the tree of calls that ran elsewhere. */
#ifndef SLEUTH_HANG_H
#define SLEUTH_HANG_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char hang_doc[];
PyObject *hang(PyObject *module, PyObject *args);   /* a method of the module: see hang_doc */

#endif
