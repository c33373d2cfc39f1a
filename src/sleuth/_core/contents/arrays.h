/* The memory of numpy's arrays, read where it is: numpy is neither imported nor called. */
#ifndef SLEUTH_ARRAYS_H
#define SLEUTH_ARRAYS_H

#include "compat.h"

/* numpy's ndarray, if numpy is loaded by now; borrowed. */
PyTypeObject *arrays_type(void);

/* Items of one type in memory; all pointers borrowed, good until other code runs. */
typedef struct {
    const char *data;
    int nd;
    const Py_ssize_t *dimensions, *strides;
    Py_ssize_t size;         /* items */
    Py_ssize_t item_size;    /* bytes; 0: not known */
    PyObject *descr, *base;
    int type;                /* numpy's number of the item type */
    int is_swapped;
    const char *unreadable;  /* why the items can't be read; NULL: they can */
} Array;

void arrays_read(PyObject *object, Array *array);   /* an ndarray or an instance of a subclass */
/* The field of a structured type as an array of its own; 0: there is none of this number. */
int arrays_field(const Array *array, Py_ssize_t number, Array *field, PyObject **name);

int arrays_holds_objects(const Array *array);
uint64_t arrays_hash(const Array *array);           /* objects count nothing */
/* What one item contributes to the hash. */
uint64_t arrays_item_hash(const Array *array, Py_ssize_t number, const char *item);
/* The item that an index, or a tuple of one for each dimension, means; NULL: it means something else. */
const char *arrays_find(const Array *array, PyObject *key, Py_ssize_t *number);
const char *arrays_item(const Array *array, Py_ssize_t number);   /* NULL: there is none */
/* Is the hash the sum of those of the items? */
int arrays_is_flat(const Array *array);
/* Is it a number or a text of Python's or numpy's own? Storing it into an array runs no other code. */
int arrays_is_scalar(PyObject *value);
/* Called for each item until it returns nonzero; in the order of the indices. */
typedef int (*ArrayVisit)(void *context, const Array *array, const char *item);
void arrays_visit(const Array *array, ArrayVisit visit, void *context);
PyObject *arrays_object(const char *item);          /* an item that is an object, borrowed */

/* What is no object takes so many bytes at most. */
#define ARRAYS_ITEM_ROOM 256
/* Write an item as a value, NULL: there is no room; the item type's name, not longer than 100 bytes. */
uint8_t *arrays_put_item(uint8_t *p, const Array *array, const char *item);
void arrays_type_name(const Array *array, char *out, size_t room);

/* Write a number of numpy's own as the number that it is; NULL: it is none. */
uint8_t *arrays_put_scalar(uint8_t *p, PyObject *value);

/* The least and the greatest item, NULL: there is none; how many are no number. */
typedef struct { const char *least, *greatest; Py_ssize_t nan; } ArrayRange;
void arrays_range(const Array *array, ArrayRange *range);

#endif
