/* The reader of decimals: a decimal is written as its text, such as `1.50`, `-1E+20`, `NaN`. */
#include "fields_read.h"

#define WORD_DIGITS 19
#define MOST_WORDS 256       /* of longer decimals no value is recorded */
#define ROOM (MOST_WORDS * WORD_DIGITS + 64)
enum { NEGATIVE = 1, INFINITE = 2, NOT_A_NUMBER = 4, SIGNALING = 8 };

/* As in mpdecimal.h and _decimal.c where words have 64 bits; the same from 3.11 to 3.13. */
typedef struct {
    PyObject_HEAD
    Py_hash_t hash;
    uint8_t flags;
    Py_ssize_t exponent, digits, words, room;
    const uint64_t *data;    /* words of 19 digits, the least significant first */
    uint64_t own[4];
} Decimal;
_Static_assert(sizeof(Decimal) == SIZE_OF_DECIMAL, "not the decimal of this interpreter");

/* Write the coefficient; return the number of its digits. */
static Py_ssize_t
put_coefficient(char *out, const Decimal *number)
{
    char *p = out;
    for (Py_ssize_t i = number->words - 1; i >= 0; i--) {
        p += PyOS_snprintf(p, WORD_DIGITS + 2, p == out ? "%llu" : "%019llu",
                           (unsigned long long)number->data[i]);
    }
    return p - out;
}

/* Write a finite number as str() does: with a point, and an exponent if there would be many zeros. */
static char *
put_finite(char *p, const char *digits, Py_ssize_t count, Py_ssize_t exponent)
{
    Py_ssize_t left = exponent + count;   /* digits that stand before the point */
    int is_plain = exponent <= 0 && left > -6;
    Py_ssize_t before = is_plain ? left : 1;
    if (before <= 0) {
        *p++ = '0';
        *p++ = '.';
        memset(p, '0', (size_t)-before);
        p += -before;
        memcpy(p, digits, (size_t)count);
        p += count;
    }
    else {
        memcpy(p, digits, (size_t)before);
        p += before;
        if (before < count) {
            *p++ = '.';
            memcpy(p, digits + before, (size_t)(count - before));
            p += count - before;
        }
    }
    return is_plain ? p : p + PyOS_snprintf(p, 32, "E%+lld", (long long)(left - 1));
}

int
read_decimal(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    static char text[ROOM], digits[ROOM];
    const Decimal *number = (const Decimal *)object;
    char *p = text;
    if (number->words < 0 || number->words > MOST_WORDS || (number->words && !number->data)) {
        return 0;
    }
    if (number->flags & NEGATIVE) {
        *p++ = '-';
    }
    if (number->flags & INFINITE) {
        p = stpcpy(p, "Infinity");
    }
    else if (number->flags & (NOT_A_NUMBER | SIGNALING)) {
        p = stpcpy(p, number->flags & SIGNALING ? "sNaN" : "NaN");
        p += put_coefficient(p, number);
    }
    else {
        p = put_finite(p, digits, put_coefficient(digits, number), number->exponent);
    }
    return visit_new(PyUnicode_FromStringAndSize(text, p - text), "value", visit, context);
}
