/* Which object is which: a number for each object that the recorder has seen, for as long as it lives. */
#ifndef SLEUTH_IDENTITY_H
#define SLEUTH_IDENTITY_H

#include "compat.h"

int identity_start(void);   /* listen for objects that die; 0, or -1 with an exception */
void identity_stop(void);   /* listen no longer */

/* The object's id as the trace has it: its number times two, plus one if it is only probable.
 * 0: there is no memory for it. */
uint64_t identity_of(PyObject *object);

#endif
