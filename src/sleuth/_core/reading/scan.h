/* Reads the event stream: see docs/reference/trace-format.md and _core.pyi. */
#ifndef SLEUTH_SCAN_H
#define SLEUTH_SCAN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Add Scanner, Records and all functions that read the event stream to the module; 0, or -1 with an
 * exception. */
int scan_init(PyObject *module);

#endif
