/* What objects contain: written when they are first seen, and again when code that is not recorded
 * has changed them. */
#ifndef SLEUTH_HEAP_H
#define SLEUTH_HEAP_H

#include "compat.h"
#include "shared_numbers.h"

/* Contents are recorded: not with calls only. */
extern int heap_is_on;
void heap_begin_anew(void);   /* nothing is told of any object yet */
/* The program has got hold of the dictionary of some instance: a store there changes the instance. */
extern int heap_is_exposed;
/* There are objects that change when they are only read. */
extern int heap_is_restless;
/* Look at the latest of these. */
void heap_meet_restless(void);

/* How much code that is not recorded has run. */
extern uint32_t heap_world;

int heap_pay(Py_ssize_t items);   /* 0: looking at so many costs too much now */

/* An object is about to be named in an event. */
void heap_meet_object(PyObject *object);
/* Code that is not recorded has run; what it was given may have changed.  The object may be dead. */
void heap_look(PyObject *object, uint64_t place);
/* Code that is not recorded has run: whatever is known may be out of date. */
void heap_doubt(void);

/* Objects whose hash is not known since recorded code has changed them.  Before code runs that is not
 * recorded, those that it may change are looked at. */
extern int heap_stale_count;
void heap_freshen_one(PyObject *object);
void heap_freshen(void);
/* Such code has run meanwhile: of those that are left nobody knows what it has changed. */
static inline void
heap_give_up_stale(void)
{
    heap_stale_count = 0;
}

/* Call for each known object that may change among those that this one leads to, itself included, up to
 * a bound. */
void heap_reach(PyObject *object, int (*found)(void *, PyObject *), void *context);

/* Is a store certain to do just what it says?  Then note that it happens. */
int heap_set_item(PyObject *receiver, PyObject *key, PyObject *value);
int heap_delete_item(PyObject *receiver, PyObject *key);
int heap_set_attribute(PyObject *receiver, PyObject *name, PyObject *value);

/* A variable that closures share is about to be set (NULL: deleted) by recorded code. */
void heap_set_cell(PyObject *cell, PyObject *value, int is_secret);

/* What a call is going to change for sure is written at once (true); else nothing is. */
int heap_before_list_method(PyObject *list, const char *name, PyObject *const *args, int count,
                            uint64_t place);
/* A set or dict has one item more than before: write just that. */
int heap_grown(PyObject *object, PyObject *item, uint64_t place);

/* For the globals of modules, which namespace.c watches. */
enum { CAUSE_NONE = 0 };   /* it is seen for the first time */
void heap_own(PyObject *dict);                 /* from now on somebody else watches this object */
int heap_can_pay(PyObject *dict);              /* 0: its contents are not sure from now on */
uint32_t heap_names_hash(PyObject *dict);
/* How a store will change that hash. */
uint32_t heap_name_change(PyObject *dict, PyObject *name, PyObject *value);
void heap_write_names(PyObject *dict, int cause, uint64_t place, uint32_t world);

static inline int
heap_is_atom(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type
        || type == &PyBool_Type || value == Py_None || type == &PyBytes_Type
        || type == &PyComplex_Type || value == Py_Ellipsis || value == Py_NotImplemented;
}

static inline void
heap_meet(PyObject *value)
{
    if (value && heap_is_on && !heap_is_atom(value)) {
        heap_meet_object(value);
    }
}

#endif
