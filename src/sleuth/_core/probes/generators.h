/* The calls of generators and coroutines, while they wait and before they start. */
#ifndef SLEUTH_GENERATORS_H
#define SLEUTH_GENERATORS_H

#include "compat.h"

typedef struct { Frame *frame; uint64_t call; uint32_t place_base; } Suspended;

/* Return the entry of a started generator; NULL: not known.  Good until the next one is added. */
Suspended *generator_find(Frame *frame);
/* Add or change an entry; without memory nothing is added. */
void generator_know(Frame *frame, uint64_t call, uint32_t place_base);
void generator_forget(Frame *frame);       /* set the call of its entry to UINT64_MAX */

/* Note that a generator was made for this call; return the tag for its frame, 0 if none is free. */
uint16_t generator_made(PyCodeObject *code, uint64_t call);
/* A generator starts: if one with this tag and code was noted, set `call` and return true. */
int generator_start(uint16_t tag, PyCodeObject *code, uint64_t *call);
void generators_begin_anew(void);          /* forget all generators */

#endif
