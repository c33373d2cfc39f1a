/* Under whom calls hang that outlived the one that started them. */
#ifndef SLEUTH_HANG_H
#define SLEUTH_HANG_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char hang_doc[];
PyObject *hang(PyObject *module, PyObject *args);

#endif
