/* Arrays of the standard library, and views of memory, as arrays of numbers. */
#ifndef SLEUTH_BUFFERS_H
#define SLEUTH_BUFFERS_H

#include "arrays.h"

/* Is it array.array or memoryview, or a class made from one?  (Only what fields.c has found counts.) */
int buffers_has(PyTypeObject *type);
void buffers_read(PyObject *object, Array *array);

#endif
