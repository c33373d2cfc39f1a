/* Classes that are made from numbers and texts: `class Age(int)`. */
#ifndef SLEUTH_ATOMS_H
#define SLEUTH_ATOMS_H

#include "compat.h"

/* Is it a class of the program's that is made from int, float, complex, str or bytes? */
int atoms_has(PyTypeObject *type);
/* The plain number or text that such an object is (new reference, NULL: no memory), read as memory. */
PyObject *atoms_value(PyObject *object);
Py_ssize_t atoms_price(PyObject *object);   /* of copying it, in items of a list */

#endif
