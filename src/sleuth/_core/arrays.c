/* The memory of numpy's arrays.
 *
 * The fields of an array have been the same since numpy 1.7 and are part of its binary interface, so
 * they are read directly.  The buffer protocol would do as well for the common item types, but it makes
 * numpy keep a description in the array, it knows no dates, and it sets errors.  Of an item type only
 * the fields that numpy 1 and 2 have in common are taken for granted; its size is checked.
 */
#include "arrays.h"

#include "encode.h"

#include <float.h>

#define MOST_DIMENSIONS 64
#define SCALAR_AT ((Py_ssize_t)sizeof(PyObject))
#define MOST_ITEM_TEXT 200   /* bytes of one text in an array */

enum {
    T_BOOLEAN, T_INT8, T_UINT8, T_INT16, T_UINT16, T_INTC, T_UINTC, T_LONG_, T_ULONG_, T_LONGLONG_,
    T_ULONGLONG_, T_FLOAT32, T_FLOAT64, T_LONGDOUBLE, T_COMPLEX64, T_COMPLEX128, T_CLONGDOUBLE,
    T_OBJECTS, T_BYTES, T_TEXT, T_VOID, T_DATETIME, T_TIMEDELTA, T_FLOAT16, T_COUNT
};

static const struct { const char *name; uint8_t size; } types[T_COUNT] = {
    {"bool", 1}, {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4},
    {"int64", sizeof(long)}, {"uint64", sizeof(long)}, {"int64", 8}, {"uint64", 8}, {"float32", 4},
    {"float64", 8}, {"longdouble", sizeof(long double)}, {"complex64", 8}, {"complex128", 16},
    {"clongdouble", 2 * sizeof(long double)}, {"object", sizeof(void *)}, {"bytes", 0}, {"str", 0},
    {"void", 0}, {"datetime64", 8}, {"timedelta64", 8}, {"float16", 2},
};

/* As in numpy's ndarraytypes.h. */
typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides;
    PyObject *base, *descr;
    int flags;
} ArrayObject;

typedef struct {
    PyObject_HEAD
    PyTypeObject *scalar_type;
    char kind, type, byteorder, flags;
    int type_num;
} Descr;
typedef struct {
    Descr head;
    int elsize, alignment;
    void *subarray;
    PyObject *fields, *names;
    void *functions;
    PyObject *metadata;
    void *c_metadata;
    Py_hash_t hash;
} Descr1;
typedef struct {
    Descr head;
    uint64_t flags;
    Py_ssize_t elsize, alignment;
    PyObject *metadata;
    Py_hash_t hash;
    void *reserved[2];
    void *subarray;
    PyObject *fields, *names;
    void *c_metadata;
} Descr2;
typedef struct { void *functions[4]; int unit, count; } DateMetadata;

static int
is_first_form(PyObject *descr)
{
    return Py_TYPE(descr)->tp_basicsize == (Py_ssize_t)sizeof(Descr1);
}

/* Dates and structures have more fields; newer item types have not. */
static int
is_second_form(PyObject *descr)
{
    return Py_TYPE(descr)->tp_basicsize == (Py_ssize_t)sizeof(Descr2);
}

/* --- finding numpy */

PyTypeObject *
arrays_type(void)
{
    static PyTypeObject *found;
    static Py_ssize_t looked_at;
    if (found) {
        return found;
    }
    PyObject *modules = PyImport_GetModuleDict();
    if (!modules || !PyDict_CheckExact(modules) || PyDict_GET_SIZE(modules) == looked_at) {
        return NULL;
    }
    looked_at = PyDict_GET_SIZE(modules);
    PyObject *module = PyDict_GetItemString(modules, "numpy");
    PyObject *type = module && PyModule_CheckExact(module)
        ? PyDict_GetItemString(PyModule_GetDict(module), "ndarray") : NULL;
    /* A class that the program has written is none, whatever its name. */
    if (type && PyType_Check(type) && !(((PyTypeObject *)type)->tp_flags & Py_TPFLAGS_HEAPTYPE)
        && strcmp(((PyTypeObject *)type)->tp_name, "numpy.ndarray") == 0
        && ((PyTypeObject *)type)->tp_basicsize >= (Py_ssize_t)sizeof(ArrayObject)) {
        found = (PyTypeObject *)type;
    }
    return found;
}

/* --- fields */

/* A file in memory can become shorter than the array, and other processes write to it. */
static int
is_mapped(PyObject *base)
{
    for (int depth = 0; base && depth < 32; depth++) {
        if (PyType_IsSubtype(Py_TYPE(base), arrays_type())) {
            base = ((ArrayObject *)base)->base;
        }
        else if (PyMemoryView_Check(base)) {
            base = PyMemoryView_GET_BASE(base);
        }
        else {
            return strcmp(Py_TYPE(base)->tp_name, "mmap.mmap") == 0;
        }
    }
    return base != NULL;
}

static void
read_item_type(Array *array)
{
    const Descr *descr = (const Descr *)array->descr;
    array->type = descr->type_num;
    array->is_swapped = descr->byteorder == (PY_LITTLE_ENDIAN ? '>' : '<');
    int first = is_first_form(array->descr), second = is_second_form(array->descr);
    if (first || second) {
        array->item_size = first ? ((Descr1 *)descr)->elsize : ((Descr2 *)descr)->elsize;
    }
    if ((!first && !second) || array->type < 0 || array->type >= T_COUNT) {
        array->type = T_COUNT;
        array->unreadable = "items of a type that is not numpy's own";
    }
    else if (types[array->type].size && types[array->type].size != array->item_size) {
        array->unreadable = "items of an unknown form";
    }
}

void
arrays_read(PyObject *object, Array *array)
{
    ArrayObject *fields = (ArrayObject *)object;
    *array = (Array){fields->data, fields->nd, fields->dimensions, fields->strides, 1, 0,
                     fields->descr, fields->base, T_COUNT, 0, NULL};
    if (!array->descr || array->nd < 0 || array->nd > MOST_DIMENSIONS) {
        array->nd = array->size = 0;
        array->unreadable = "an array that is being made";
        return;
    }
    for (int i = 0; i < array->nd; i++) {
        array->size *= array->dimensions[i];
    }
    read_item_type(array);
    if (!array->data) {
        array->unreadable = "an array that is being made";
    }
    else if (array->base && is_mapped(array->base)) {
        array->unreadable = "memory that is shared with a file or another process";
    }
}

int
arrays_field(const Array *array, Py_ssize_t number, Array *field, PyObject **name)
{
    if (array->type != T_VOID || array->unreadable) {
        return 0;
    }
    int first = is_first_form(array->descr);
    PyObject *names = first ? ((Descr1 *)array->descr)->names : ((Descr2 *)array->descr)->names;
    PyObject *fields = first ? ((Descr1 *)array->descr)->fields : ((Descr2 *)array->descr)->fields;
    if (!names || !PyTuple_CheckExact(names) || number >= PyTuple_GET_SIZE(names) || !fields
        || !PyDict_CheckExact(fields)) {
        return 0;
    }
    *name = PyTuple_GET_ITEM(names, number);
    PyObject *place = PyUnicode_CheckExact(*name) ? PyDict_GetItemWithError(fields, *name) : NULL;
    if (!place || !PyTuple_CheckExact(place) || PyTuple_GET_SIZE(place) < 2
        || !PyLong_CheckExact(PyTuple_GET_ITEM(place, 1))) {
        PyErr_Clear();
        return 0;
    }
    *field = *array;
    field->descr = PyTuple_GET_ITEM(place, 0);
    field->data += PyLong_AsSsize_t(PyTuple_GET_ITEM(place, 1));
    read_item_type(field);
    return 1;
}

int
arrays_holds_objects(const Array *array)
{
    return array->type == T_OBJECTS && !array->unreadable;
}

PyObject *
arrays_object(const char *item)
{
    PyObject *object;
    memcpy(&object, item, sizeof(object));
    return object ? object : Py_None;
}

/* --- going through the items */

typedef struct { Py_ssize_t count, stride; int outer; } Run;

/* How many items lie one behind the other at the same distance. */
static Run
innermost(const Array *array)
{
    Run run = {1, array->item_size, array->nd};
    while (run.outer > 0) {
        Py_ssize_t count = array->dimensions[run.outer - 1], stride = array->strides[run.outer - 1];
        if (run.count > 1 && stride != run.stride * run.count && count > 1) {
            break;
        }
        run.stride = count > 1 && run.count == 1 ? stride : run.stride;
        run.count *= count;
        run.outer--;
    }
    return run;
}

/* Steps to the next stretch; 0: there is none. */
static int
next_run(const Array *array, int outer, Py_ssize_t *index, const char **data)
{
    for (int i = outer - 1; i >= 0; i--) {
        *data += array->strides[i];
        if (++index[i] < array->dimensions[i]) {
            return 1;
        }
        *data -= array->strides[i] * array->dimensions[i];
        index[i] = 0;
    }
    return 0;
}

void
arrays_visit(const Array *array, ArrayVisit visit, void *context)
{
    Py_ssize_t index[MOST_DIMENSIONS] = {0};
    const char *data = array->data;
    if (array->size <= 0 || array->unreadable) {
        return;
    }
    Run run = innermost(array);
    do {
        for (Py_ssize_t i = 0; i < run.count; i++) {
            if (visit(context, array, data + i * run.stride)) {
                return;
            }
        }
    } while (next_run(array, run.outer, index, &data));
}

/* --- hashes */

static inline uint64_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (b ^ a * 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
    return h ^ h >> 32;
}

/* Bytes of an item that say something: those behind a long number of the processor don't. */
static uint64_t
item_hash(const Array *array, const char *item)
{
    uint64_t hash = 0, word;
    Py_ssize_t size = array->item_size;
    int is_long = array->type == T_LONGDOUBLE || array->type == T_CLONGDOUBLE;
    for (Py_ssize_t at = 0; at < size; at += 8) {
        size_t count = size - at < 8 ? (size_t)(size - at) : 8;
        if (is_long && LDBL_MANT_DIG == 64 && at % sizeof(long double) == 8) {
            count = 2;
        }
        word = 0;
        memcpy(&word, item + at, count);
        hash = mixed(hash + (uint64_t)at, word);
    }
    return hash;
}

#define HASH_RUN(type) \
    for (Py_ssize_t i = 0; i < run.count; i++) { \
        type word; \
        memcpy(&word, data + i * run.stride, sizeof(word)); \
        hash += mixed(number++, word); \
    }

uint64_t
arrays_hash(const Array *array)
{
    uint64_t hash = mixed((uint64_t)array->type, (uint64_t)array->nd), number = 0;
    hash += mixed((uint64_t)array->item_size, (uint64_t)array->is_swapped);
    for (int i = 0; i < array->nd; i++) {
        hash = mixed(hash, (uint64_t)array->dimensions[i]);
    }
    if (array->unreadable || array->size <= 0 || array->type == T_OBJECTS) {
        return hash;
    }
    Py_ssize_t index[MOST_DIMENSIONS] = {0};
    const char *data = array->data;
    Run run = innermost(array);
    do {
        switch (array->item_size) {
        case 8: HASH_RUN(uint64_t) break;
        case 4: HASH_RUN(uint32_t) break;
        case 2: HASH_RUN(uint16_t) break;
        case 1: HASH_RUN(uint8_t) break;
        default:
            for (Py_ssize_t i = 0; i < run.count; i++) {
                hash += mixed(number++, item_hash(array, data + i * run.stride));
            }
        }
    } while (next_run(array, run.outer, index, &data));
    return hash;
}

uint64_t
arrays_item_hash(const Array *array, Py_ssize_t number, const char *item)
{
    uint64_t word = 0;
    if (array->item_size == 8 || array->item_size == 4 || array->item_size == 2 || array->item_size == 1) {
        memcpy(&word, item, (size_t)array->item_size);   /* (little-endian) */
    }
    else {
        word = item_hash(array, item);
    }
    return mixed((uint64_t)number, word);
}

/* --- one item */

static int
index_of(PyObject *key, Py_ssize_t length, Py_ssize_t *index)
{
    if (!PyLong_CheckExact(key) || !LONG_IS_COMPACT(key)) {
        return 0;
    }
    *index = LONG_COMPACT_VALUE(key);
    *index += *index < 0 ? length : 0;
    return *index >= 0 && *index < length;
}

const char *
arrays_find(const Array *array, PyObject *key, Py_ssize_t *number)
{
    int is_tuple = PyTuple_CheckExact(key);
    const char *item = array->data;
    if (array->unreadable || array->nd < 1 || (is_tuple ? PyTuple_GET_SIZE(key) : 1) != array->nd) {
        return NULL;
    }
    *number = 0;
    for (int i = 0; i < array->nd; i++) {
        Py_ssize_t index;
        if (!index_of(is_tuple ? PyTuple_GET_ITEM(key, i) : key, array->dimensions[i], &index)) {
            return NULL;
        }
        *number = *number * array->dimensions[i] + index;
        item += index * array->strides[i];
    }
    return item;
}

const char *
arrays_item(const Array *array, Py_ssize_t number)
{
    const char *item = array->data;
    if (array->unreadable || number < 0 || number >= array->size) {
        return NULL;
    }
    for (int i = array->nd - 1; i >= 0; i--) {
        item += number % array->dimensions[i] * array->strides[i];
        number /= array->dimensions[i];
    }
    return item;
}

int
arrays_is_flat(const Array *array)
{
    for (int i = 0; i < array->nd; i++) {
        if (array->strides[i] == 0 && array->dimensions[i] > 1) {
            return 0;   /* several items are the same one */
        }
    }
    return array->type != T_VOID;
}

int
arrays_is_scalar(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type
        || type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyComplex_Type
        || (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && strncmp(type->tp_name, "numpy.", 6) == 0
            && type != arrays_type());
}

/* --- numbers */

typedef struct { enum { NO_NUMBER, SIGNED, UNSIGNED, FLOATING } kind; int64_t i; uint64_t u; double d; } Number;

static double
half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    double value = exponent == 31 ? (fraction ? Py_NAN : Py_HUGE_VAL)
        : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -value : value;
}

/* The bytes of an item in the processor's order. */
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

/* Days since 1970 as a date; the calendar repeats after 400 years. */
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

/* As ISO 8601 has it; what is finer than nanoseconds or coarser than days as a number of units. */
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
put_not_kept(uint8_t *p, const char *why)
{
    size_t size = strlen(why);
    *p++ = 0x0D;
    p = put_varint(p, size);
    memcpy(p, why, size);
    return p + size;
}

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

/* Numpy fills up with zeros what is shorter than the item. */
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
            return put_not_kept(p, "a long text of an array");
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
        return put_not_kept(p, "long bytes of an array");
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
    return ring.end - p < 1024 ? NULL : put_item(p, array, item);
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
        snprintf(out, room, "%s[%d%s]%s", types[array->type].name, data->count, units[data->unit], order);
    }
    else if (data) {
        snprintf(out, room, "%s[%s]%s", types[array->type].name, units[data->unit], order);
    }
    else if (types[array->type].size) {
        snprintf(out, room, "%s%s", types[array->type].name, order);
    }
    else {
        snprintf(out, room, "%s[%zd]%s", types[array->type].name,
                 array->type == T_TEXT ? array->item_size / 4 : array->item_size, order);
    }
}

/* --- numbers that come out of arrays */

/* As numpy 1 calls them. */
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
        if (is_number && (strcmp(name, types[i].name) == 0 || is_older_name(name, i))
            && type->tp_basicsize == SCALAR_AT + (types[i].size < 8 ? 8 : types[i].size)) {
            /* (The value stands right behind the head of the object.) */
            Array array = {.type = i, .item_size = types[i].size};
            return put_item(p, &array, (const char *)value + SCALAR_AT);
        }
    }
    return NULL;
}
