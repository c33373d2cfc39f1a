/* Calls packed in columns, and the ends of calls that began in an earlier segment. */
#ifndef SLEUTH_PACKED_H
#define SLEUTH_PACKED_H

#include "walk.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packed calls are little endian and are read in place"
#endif


/* Flags of a call: those of its `enter`, and these; ENTER_ELSEWHERE: its parent started its thread. */

#define OPEN_LENGTH UINT64_MAX

typedef struct {
    uint64_t length; /* moments from its first to its last; OPEN_LENGTH: it has not ended */
    uint32_t first;  /* its first moment, counted from the segment's first */
    uint32_t up;     /* its id minus its parent's; 0: no parent */
    uint32_t function, place, thread, task;
    uint32_t span;   /* the id the next call had when it ended, minus its own id; 0: not ended */
    uint32_t events; /* its own */
    uint8_t outcome, flags;
} PackedCall;

/* The columns stand one after the other: length u64, eight times u32, outcome u8, flags u8. */

typedef struct {
    uint64_t last; /* moment; OPEN_LENGTH: it has not ended */
    uint32_t call;
    uint32_t until;  /* the id the next call had when it ended; 0: not ended */
    uint32_t events; /* its own, in this segment */
    uint32_t task;   /* that it ran in when it was first resumed in this segment */
    uint8_t outcome, flags;
    uint16_t unused[3];
} End;

/* New bytes. */
PyObject *pack_calls(const PackedCall *calls, size_t count);
/* New bytes; sorts the ends by call. */
PyObject *pack_ends(End *ends, size_t count);

_Static_assert(sizeof(End) == SIZE_OF_END, "trace/numbers.py has another size");

extern PyMethodDef packed_functions[];

#endif
