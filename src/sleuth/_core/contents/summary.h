/* Summaries of arrays and tables: facts, and all items or a sample. */
#ifndef SLEUTH_SUMMARY_H
#define SLEUTH_SUMMARY_H

#include "layout.h"

int summary_layout(PyTypeObject *type);            /* 0: it is neither numpy's array nor a table of pandas */
Py_ssize_t summary_size(PyObject *object);         /* the number of items */
Py_ssize_t summary_price(PyObject *object);        /* the price of comparing it, in items of a list */
int summary_is_readable(PyObject *object);         /* whether its items can be read */
uint64_t summary_hash(PyObject *object);           /* of all contents but items that are objects */
/* Visit the items that are objects, and the array that it shares its memory with. */
void summary_visit(PyObject *object, LayoutVisit visit, void *context);
/* Return the array that an array shares its memory with, borrowed; NULL: none. */
PyObject *summary_base(PyObject *object);

#define SUMMARY_ROOM 8192   /* the most bytes of facts; the caller checks that there is room */
/* Write the facts as pairs of name and value, and their number to `count`; return the end.  `hash` is that of
 * all contents; NULL: they were not read. */
uint8_t *summary_put_facts(uint8_t *p, PyObject *object, const uint64_t *hash, uint32_t *count);
/* Write all items, or a sample if there are too many; return the end, and their number in `count`.  Sets
 * `has_no_room` if there was no room for all of these. */
uint8_t *summary_put_items(uint8_t *p, PyObject *object, uint32_t *count, int *has_no_room);

#endif
