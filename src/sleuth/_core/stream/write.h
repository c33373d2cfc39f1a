/* Macros that write a record into the ring, whole or not at all. */
#ifndef SLEUTH_WRITE_H
#define SLEUTH_WRITE_H

#include "encode.h"
#include "ring.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Begin a new segment and return the place for a record; NULL: recording has ended. */
uint8_t *write_in_new_segment(void);
/* A record did not fit: begin a new segment, or set encode_tight; true: write it again. */
int write_again(void);

/* Return the place for a record, with RING_RESERVE bytes at least; NULL: recording has ended. */
static inline uint8_t *
write_begin(void)
{
    if (unlikely(ring.pos > ring.limit)) {
        return write_in_new_segment();
    }
    return ring.pos;
}

/* Run the statements, which advance p (NULL: there is no room).  If there was no room, run them again in a
 * new segment, and then with encode_tight.  `fixed` is the most bytes that they write without checking the
 * room: fields, and SMALL_VALUE for each value. */
#define RECORD(moments, fixed, ...) \
    do { \
        _Static_assert((fixed) <= RING_TAIL, "more than a record may write without asking"); \
        int is_again = 0; \
        do { \
            uint8_t *p = write_begin(); \
            if (unlikely(!p)) { \
                break; \
            } \
            __VA_ARGS__ \
            if (likely(p != NULL)) { \
                ring_commit(p); \
                ring.moment += (moments); \
                break; \
            } \
        } while ((is_again = write_again())); \
        if (unlikely(is_again)) { \
            encode_tight = 0; \
        } \
    } while (0)

#define WRITE(fixed, ...) RECORD(1, fixed, __VA_ARGS__)
/* Write a record that is no event, and has no moment. */
#define DEFINE(fixed, ...) RECORD(0, fixed, __VA_ARGS__)

#define VALUE(v) do { if (likely(p != NULL)) { p = encode(p, (v)); } } while (0)

#endif
