/* Writing records into the ring: each is written whole or not at all. */
#ifndef SLEUTH_WRITE_H
#define SLEUTH_WRITE_H

#include "encode.h"
#include "ring.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A place for a record in a new segment; NULL: recording has ended. */
uint8_t *write_in_new_segment(void);
/* The record did not fit: is it to be written again, elsewhere or shorter? */
int write_again(void);

/* A place for a record: RING_RESERVE bytes at least; NULL: recording has ended. */
static inline uint8_t *
write_begin(void)
{
    if (unlikely(ring.pos > ring.limit)) {
        return write_in_new_segment();
    }
    return ring.pos;
}

/* Run the statements, which move p (NULL: there is no room), if need be again in a new segment, and
 * then keeping less of what is long.  `fixed`: so many bytes they write at most without asking whether
 * there is room: fields, and SMALL_VALUE for each value. */
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
/* A record that takes no moment. */
#define DEFINE(fixed, ...) RECORD(0, fixed, __VA_ARGS__)

#define VALUE(v) do { if (likely(p != NULL)) { p = encode(p, (v)); } } while (0)

#endif
