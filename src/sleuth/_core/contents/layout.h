/* How the contents of an object lie in memory, read without running any of its code. */
#ifndef SLEUTH_LAYOUT_H
#define SLEUTH_LAYOUT_H

#include "compat.h"
#include "shared_numbers.h"

enum {
    LAYOUT_LIST = 1, LAYOUT_TUPLE = 2, LAYOUT_DICT = 4, LAYOUT_SET = 8,
    LAYOUT_ARRAY = 16,       /* or a table: see summary.h */
    LAYOUT_DEQUE = 32, LAYOUT_BYTES = 64, LAYOUT_ATTRIBUTES = 128, LAYOUT_EXCEPTION = 256,
    LAYOUT_CELL = 512, LAYOUT_CLASS = 1024,
    LAYOUT_RESTLESS = 2048,  /* reading it may change it: a dictionary that makes missing items */
    LAYOUT_NAMES = 4096      /* (never kept) the globals of a module: without the interpreter's own */
};
#define LAYOUT_MUTABLE (~LAYOUT_TUPLE)
/* A number or a text of a class of its own.  (Nobody tells when one dies: another one may be there.) */
#define LAYOUT_ATOM (LAYOUT_CELL | LAYOUT_RESTLESS)


int layout_of(PyTypeObject *type);
void layout_forget_type(PyTypeObject *type);   /* it dies */
/* What a class is made from are attributes of it under these words and a number.  (No name has a space.) */
#define LAYOUT_BASE "base "
/* The part that a builtin half has, 0 for none. */
int layout_part(int layout);
/* How many items a part has. */
Py_ssize_t layout_size(PyObject *object, int part, int layout);
/* What it costs to go through all parts, in items of a list; known without going through them. */
Py_ssize_t layout_price(PyObject *object, int layout);
/* The same for the places that nothing is left in: few items can stand far from each other. */
Py_ssize_t layout_price_of_gaps(PyObject *object, int layout);

/* Called for each item, borrowed: a sequence's or set's item, a mapping's key and value, an
 * attribute's name (a text, or a C string) and value.  Nonzero stops. */
typedef int (*LayoutVisit)(void *context, PyObject *key, const char *name, PyObject *value);
void layout_visit(PyObject *object, int part, int layout, LayoutVisit visit, void *context);
/* Whether an attribute of a class is one that is visited; the value may be NULL. */
int layout_is_of_class(PyObject *name, PyObject *value);
int layout_is_slot(const struct PyMemberDef *member);
/* The names of a named tuple's items, borrowed; NULL: they have none. */
PyObject *layout_names_of_items(PyObject *object, int layout);
/* An attribute's value by its interned name, borrowed; NULL: there is none. */
PyObject *layout_attribute(PyObject *object, PyObject *name);

#endif
