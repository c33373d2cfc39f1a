/* Calls packed in columns, and the ends of calls that began in an earlier segment. */
#ifndef SLEUTH_PACKED_H
#define SLEUTH_PACKED_H

#include "walk.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packed calls are little endian and are read in place"
#endif


/* The flags of a call are those of its `enter` record (ENTER_) and CALL_. */

#define OPEN_LENGTH UINT64_MAX   /* the call has not ended */

typedef struct {
    uint64_t length; /* moments from its first to its last; OPEN_LENGTH: it has not ended */
    uint32_t first;  /* its first moment, counted from the segment's first */
    uint32_t up;     /* its id minus its parent's; 0: no parent */
    uint32_t function, place, thread, task;
    uint32_t span;   /* the id of the next call at the time it ended, minus its own id; 0: not ended */
    uint32_t events; /* the number of its own events */
    uint8_t outcome, flags;
} PackedCall;

/* The columns follow each other: length u64, eight times u32, outcome u8, flags u8. */

/* A change of a call that began in an earlier segment: that it ended, or was resumed. */
typedef struct {
    uint64_t last; /* moment; OPEN_LENGTH: it has not ended */
    uint32_t call;
    uint32_t until;  /* the id of the next call at the time it ended; 0: not ended */
    uint32_t events; /* the number of its own events in this segment */
    uint32_t task;   /* the task in which it was first resumed in this segment */
    uint8_t outcome, flags;
    uint16_t unused[3];
} End;

/* Return calls as bytes (new reference), or NULL with an exception. */
PyObject *pack_calls(const PackedCall *calls, size_t count);
/* The same for ends, which are sorted by call in place. */
PyObject *pack_ends(End *ends, size_t count);

_Static_assert(sizeof(End) == SIZE_OF_END, "trace/numbers.py has another size");

extern PyMethodDef packed_functions[];

#endif
