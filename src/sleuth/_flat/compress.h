/* Finds the recursive calls that are worth being merged into their callers. */
#ifndef SLEUTH_COMPRESS_H
#define SLEUTH_COMPRESS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char compress_doc[];
PyObject *compress(PyObject *module, PyObject *args);   /* a method of the module: see compress_doc */

#endif
