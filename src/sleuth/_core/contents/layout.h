/* Reads the contents of objects from memory, without running any of their code. */
#ifndef SLEUTH_LAYOUT_H
#define SLEUTH_LAYOUT_H

#include "compat.h"
#include "shared_numbers.h"

/* How the contents of an object are stored: bits. */
enum {
    LAYOUT_LIST = 1, LAYOUT_TUPLE = 2, LAYOUT_DICT = 4, LAYOUT_SET = 8,
    LAYOUT_ARRAY = 16,       /* or a table: see summary.h */
    LAYOUT_DEQUE = 32, LAYOUT_BYTES = 64, LAYOUT_ATTRIBUTES = 128, LAYOUT_EXCEPTION = 256,
    LAYOUT_CELL = 512, LAYOUT_CLASS = 1024,
    LAYOUT_RESTLESS = 2048,  /* reading may change it: a dictionary that adds missing items */
    LAYOUT_NAMES = 4096      /* globals of a module, without the interpreter's names (not in Known) */
};
#define LAYOUT_MUTABLE (~LAYOUT_TUPLE)
/* A number or a text of a derived class: see atoms.h.  (Its death is not noticed, and another object may have
 * its address, so it counts as one that may change.) */
#define LAYOUT_ATOM (LAYOUT_CELL | LAYOUT_RESTLESS)


int layout_of(PyTypeObject *type);             /* 0: nothing is recorded of the contents */
void layout_forget_type(PyTypeObject *type);   /* a type dies */
/* The bases of a class are visited as attributes with this name and a number.  (Other names have no
 * space.) */
#define LAYOUT_BASE "base "
/* Return the part that a builtin type gives an object beside attributes; 0: none. */
int layout_part(int layout);
/* How many items a part has. */
Py_ssize_t layout_size(PyObject *object, int part, int layout);
/* Return the price of visiting all parts, in items of a list; computed without visiting them. */
Py_ssize_t layout_price(PyObject *object, int layout);
/* The price of empty entries alone: a dict or set of few items can have many. */
Py_ssize_t layout_price_of_gaps(PyObject *object, int layout);

/* A visitor, called for each item (borrowed): a sequence's or set's item, a mapping's key and value, an
 * attribute's name (a text object, or a C string) and value.  Nonzero: stop. */
typedef int (*LayoutVisit)(void *context, PyObject *key, const char *name, PyObject *value);
void layout_visit(PyObject *object, int part, int layout, LayoutVisit visit, void *context);
/* Tell whether an attribute of a class (value may be NULL) is visited: no methods, no properties. */
int layout_is_of_class(PyObject *name, PyObject *value);
int layout_is_slot(const struct PyMemberDef *member);   /* whether a member is a slot of a Python class */
/* Return the names of a named tuple's items, borrowed; NULL: it is none. */
PyObject *layout_names_of_items(PyObject *object, int layout);
/* Return an attribute of an instance by its interned name, borrowed; NULL: there is none. */
PyObject *layout_attribute(PyObject *object, PyObject *name);

#endif
