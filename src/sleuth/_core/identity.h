/* Which object is which: a number for each object that the recorder has seen, for as long as it lives. */
#ifndef SLEUTH_IDENTITY_H
#define SLEUTH_IDENTITY_H

#include "compat.h"

int identity_start(void);   /* listen for objects that die; 0, or -1 with an exception */
void identity_stop(void);   /* listen no longer */
void identity_listen_to_deques(PyTypeObject *type);   /* their module is loaded by now */

/* What is known of an object; the pointer is good until the next one is made known. */
typedef struct {
    PyObject *object;      /* compared only.  NULL: free */
    PyTypeObject *type;    /* compared only */
    uint64_t hash;         /* of its contents when they were last looked at */
    uint32_t number;
    uint32_t size;         /* items then */
    uint32_t world;        /* how much code that is not recorded had run then */
    uint16_t layout;       /* see heap.c */
    uint8_t is_probable;
    uint8_t flags;         /* see heap.c */
} Known;

Known *identity_find(PyObject *object);    /* NULL: not known */
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
