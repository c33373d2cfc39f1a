/* Sets of numbers: which objects and sites a segment has records of. */
#ifndef SLEUTH_NUMBERS_H
#define SLEUTH_NUMBERS_H

#include "walk.h"

typedef struct {
    uint64_t *slots; /* owned; a hash table; 0: empty */
    size_t count, room;
    int has_zero;
    uint64_t recent; /* most records are about what the one before was about */
} Numbers;

/* -1: MemoryError set. */
int numbers_add(Numbers *numbers, uint64_t number);
void numbers_free(Numbers *numbers);
/* New bytes: in order, each as a varint of its distance from the one before. */
PyObject *numbers_pack(const Numbers *numbers);

extern PyMethodDef numbers_functions[];

#endif
