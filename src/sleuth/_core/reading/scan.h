/* Reading the event stream: see docs/reference/trace-format.md and _core.pyi. */
#ifndef SLEUTH_SCAN_H
#define SLEUTH_SCAN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds Scanner and the functions over packed calls to the module (borrowed). */
int scan_init(PyObject *module);

#endif
