/* Edge ranking: labels for the edges of a tree by which few questions find any node. */
#ifndef SLEUTH_RANKING_H
#define SLEUTH_RANKING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char ranking_doc[];
PyObject *ranking(PyObject *module, PyObject *args);   /* a method of the module: see ranking_doc */

#endif
