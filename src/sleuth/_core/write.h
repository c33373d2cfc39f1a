/* Writing records into the ring: each is written whole or not at all. */
#ifndef SLEUTH_WRITE_H
#define SLEUTH_WRITE_H

#include "encode.h"
#include "ring.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A place for a record, in a new segment if need be; NULL: recording has ended. */
uint8_t *write_in_new_segment(void);

static inline uint8_t *
write_begin(size_t room)
{
    if (unlikely(ring.pos + room > ring.end || ring.pos > ring.limit)) {
        return write_in_new_segment();
    }
    return ring.pos;
}

/* Run the statements, which move p (NULL: there is no room), if need be again in a new segment, and
 * then keeping less of long texts. */
#define WRITE(room, ...) \
    do { \
        for (int attempt = 0; attempt < 3; attempt++) { \
            uint8_t *p = write_begin(room); \
            if (!p) { \
                break; \
            } \
            __VA_ARGS__ \
            if (likely(p != NULL)) { \
                ring_commit(p); \
                ring.moment++; \
                break; \
            } \
            encode_tight = attempt == 1; \
            ring_next_segment(); \
        } \
        encode_tight = 0; \
    } while (0)

/* A record that takes no moment. */
#define DEFINE(room, ...) \
    do { \
        WRITE(room, __VA_ARGS__); \
        ring.moment--; \
    } while (0)

#define VALUE(v) do { if (likely(p != NULL)) { p = encode(p, (v)); } } while (0)

#endif
