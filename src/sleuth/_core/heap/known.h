/* The table of the objects that have a number in the trace; an entry has 24 bytes. */
#ifndef SLEUTH_KNOWN_H
#define SLEUTH_KNOWN_H

#include "compat.h"

/* An entry.  A pointer to it is good until an object dies or is added. */
typedef struct {
    PyObject *object;      /* only compared; NULL: the entry is free */
    uint32_t number;
    uint32_t hash;         /* of its contents when they were last looked at */
    uint32_t world;        /* heap_world then */
    uint16_t size;         /* number of items then, modulo 65,536; or known_tag, if is_probable */
    uint16_t layout : 12;  /* see layout.h */
    uint16_t flags : 3;    /* see heap_inside.h */
    uint16_t is_probable : 1;   /* its death would not be noticed: see identity.c */
} Known;

int known_start(void);                     /* make the table; 0, or -1: no memory */
void known_clear(void);                    /* remove all entries */
Known *known_find(PyObject *object);       /* NULL: not there */
Known *known_add(PyObject *object);        /* the object must not be there; NULL: no memory */
void known_remove(PyObject *object);

/* A short hash of a type, to notice that an address now has an object of another type. */
static inline uint16_t
known_tag(PyTypeObject *type)
{
    return (uint16_t)(((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15ULL >> 48);
}

#endif
