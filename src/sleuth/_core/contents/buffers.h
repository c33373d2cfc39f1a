/* Reads array.array and memoryview in the form of arrays.h. */
#ifndef SLEUTH_BUFFERS_H
#define SLEUTH_BUFFERS_H

#include "arrays.h"

/* Tell whether a type is array.array or memoryview, or derived from one. */
int buffers_has(PyTypeObject *type);
void buffers_read(PyObject *object, Array *array);   /* sets `unreadable` if its items can't be read */

#endif
