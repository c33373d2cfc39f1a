/* Writes the items of arrays as values: numbers, texts, dates. */
#include "arrays.h"

#include "encode.h"
#include "numpy_memory.h"

#define MOST_ITEM_TEXT 200   /* bytes of one text in an array */
_Static_assert(MOST_ITEM_TEXT + 4 + UTF8_HEAD <= ARRAYS_ITEM_ROOM, "the longest item");
#define SCALAR_AT ((Py_ssize_t)sizeof(PyObject))

/* --- numbers */

typedef struct {
    enum { NO_NUMBER, SIGNED, UNSIGNED, FLOATING } kind;
    int64_t i;
    uint64_t u;
    double d;
} Number;

static double
half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    double value = exponent == 31 ? (fraction ? Py_NAN : Py_HUGE_VAL)
        : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* Copy bytes of an item in the processor's order. */
static void
native(const Array *array, const char *item, Py_ssize_t at, size_t size, void *out)
{
    memcpy(out, item + at, size);
    for (size_t i = 0; array->is_swapped && i < size / 2; i++) {
        uint8_t *bytes = out, kept = bytes[i];
        bytes[i] = bytes[size - 1 - i];
        bytes[size - 1 - i] = kept;
    }
}

#define CASE(number, type, kind_, field, out_type) \
    case number: { \
        type value; \
        native(array, item, 0, sizeof(value), &value); \
        return (Number){.kind = kind_, .field = (out_type)value}; \
    }

static Number
number_of(const Array *array, const char *item)
{
    switch (array->type) {
    CASE(T_BOOLEAN, uint8_t, UNSIGNED, u, uint64_t)
    CASE(T_INT8, int8_t, SIGNED, i, int64_t)
    CASE(T_UINT8, uint8_t, UNSIGNED, u, uint64_t)
    CASE(T_INT16, int16_t, SIGNED, i, int64_t)
    CASE(T_UINT16, uint16_t, UNSIGNED, u, uint64_t)
    CASE(T_INTC, int, SIGNED, i, int64_t)
    CASE(T_UINTC, unsigned, UNSIGNED, u, uint64_t)
    CASE(T_LONG_, long, SIGNED, i, int64_t)
    CASE(T_ULONG_, unsigned long, UNSIGNED, u, uint64_t)
    CASE(T_LONGLONG_, int64_t, SIGNED, i, int64_t)
    CASE(T_ULONGLONG_, uint64_t, UNSIGNED, u, uint64_t)
    CASE(T_DATETIME, int64_t, SIGNED, i, int64_t)
    CASE(T_TIMEDELTA, int64_t, SIGNED, i, int64_t)
    CASE(T_FLOAT32, float, FLOATING, d, double)
    CASE(T_FLOAT64, double, FLOATING, d, double)
    CASE(T_LONGDOUBLE, long double, FLOATING, d, double)
    case T_FLOAT16: {
        uint16_t bits;
        native(array, item, 0, 2, &bits);
        return (Number){.kind = FLOATING, .d = half(bits)};
    }
    default:
        return (Number){.kind = NO_NUMBER};
    }
}

static int
is_nan(const Array *array, Number number)
{
    if (array->type == T_DATETIME || array->type == T_TIMEDELTA) {
        return number.i == INT64_MIN;
    }
    return number.kind == FLOATING && number.d != number.d;
}

static int
is_less(Number a, Number b)
{
    return a.kind == SIGNED ? a.i < b.i : a.kind == UNSIGNED ? a.u < b.u : a.d < b.d;
}

typedef struct { ArrayRange *range; Number least, greatest; } Ranging;

static int
range_item(void *context, const Array *array, const char *item)
{
    Ranging *ranging = context;
    Number number = number_of(array, item);
    if (number.kind == NO_NUMBER) {
        return 1;
    }
    if (is_nan(array, number)) {
        ranging->range->nan++;
        return 0;
    }
    if (!ranging->range->least || is_less(number, ranging->least)) {
        ranging->least = number;
        ranging->range->least = item;
    }
    if (!ranging->range->greatest || is_less(ranging->greatest, number)) {
        ranging->greatest = number;
        ranging->range->greatest = item;
    }
    return 0;
}

void
arrays_range(const Array *array, ArrayRange *range)
{
    *range = (ArrayRange){NULL, NULL, 0};
    Ranging ranging = {range, {0}, {0}};
    arrays_visit(array, range_item, &ranging);
}

/* --- dates */

static const char *const units[] = {"Y", "M", "W", "", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs",
                                    "as", ""};

static DateMetadata *
date_metadata(const Array *array)
{
    DateMetadata *data = is_first_form(array->descr) ? ((Descr1 *)array->descr)->c_metadata
        : is_second_form(array->descr) ? ((Descr2 *)array->descr)->c_metadata : NULL;
    return data && data->unit >= 0 && data->unit < 14 && data->count > 0 ? data : NULL;
}

/* Convert days since 1970 to a date; the calendar repeats after 400 years. */
static void
civil(int64_t days, int64_t *year, int *month, int *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t rest = days - era * 146097;
    int64_t years = (rest - rest / 1460 + rest / 36524 - rest / 146096) / 365;
    int64_t of_year = rest - (365 * years + years / 4 - years / 100);
    int64_t shifted = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * shifted + 2) / 5 + 1);
    *month = (int)(shifted < 10 ? shifted + 3 : shifted - 9);
    *year = years + era * 400 + (*month <= 2);
}

static int64_t
floored(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Write a date as ISO 8601 does; one in units finer than nanoseconds or coarser than days, and a time
 * difference, as a number of units. */
static int
date_text(const Array *array, int64_t value, char *out, size_t room)
{
    static const int64_t in_day[] = {1, 24, 1440, 86400, 86400000LL, 86400000000LL, 86400000000000LL};
    DateMetadata *data = date_metadata(array);
    if (value == INT64_MIN) {
        return snprintf(out, room, "NaT");
    }
    if (!data) {
        return snprintf(out, room, "%lld", (long long)value);
    }
    if (array->type == T_TIMEDELTA || data->unit < 4 || data->unit > 10 || data->count != 1) {
        return snprintf(out, room, "%lld * %d %s", (long long)value, data->count, units[data->unit]);
    }
    int64_t year, ticks = in_day[data->unit - 4];
    int64_t days = floored(value, ticks), rest = value - days * ticks;
    int month, day;
    civil(days, &year, &month, &day);
    int size = snprintf(out, room, "%04lld-%02d-%02d", (long long)year, month, day);
    if (data->unit == 4) {
        return size;
    }
    int64_t second = ticks >= 86400 ? ticks / 86400 : 1;
    int64_t seconds = ticks >= 86400 ? rest / second : rest * (86400 / ticks);
    size += snprintf(out + size, room - (size_t)size, "T%02d:%02d:%02d", (int)(seconds / 3600),
                     (int)(seconds / 60 % 60), (int)(seconds % 60));
    if (data->unit > 7) {
        size += snprintf(out + size, room - (size_t)size, ".%0*lld", 3 * (data->unit - 7),
                         (long long)(rest % second));
    }
    return size;
}

/* --- writing items */

static uint8_t *
put_int(uint8_t *p, int64_t value)
{
    *p++ = TAG_INT;
    return put_varint(p, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

static uint8_t *
put_unsigned(uint8_t *p, uint64_t value)
{
    if (value <= INT64_MAX) {
        return put_int(p, (int64_t)value);
    }
    *p++ = 0x03;
    *p++ = 9;
    memcpy(p, &value, 8);
    p[8] = 0;
    return p + 9;
}

static uint8_t *
put_complex(uint8_t *p, const Array *array, const char *item)
{
    double both[2];
    for (int i = 0; i < 2; i++) {
        if (array->type == T_COMPLEX128) {
            native(array, item, 8 * i, 8, &both[i]);
        }
        else if (array->type == T_COMPLEX64) {
            float value;
            native(array, item, 4 * i, 4, &value);
            both[i] = value;
        }
        else {
            long double value;
            native(array, item, (Py_ssize_t)sizeof(value) * i, sizeof(value), &value);
            both[i] = (double)value;
        }
    }
    *p++ = 0x05;
    memcpy(p, both, 16);
    return p + 16;
}

/* Write a text; numpy fills a text that is shorter than the item with zeros. */
static uint8_t *
put_text(uint8_t *p, const Array *array, const char *item)
{
    Py_ssize_t length = array->item_size / 4;
    uint32_t sign;
    uint8_t text[MOST_ITEM_TEXT + 4], *end = text;
    for (; length > 0; length--) {
        native(array, item, 4 * (length - 1), 4, &sign);
        if (sign) {
            break;
        }
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        native(array, item, 4 * i, 4, &sign);
        if (end - text > MOST_ITEM_TEXT - 4 || sign > 0x10FFFF) {
            return encode_not_kept(p, "a long text of an array");
        }
        if (sign < 0x80) {
            *end++ = (uint8_t)sign;
            continue;
        }
        int more = sign < 0x800 ? 1 : sign < 0x10000 ? 2 : 3;
        *end++ = (uint8_t)((0xFF00 >> (more + 1) & 0xFF) | sign >> 6 * more);
        while (more--) {
            *end++ = (uint8_t)(0x80 | (sign >> 6 * more & 0x3F));
        }
    }
    return encode_utf8(p, (const char *)text, (size_t)(end - text));
}

static uint8_t *
put_bytes(uint8_t *p, const Array *array, const char *item)
{
    Py_ssize_t length = array->item_size;
    while (array->type == T_BYTES && length > 0 && !item[length - 1]) {
        length--;
    }
    if (length > MOST_ITEM_TEXT) {
        return encode_not_kept(p, "long bytes of an array");
    }
    *p++ = 0x07;
    p = put_varint(p, (uint64_t)length);
    memcpy(p, item, (size_t)length);
    return p + length;
}

static uint8_t *
put_item(uint8_t *p, const Array *array, const char *item)
{
    char text[80];
    Number number = number_of(array, item);
    switch (array->type) {
    case T_BOOLEAN:
        p[0] = TAG_CONSTANT;
        p[1] = number.u ? 1 : 2;
        return p + 2;
    case T_COMPLEX64: case T_COMPLEX128: case T_CLONGDOUBLE:
        return put_complex(p, array, item);
    case T_OBJECTS:
        return encode(p, arrays_object(item));
    case T_TEXT:
        return put_text(p, array, item);
    case T_BYTES: case T_VOID:
        return put_bytes(p, array, item);
    case T_DATETIME: case T_TIMEDELTA:
        return encode_utf8(p, text, (size_t)date_text(array, number.i, text, sizeof(text)));
    default:
        break;
    }
    if (number.kind == SIGNED) {
        return put_int(p, number.i);
    }
    if (number.kind == UNSIGNED) {
        return put_unsigned(p, number.u);
    }
    *p++ = 0x04;
    memcpy(p, &number.d, 8);
    return p + 8;
}

uint8_t *
arrays_put_item(uint8_t *p, const Array *array, const char *item)
{
    return ring_fits(p, ARRAYS_ITEM_ROOM) ? put_item(p, array, item) : NULL;
}

void
arrays_type_name(const Array *array, char *out, size_t room)
{
    if (array->type >= T_COUNT) {
        snprintf(out, room, "%.60s", array->descr ? Py_TYPE(array->descr)->tp_name : "unknown");
        return;
    }
    const char *order = array->is_swapped ? (PY_LITTLE_ENDIAN ? " big-endian" : " little-endian") : "";
    DateMetadata *data = NULL;
    if (array->type == T_DATETIME || array->type == T_TIMEDELTA) {
        data = date_metadata(array);
    }
    if (data && data->count != 1) {
        snprintf(out, room, "%s[%d%s]%s", item_types[array->type].name, data->count, units[data->unit], order);
    }
    else if (data) {
        snprintf(out, room, "%s[%s]%s", item_types[array->type].name, units[data->unit], order);
    }
    else if (item_types[array->type].size) {
        snprintf(out, room, "%s%s", item_types[array->type].name, order);
    }
    else {
        snprintf(out, room, "%s[%zd]%s", item_types[array->type].name,
                 array->type == T_TEXT ? array->item_size / 4 : array->item_size, order);
    }
}

/* --- numbers that come out of arrays */

/* Tell whether this is the name that numpy 1 has for an item type. */
static int
is_older_name(const char *name, int type)
{
    return (type == T_BOOLEAN && strcmp(name, "bool_") == 0)
        || (type == T_LONGDOUBLE && strcmp(name, "float128") == 0)
        || (type == T_CLONGDOUBLE && strcmp(name, "complex256") == 0);
}

uint8_t *
arrays_put_scalar(uint8_t *p, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) || strncmp(type->tp_name, "numpy.", 6) != 0
        || !arrays_type()) {
        return NULL;
    }
    const char *name = type->tp_name + 6;
    for (int i = 0; i < T_COUNT; i++) {
        int is_number = i < T_OBJECTS || i == T_FLOAT16;
        if (is_number && (strcmp(name, item_types[i].name) == 0 || is_older_name(name, i))
            && type->tp_basicsize == SCALAR_AT + (item_types[i].size < 8 ? 8 : item_types[i].size)) {
            /* (The value is directly behind the head of the object.) */
            Array array = {.type = i, .item_size = item_types[i].size};
            return put_item(p, &array, (const char *)value + SCALAR_AT);
        }
    }
    return NULL;
}
