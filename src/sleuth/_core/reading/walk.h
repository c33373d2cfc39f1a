/* Walking over the records of a segment, without reading out of bounds whatever the bytes are. */
#ifndef SLEUTH_WALK_H
#define SLEUTH_WALK_H

#include "scan.h"
#include "shared_numbers.h"

#include <stdint.h>

/* Stores that are only asked for. */
enum { KIND_ASKED_FIRST = KIND_SET_ATTRIBUTE + DISTANCE_OF_ASKED, KIND_ASKED_LAST = KIND_DELETE_SLICE + DISTANCE_OF_ASKED };

/* A store that is only asked for is read as the store with this flag. */
#define STORE_ASKED 1

#define MOST_GIVEN 65536 /* arguments and cells of one call */

#define NO_CALL UINT32_MAX
/* Functions and sites have lower numbers: readers have tables with an item for each up to the last. */
#define MOST_IDS (1u << 23)

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
    int is_again; /* the tables are full already: nothing is entered any more */
    uint64_t cut;
} Walk;

/* The fixed fields of one record; `values` values follow, and for a raise a count and more. */
typedef struct {
    uint8_t kind, flags; /* flags of `changed`, `spliced` and `put`: the cause */
    uint8_t part, part_flags;
    uint32_t digest; /* of all items, where not all are kept */
    uint32_t place;
    uint64_t number, values;
    uint64_t since, length; /* of `changed`; the full length also of `contents` */
    uint64_t start, removed; /* of `spliced` */
    uint64_t starter, started; /* of an `enter` with ENTER_ELSEWHERE: a call, and when */
} Record;

static inline int
takes_moment(const Record *record)
{
    return record->kind >= KIND_ENTER && record->kind < KIND_CONTENTS;
}

static inline int
is_store(const Record *record)
{
    return record->kind >= KIND_SET_ATTRIBUTE && record->kind <= KIND_DELETE_SLICE;
}

static inline int
binds(const Record *record)
{
    return record->kind == KIND_BIND || record->kind == KIND_UNBIND || record->kind == KIND_TURN;
}

void walk_start(Walk *walk, const void *data, Py_ssize_t size);
void walk_end(Walk *walk);

/* Reads the fixed fields of the next record. -1: walk->wrong says why. */
int walk_record(Walk *walk, Record *record);
/* Stores the id of the object that a record is about, if it says something of what an object
 * contains; its fixed fields were just read. Returns whether it does. */
int walk_object(const Walk *walk, const Record *record, uint64_t *object);
/* Stores a number for what a record writes into an object: equal for equal objects and keys, where
 * the key is known (see docs/reference/trace-format.md).  Returns whether it writes anything. */
int walk_stamp(const Walk *walk, const Record *record, uint64_t object, uint32_t *stamp);
/* Stores the id of the object that the next value is; returns whether it is one. */
int walk_is_object(const Walk *walk, uint64_t *object);
/* Steps over the next value. */
int walk_skip_value(Walk *walk);
/* Steps over the values of a record whose fixed fields were just read. */
int walk_skip(Walk *walk, const Record *record);
/* Steps over the next record, quickly; sets its kind, number, flags and place alone. */
int walk_over(Walk *walk, Record *record);
/* New reference: the values of that record as a tuple of tuples; those of a `spliced` begin with
 * start and removed, those of a `changed` with since, part and full length. NULL: exception set. */
PyObject *walk_values(Walk *walk, const Record *record);
/* Sets the ValueError that walk->wrong describes; returns -1. */
int walk_complain(const Walk *walk);

/* Makes room for one more element; returns -1 with MemoryError set. */
int walk_grow(void **array, size_t *room, size_t count, size_t size);

#endif
