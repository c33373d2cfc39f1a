/* Walks over the records of a segment, without reading out of bounds whatever the bytes are. */
#ifndef SLEUTH_WALK_H
#define SLEUTH_WALK_H

#include "scan.h"
#include "shared_numbers.h"

#include <stdint.h>

/* Stores whose effect depends on the receiver: kinds of their own. */
enum { KIND_ASKED_FIRST = KIND_SET_ATTRIBUTE + DISTANCE_OF_ASKED, KIND_ASKED_LAST = KIND_DELETE_SLICE + DISTANCE_OF_ASKED };

/* The flag with which such a store is read. */
#define STORE_ASKED 1

#define MOST_GIVEN 65536 /* arguments and cells of one call */

#define NO_CALL UINT32_MAX
/* The limit for numbers of functions and sites: readers have tables with an item for each. */
#define MOST_IDS (1u << 23)

/* The offset and length of a long text or a type name in the segment. */
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
    int is_again; /* the segment was read before: the tables are complete */
    uint64_t cut; /* how many values are cut */
} Walk;

/* The fixed fields of one record.  `values` values follow; those of a `raise` are followed by a count and as
 * many values. */
typedef struct {
    uint8_t kind, flags; /* flags of `changed`, `spliced` and `put`: the cause */
    uint8_t part, part_flags;
    uint32_t digest; /* hash of all items, if not all are recorded */
    uint32_t place;
    uint64_t number, values;
    uint64_t since, length; /* of `changed`; `contents` has the full length, too */
    uint64_t start, removed; /* of `spliced` */
    uint64_t starter, started; /* of an `enter` with ENTER_ELSEWHERE: the starter and its moment */
} Record;

/* Tell whether a record is an event, which has a moment. */
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

/* Tell whether a record sets or deletes a variable. */
static inline int
binds(const Record *record)
{
    return record->kind == KIND_BIND || record->kind == KIND_UNBIND || record->kind == KIND_TURN;
}

void walk_start(Walk *walk, const void *data, Py_ssize_t size);   /* the data is borrowed */
void walk_end(Walk *walk);                                        /* free the tables */

/* The functions that read or skip return 0; or -1, with walk->wrong set or with MemoryError: then call
 * walk_complain. */

/* Read the fixed fields of the next record. */
int walk_record(Walk *walk, Record *record);
/* If a record is about the contents of an object, set `object` to its id and return true.  The record's fixed
 * fields were just read. */
int walk_object(const Walk *walk, const Record *record, uint64_t *object);
/* If a record writes into an object, set `stamp` to a number for the part that it writes, and return
 * true: equal for equal objects and keys, if the key is known (see docs/reference/trace-format.md). */
int walk_stamp(const Walk *walk, const Record *record, uint64_t object, uint32_t *stamp);
/* If the next value is an object, set `object` to its id and return true. */
int walk_is_object(const Walk *walk, uint64_t *object);
/* What is known of a value without making an object of it. */
typedef struct {
    uint64_t bits; /* 0: nothing; (id << 2) | 1: the object; (hash << 2) | 2: an integer or a short text, equal for
                      equal values; (hash << 2) | 3: another value */
    const uint8_t *type; /* of an object, borrowed: the name of its type */
    uint32_t type_length;
    int64_t integer;     /* of a value that has 64 bits */
    int is_integer;
} Token;
/* Step over the next value, and say what is known of it. */
int walk_token(Walk *walk, Token *token);
/* The hash (FNV-1a) in the bits of a text. */
uint64_t walk_hash(const uint8_t *text, uint64_t length);
/* Step over the next value. */
int walk_skip_value(Walk *walk);
/* Step over the values of a record whose fixed fields were just read. */
int walk_skip(Walk *walk, const Record *record);
/* Step over the next record; faster, but sets only its kind, number, flags and place. */
int walk_over(Walk *walk, Record *record);
/* Return the values of a record as a tuple of tuples (new reference).  Those of a `spliced` begin with
 * start and removed, those of a `changed` with since, part and full length.  NULL with an exception. */
PyObject *walk_values(Walk *walk, const Record *record);
/* Set the ValueError that walk->wrong describes, if no exception is set; return -1. */
int walk_complain(const Walk *walk);

/* Make room for one more element of an array; 0, or -1 with MemoryError. */
int walk_grow(void **array, size_t *room, size_t count, size_t size);

#endif
