/* Numbers the nodes of a tree in preorder. */
#ifndef SLEUTH_ORDER_H
#define SLEUTH_ORDER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

extern const char preorder_doc[];
PyObject *preorder(PyObject *module, PyObject *args);   /* a method of the module: see preorder_doc */

#endif
