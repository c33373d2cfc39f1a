/* Probes: constants in the program's code that write an event when they are negated. */
#ifndef SLEUTH_PROBE_H
#define SLEUTH_PROBE_H

#include "compat.h"

/* Shared with record/rewrite/probes.py: the kinds of probe, its flags, the row of its table. */
enum {
    OP_ENTER = 1, OP_START, OP_RETURN, OP_RETURN_CONST, OP_SUSPEND, OP_RESUME, OP_UNWIND, OP_CATCH,
    OP_LOOP, OP_TURN, OP_ARM, OP_BIND, OP_BIND_SLOT, OP_UNBIND, OP_SET_ATTRIBUTE,
    OP_DELETE_ATTRIBUTE, OP_SET_ITEM, OP_DELETE_ITEM, OP_SET_SLICE, OP_HANDLED, OP_CALL, OP_EXPOSE, OP_COUNT
};
enum { FLAG_DEFERRED = 1, FLAG_PART = 2, FLAG_WAITS = 4, FLAG_IN_PLACE = 8, FLAG_UNPACKS = 16,
       FLAG_SECRET = 32, FLAG_CELL = 64, FLAG_GLOBAL = 128 };
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
