/* Encodes live objects as bytes of the event stream: bounded, without running any of their code. */
#ifndef SLEUTH_ENCODE_H
#define SLEUTH_ENCODE_H

#include "compat.h"
#include "ring.h"

/* Write a value (may be NULL) at p, and return the end.  NULL: it does not fit, start a new segment.  A value
 * that fits leaves RING_TAIL bytes free behind it.  `encode` writes small numbers and None without checking
 * the room; they take SMALL_VALUE bytes at most. */
uint8_t *encode_slow(uint8_t *p, PyObject *value);
#define SMALL_VALUE 6
/* For a value that has no room: return NULL; or, if encode_tight is set, write a few bytes that say so. */
uint8_t *encode_without_room(uint8_t *p);
/* Write a text given in UTF-8, or the reason why a value is not recorded.  Both take the size of the text and
 * UTF8_HEAD bytes; the caller has checked that there is room. */
uint8_t *encode_utf8(uint8_t *p, const char *text, size_t size);
uint8_t *encode_not_kept(uint8_t *p, const char *why);
#define UTF8_HEAD 6
/* Forget a type that dies: another type may get its address. */
void encode_forget_type(PyTypeObject *type);
/* Set while a record is written that did not fit even into an empty segment: long texts are cut shorter,
 * and values behind ENCODE_TIGHT_RESERVE are replaced by a note. */
extern int encode_tight;
#define ENCODE_TIGHT_RESERVE (64 << 10)

/* Tell whether there is room for `size` bytes of one value. */
static inline int
encode_fits(const uint8_t *p, size_t size)
{
    return ring_fits(p, size + (encode_tight ? ENCODE_TIGHT_RESERVE : 0));
}

#define TAG_ABSENT 0x00
#define TAG_CONSTANT 0x01
#define TAG_INT 0x02
#define TAG_BYTES 0x07
#define TAG_SMALL 0x40

static inline uint8_t *
put_varint(uint8_t *p, uint64_t value)
{
    while (value > 0x7F) {
        *p++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *p++ = (uint8_t)value;
    return p;
}

static inline uint8_t *
encode_none(uint8_t *p)
{
    p[0] = TAG_CONSTANT;
    p[1] = 0;
    return p + 2;
}

_Static_assert(PyLong_SHIFT <= 30, "a number of one digit takes more than SMALL_VALUE bytes");

static inline uint8_t *
encode(uint8_t *p, PyObject *value)
{
    if (value && Py_IS_TYPE(value, &PyLong_Type) && LONG_IS_COMPACT(value)) {
        Py_ssize_t n = LONG_COMPACT_VALUE(value);
        if ((size_t)n < 64) {
            *p++ = (uint8_t)(TAG_SMALL + n);
            return p;
        }
        *p++ = TAG_INT;
        return put_varint(p, ((uint64_t)n << 1) ^ (uint64_t)(n >> 63));
    }
    if (value == Py_None) {
        return encode_none(p);
    }
    return encode_slow(p, value);
}

#endif
