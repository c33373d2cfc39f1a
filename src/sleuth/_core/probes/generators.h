/* Which call a generator belongs to, while it waits and before it starts. */
#ifndef SLEUTH_GENERATORS_H
#define SLEUTH_GENERATORS_H

#include "compat.h"

typedef struct { Frame *frame; uint64_t call; uint32_t place_base; } Suspended;

Suspended *generator_find(Frame *frame);   /* NULL: not known */
void generator_know(Frame *frame, uint64_t call, uint32_t place_base);
void generator_forget(Frame *frame);       /* its call is UINT64_MAX from now on */

/* One was made for this call and waits for its start; returns its tag, 0 if there is none to spare. */
uint16_t generator_made(PyCodeObject *code, uint64_t call);
/* It starts: true if one with this tag and code waits; then its call is told. */
int generator_start(uint16_t tag, PyCodeObject *code, uint64_t *call);
void generators_begin_anew(void);          /* none is known any more */

#endif
