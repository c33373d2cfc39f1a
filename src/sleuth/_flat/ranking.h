/* Edge ranking: labels by which the fewest questions find any node of a tree. */
#ifndef SLEUTH_RANKING_H
#define SLEUTH_RANKING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char ranking_doc[];
PyObject *ranking(PyObject *module, PyObject *args);

#endif
