/* Which object is which: a number for each object that the recorder has seen, for as long as it lives. */
#ifndef SLEUTH_IDENTITY_H
#define SLEUTH_IDENTITY_H

#include "known.h"

int identity_start(void);   /* listen for objects that die; 0, or -1 with an exception */
void identity_stop(void);   /* listen no longer */
void identity_begin_anew(void);   /* no object is known any more */
void identity_listen_to_deques(PyTypeObject *type);   /* their module is loaded by now */

/* The first base of a type that is not written in Python. */
PyTypeObject *identity_base(PyTypeObject *type);

static inline Known *
identity_find(PyObject *object)   /* NULL: not known */
{
    return known_find(object);
}

Known *identity_known(PyObject *object);   /* makes it known; NULL: no memory */

static inline uint64_t
identity_id(const Known *known)
{
    return (uint64_t)known->number << 1 | known->is_probable;
}

/* The object's id as the trace has it: its number times two, plus one if it is only probable.
 * 0: there is no memory for it. */
uint64_t identity_of(PyObject *object);

#endif
