/* Walking over the records of a segment, without reading out of bounds whatever the bytes are. */
#ifndef SLEUTH_WALK_H
#define SLEUTH_WALK_H

#include "scan.h"

#include <stdint.h>

enum kind {
    KIND_THREAD = 0x01, KIND_TASK = 0x02, KIND_NAME = 0x03,
    KIND_ENTER = 0x10, KIND_RETURN = 0x11, KIND_SUSPEND = 0x12, KIND_RESUME = 0x13,
    KIND_UNWIND = 0x14, KIND_LOST = 0x15, KIND_RAISE = 0x18, KIND_CATCH = 0x19,
    KIND_LOOP = 0x20, KIND_TURN = 0x21, KIND_ARM = 0x22,
    KIND_BIND = 0x28, KIND_UNBIND = 0x29, KIND_SET_ATTRIBUTE = 0x2A, KIND_DELETE_ATTRIBUTE = 0x2B,
    KIND_SET_ITEM = 0x2C, KIND_DELETE_ITEM = 0x2D, KIND_SET_SLICE = 0x2E, KIND_DELETE_SLICE = 0x2F,
    KIND_OUTPUT = 0x30, KIND_CHILD = 0x31, KIND_STOPPED = 0x32,
};

#define FIRST_KIND_WITH_MOMENT 0x10
#define ENTER_DEFERRED 1

#define NO_CALL UINT32_MAX

/* Where a long text or a type name stands in the segment. */
typedef struct {
    uint32_t at, length;
} Place;

typedef struct {
    Place *places; /* owned */
    size_t count, room;
} Table;

typedef struct {
    const uint8_t *base, *at, *end; /* borrowed */
    const char *wrong;              /* static text; NULL: all is well */
    Table texts, types;
    uint64_t cut;
} Walk;

/* The fixed fields of one record; `values` values follow, and for a raise a count and more. */
typedef struct {
    uint8_t kind, flags;
    uint32_t place;
    uint64_t number, values;
} Record;

void walk_start(Walk *walk, const void *data, Py_ssize_t size);
void walk_end(Walk *walk);

/* Reads the fixed fields of the next record. -1: walk->wrong says why. */
int walk_record(Walk *walk, Record *record);
/* Steps over the values of a record whose fixed fields were just read. */
int walk_skip(Walk *walk, const Record *record);
/* New reference: the values of that record as a tuple of tuples. NULL: exception set. */
PyObject *walk_values(Walk *walk, const Record *record);
/* Sets the ValueError that walk->wrong describes; returns -1. */
int walk_complain(const Walk *walk);

/* Makes room for one more element; returns -1 with MemoryError set. */
int walk_grow(void **array, size_t *room, size_t count, size_t size);

#endif
