/* What is said of an array or a table: facts, and items as far as they are kept. */
#ifndef SLEUTH_SUMMARY_H
#define SLEUTH_SUMMARY_H

#include "layout.h"

int summary_layout(PyTypeObject *type);            /* 0: it is neither numpy's array nor a table */
Py_ssize_t summary_size(PyObject *object);         /* items */
Py_ssize_t summary_price(PyObject *object);        /* of comparing it, in items of a list */
int summary_is_readable(PyObject *object);
uint64_t summary_hash(PyObject *object);           /* of all but the objects that it holds */
/* The objects that it holds, and the array that it shares its memory with. */
void summary_visit(PyObject *object, LayoutVisit visit, void *context);
/* Does it share memory with another one that is its base? */
PyObject *summary_base(PyObject *object);

#define SUMMARY_ROOM 8192   /* for the facts */
/* Write the facts, pairs of name and value, with the hash of all of it (NULL: it was not gone through);
 * how many there are comes back in `count`. */
uint8_t *summary_put_facts(uint8_t *p, PyObject *object, const uint64_t *hash, uint32_t *count);
/* Write all items, or some if there are too many; fewer if there is no room, which is said. */
uint8_t *summary_put_items(uint8_t *p, PyObject *object, uint32_t *count, int *has_no_room);

#endif
