/* Sets of numbers: the ids of objects and sites that a segment has records of. */
#ifndef SLEUTH_NUMBERS_H
#define SLEUTH_NUMBERS_H

#include "walk.h"

typedef struct {
    uint64_t *slots; /* owned; a hash table; 0: empty */
    size_t count, room;
    int has_zero;
    uint64_t recent; /* the number added last: most records repeat it */
} Numbers;

/* Add a number; 0, or -1 with MemoryError. */
int numbers_add(Numbers *numbers, uint64_t number);
void numbers_free(Numbers *numbers);
/* Return the numbers as bytes (new reference): ascending, each as a varint of its distance from the one
 * before.  NULL with MemoryError. */
PyObject *numbers_pack(const Numbers *numbers);

extern PyMethodDef numbers_functions[];

#endif
