/* Objects whose class is derived from a number or a text: `class Age(int)`. */
#ifndef SLEUTH_ATOMS_H
#define SLEUTH_ATOMS_H

#include "compat.h"

/* Tell whether a type is a class that is derived from int, float, complex, str or bytes. */
int atoms_has(PyTypeObject *type);
/* Return the plain number or text of such an object, read from its memory (new reference).  NULL: no memory,
 * with an exception; or a text of an old form. */
PyObject *atoms_value(PyObject *object);
Py_ssize_t atoms_price(PyObject *object);   /* the price of copying it, in items of a list */

#endif
