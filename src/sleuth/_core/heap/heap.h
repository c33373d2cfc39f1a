/* The contents of objects: written when an object is first met, and again when code that is not recorded has
 * changed it.
 *
 * To *meet* an object: an event is about to name it, so its contents are written if it is new, or compared
 * if code that is not recorded has run since.  To *look* at it: compare its contents with those that were
 * last written, and write them if they differ.  No function here runs code of the program or keeps a
 * reference. */
#ifndef SLEUTH_HEAP_H
#define SLEUTH_HEAP_H

#include "compat.h"
#include "shared_numbers.h"

/* Whether contents are recorded; not with --calls-only. */
extern int heap_is_on;
void heap_begin_anew(void);   /* begin another trace: no contents are written yet */
/* The program has got the dictionary of some instance: a store there changes the instance. */
extern int heap_is_exposed;
/* There are *restless* objects: reading may change them, as a defaultdict. */
extern int heap_is_restless;
/* Meet the latest of these. */
void heap_meet_restless(void);

/* How often code that is not recorded has run. */
extern uint32_t heap_world;

int heap_pay(Py_ssize_t items);   /* pay for looking at this many items; 0: the credit is too small */

/* Meet an object that is no atom; see `heap_meet`. */
void heap_meet_object(PyObject *object);
/* Look at an object after code that is not recorded has run, called at `place`.  It may be dead. */
void heap_look(PyObject *object, uint64_t place);
/* Code that is not recorded has run: all known objects may have changed. */
void heap_doubt(void);

/* *Stale* objects: recorded code has changed them, and their hash was not updated.  Before code runs that is
 * not recorded, the hashes of those that it may change are computed: of one object, or of all. */
extern int heap_stale_count;
void heap_freshen_one(PyObject *object);
void heap_freshen(void);
/* Forget the stale objects: code that is not recorded has run, and their old hashes are of no use. */
static inline void
heap_give_up_stale(void)
{
    heap_stale_count = 0;
}

/* Call `found` for this object and those that it leads to, up to a bound: for those that are known and can
 * change, until it returns nonzero. */
void heap_reach(PyObject *object, int (*found)(void *, PyObject *), void *context);

/* Recorded code is about to store (value NULL: delete).  Return 1 and update the hash of the receiver if the
 * store does just what it says; 0: its effect depends on the receiver. */
int heap_set_item(PyObject *receiver, PyObject *key, PyObject *value);
int heap_delete_item(PyObject *receiver, PyObject *key);
int heap_set_attribute(PyObject *receiver, PyObject *name, PyObject *value);

/* Recorded code is about to set (NULL: delete) a variable that is shared with closures: write its cell. */
void heap_set_cell(PyObject *cell, PyObject *value, int is_secret);

/* A method of a list is about to be called: if its effect is certain, write it and return 1; else 0. */
int heap_before_list_method(PyObject *list, const char *name, PyObject *const *args, int count,
                            uint64_t place);
/* After set.add: if the set has one item more than before, write only that item and return 1; else 0. */
int heap_grown(PyObject *object, PyObject *item, uint64_t place);

/* For the globals of modules, which namespace.c watches. */
enum { CAUSE_NONE = 0 };   /* no change: the globals are met for the first time */
void heap_own(PyObject *dict);                 /* leave this object to namespace.c from now on */
int heap_can_pay(PyObject *dict);              /* pay for looking at it; 0: it is marked as unsure */
uint32_t heap_names_hash(PyObject *dict);      /* a hash of its names and values */
/* How much a store (value NULL: a deletion) will change that hash. */
uint32_t heap_name_change(PyObject *dict, PyObject *name, PyObject *value);
/* Write all names and values; `world`: when they were last looked at. */
void heap_write_names(PyObject *dict, int cause, uint64_t place, uint32_t world);

/* Tell whether a value is an *atom*: it has no contents, and is written with each event. */
static inline int
heap_is_atom(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type
        || type == &PyBool_Type || value == Py_None || type == &PyBytes_Type
        || type == &PyComplex_Type || value == Py_Ellipsis || value == Py_NotImplemented;
}

/* Meet a value that may be NULL or an atom. */
static inline void
heap_meet(PyObject *value)
{
    if (value && heap_is_on && !heap_is_atom(value)) {
        heap_meet_object(value);
    }
}

#endif
