/* The table of the objects that the trace has names for: 24 bytes each, densely packed. */
#ifndef SLEUTH_KNOWN_H
#define SLEUTH_KNOWN_H

#include "compat.h"

/* What is known of an object; the pointer is good until an object dies or is made known. */
typedef struct {
    PyObject *object;      /* compared only.  NULL: free */
    uint32_t number;
    uint32_t hash;         /* of its contents when they were last looked at */
    uint32_t world;        /* how much code that is not recorded had run then */
    uint16_t size;         /* items then, modulo 65,536; where identity is only probable: known_tag */
    uint16_t layout : 12;  /* see layout.h */
    uint16_t flags : 3;    /* see heap_inside.h */
    uint16_t is_probable : 1;
} Known;

int known_start(void);                     /* -1: no memory */
void known_clear(void);
Known *known_find(PyObject *object);       /* NULL: not there */
Known *known_add(PyObject *object);        /* it must not be there; NULL: no memory */
void known_remove(PyObject *object);

/* A type in short, to tell that an object at the same address is another one. */
static inline uint16_t
known_tag(PyTypeObject *type)
{
    return (uint16_t)(((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15ULL >> 48);
}

#endif
