/* A number for each object that the recorder has met, as long as the object lives. */
#ifndef SLEUTH_IDENTITY_H
#define SLEUTH_IDENTITY_H

#include "known.h"

int identity_start(void);   /* wrap the destructors of builtin types; 0, or -1 with an exception */
void identity_stop(void);   /* restore them */
void identity_begin_anew(void);   /* forget all objects, and number them from 1 again */
void identity_listen_to_deques(PyTypeObject *type);   /* wrap the destructor of deques, once it is found */

/* Return the first base of a type that is not written in Python, borrowed. */
PyTypeObject *identity_base(PyTypeObject *type);

static inline Known *
identity_find(PyObject *object)   /* NULL: not known */
{
    return known_find(object);
}

Known *identity_known(PyObject *object);   /* find or add it; NULL: no memory */

static inline uint64_t
identity_id(const Known *known)
{
    return (uint64_t)known->number << 1 | known->is_probable;
}

/* Return the object's id in the trace: its number times two, plus one if the number is only probable.
 * 0: no memory. */
uint64_t identity_of(PyObject *object);

#endif
