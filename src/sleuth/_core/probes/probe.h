/* Probes: constants in the program's code that write an event when they are negated. */
#ifndef SLEUTH_PROBE_H
#define SLEUTH_PROBE_H

#include "compat.h"
#include "shared_numbers.h"

#define NO_DEPTH 0xFFFF    /* the depth of a probe that looks at no value */

/* A probe as record/rewrite/probes.py packs it. */
typedef struct __attribute__((packed)) {
    uint8_t op;            /* OP_ */
    uint8_t flags;         /* FLAG_ */
    uint16_t depth;        /* of the topmost value that it looks at, from the bottom of the stack */
    uint32_t what;         /* its function or site, counted from 0 in its module */
    uint32_t extra;        /* depends on op */
} ProbeRow;

extern PyTypeObject ProbeType;
int probe_init(PyObject *module);   /* add the type to the module; 0, or -1 with an exception */
/* Begin another trace: forget all threads, calls, generators, tasks and objects. */
void probe_begin_anew(void);
/* Make a probe for the constants of this code (new reference); NULL with an exception: no memory, or an
 * unknown kind. */
PyObject *probe_new(const ProbeRow *row, uint32_t functions, uint32_t sites, PyCodeObject *code);

#endif
