/* Probes: constants in the program's code that write an event when they are negated. */
#ifndef SLEUTH_PROBE_H
#define SLEUTH_PROBE_H

#include "compat.h"
#include "shared_numbers.h"

/* Shared with record/rewrite/probes.py: the kinds of probe, its flags, the row of its table. */
#define NO_DEPTH 0xFFFF

typedef struct __attribute__((packed)) {
    uint8_t op;
    uint8_t flags;
    uint16_t depth;
    uint32_t what;
    uint32_t extra;
} ProbeRow;

extern PyTypeObject ProbeType;
int probe_init(PyObject *module);
/* Another trace begins: calls that run, objects and tasks are unknown to it. */
void probe_begin_anew(void);
/* A probe for a row of a module's table, to stand in this code's constants (new reference). */
PyObject *probe_new(const ProbeRow *row, uint32_t functions, uint32_t sites, PyCodeObject *code);

#endif
