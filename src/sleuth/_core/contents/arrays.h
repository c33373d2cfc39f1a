/* Reads the memory of numpy's arrays in place: numpy is neither imported nor called. */
#ifndef SLEUTH_ARRAYS_H
#define SLEUTH_ARRAYS_H

#include "compat.h"

/* Return numpy's ndarray, borrowed; NULL: numpy is not loaded yet. */
PyTypeObject *arrays_type(void);

/* Items of one type in memory; all pointers are borrowed, and good until other code runs. */
typedef struct {
    const char *data;
    int nd;
    const Py_ssize_t *dimensions, *strides;
    Py_ssize_t size;         /* items */
    Py_ssize_t item_size;    /* bytes; 0: not known */
    PyObject *descr, *base;
    int type;                /* numpy's number of the item type */
    int is_swapped;          /* the bytes are not in the processor's order */
    const char *unreadable;  /* why the items can't be read; NULL: they can */
} Array;

/* Read an ndarray, or an instance of a subclass; sets `unreadable` if its items can't be read. */
void arrays_read(PyObject *object, Array *array);
/* Return a field of a structured type as an array, and its name; 0: there is no field of this number. */
int arrays_field(const Array *array, Py_ssize_t number, Array *field, PyObject **name);

int arrays_holds_objects(const Array *array);
uint64_t arrays_hash(const Array *array);           /* of shape, type, and items that are no objects */
/* The part of the hash that comes from one item. */
uint64_t arrays_item_hash(const Array *array, Py_ssize_t number, const char *item);
/* Return the item, and its number, that a key means: an index, or a tuple with an index for each dimension.
 * NULL: the key is something else, or out of range. */
const char *arrays_find(const Array *array, PyObject *key, Py_ssize_t *number);
const char *arrays_item(const Array *array, Py_ssize_t number);   /* NULL: there is no such item */
/* Tell whether the items don't overlap, so that a store of one changes just its part of the hash. */
int arrays_is_flat(const Array *array);
/* Tell whether a value is a number or a text of Python or numpy: storing it into an array runs no other
 * code. */
int arrays_is_scalar(PyObject *value);
/* Call `visit` for each item, in the order of the indices, until it returns nonzero. */
typedef int (*ArrayVisit)(void *context, const Array *array, const char *item);
void arrays_visit(const Array *array, ArrayVisit visit, void *context);
PyObject *arrays_object(const char *item);          /* the object that an item is, borrowed */

/* The most bytes that an item takes which is no object. */
#define ARRAYS_ITEM_ROOM 256
/* Write an item as a value, and return the end; NULL: there is no room. */
uint8_t *arrays_put_item(uint8_t *p, const Array *array, const char *item);
/* Write the name of the item type, 100 bytes at most. */
void arrays_type_name(const Array *array, char *out, size_t room);

/* Write a scalar of numpy as a plain number, and return the end; NULL: the value is no such scalar. */
uint8_t *arrays_put_scalar(uint8_t *p, PyObject *value);

/* The least and the greatest item (NULL: there are none), and the number of NaN and NaT. */
typedef struct { const char *least, *greatest; Py_ssize_t nan; } ArrayRange;
void arrays_range(const Array *array, ArrayRange *range);

#endif
