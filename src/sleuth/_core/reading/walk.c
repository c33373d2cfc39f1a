/* Walks over the records of a segment, without reading out of bounds whatever the bytes are. */
#include "walk.h"

#include <string.h>

int
walk_grow(void **array, size_t *room, size_t count, size_t size)
{
    if (count < *room) {
        return 0;
    }
    size_t wanted = *room ? *room * 2 : 64;
    void *larger = PyMem_Realloc(*array, wanted * size);
    if (larger == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *array = larger;
    *room = wanted;
    return 0;
}

void
walk_start(Walk *walk, const void *data, Py_ssize_t size)
{
    memset(walk, 0, sizeof *walk);
    walk->base = walk->at = data;
    walk->end = walk->base + size;
}

void
walk_end(Walk *walk)
{
    PyMem_Free(walk->texts.places);
    PyMem_Free(walk->types.places);
    walk->texts.places = walk->types.places = NULL;
}

int
walk_complain(const Walk *walk)
{
    if (!PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s at byte %zd of the segment",
                     walk->wrong ? walk->wrong : "malformed record",
                     (Py_ssize_t)(walk->at - walk->base));
    }
    return -1;
}

static int
fail(Walk *walk, const char *wrong)
{
    walk->wrong = wrong;
    return -1;
}

static inline int
byte(Walk *walk, uint8_t *value)
{
    if (walk->at >= walk->end) {
        return fail(walk, "a record is cut short");
    }
    *value = *walk->at++;
    return 0;
}

static inline int
varint(Walk *walk, uint64_t *value)
{
    if (walk->at < walk->end && *walk->at < 0x80) {
        *value = *walk->at++;
        return 0;
    }
    uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (walk->at >= walk->end) {
            return fail(walk, "a record is cut short");
        }
        uint8_t next = *walk->at++;
        if (shift == 63 && next > 1) {
            break;
        }
        sum |= (uint64_t)(next & 0x7F) << shift;
        if (next < 0x80) {
            *value = sum;
            return 0;
        }
    }
    return fail(walk, "a number has more than 64 bits");
}

static inline int
small(Walk *walk, uint32_t *value)
{
    uint64_t wide;
    if (varint(walk, &wide) < 0) {
        return -1;
    }
    if (wide >= UINT32_MAX) {
        return fail(walk, "a number is out of range");
    }
    *value = (uint32_t)wide;
    return 0;
}

/* Step over a length and as many bytes. */
static inline int
stretch(Walk *walk, const uint8_t **start, uint64_t *length)
{
    if (varint(walk, length) < 0) {
        return -1;
    }
    if (*length > (uint64_t)(walk->end - walk->at)) {
        return fail(walk, "a text is longer than the segment");
    }
    *start = walk->at;
    walk->at += *length;
    return 0;
}

static inline int
fixed(Walk *walk, int size)
{
    if (walk->end - walk->at < size) {
        return fail(walk, "a record is cut short");
    }
    walk->at += size;
    return 0;
}

static int
remember(Table *table, const Walk *walk, const uint8_t *start, uint64_t length)
{
    if (walk->is_again) {
        return 0;
    }
    if (walk_grow((void **)&table->places, &table->room, table->count, sizeof(Place)) < 0) {
        return -1;
    }
    table->places[table->count++] = (Place){(uint32_t)(start - walk->base), (uint32_t)length};
    return 0;
}

static int
skip_value(Walk *walk)
{
    uint8_t tag, flags;
    uint64_t number, length;
    const uint8_t *start;
    if (byte(walk, &tag) < 0) {
        return -1;
    }
    if (tag >= 0x40 && tag <= 0x7F) {
        return 0;
    }
    switch (tag) {
    case 0x00:
        return 0;
    case 0x01:
    case 0x02:
        return varint(walk, &number);
    case 0x03:
    case 0x06:
    case 0x07:
        return stretch(walk, &start, &length);
    case 0x04:
        return fixed(walk, 8);
    case 0x05:
        return fixed(walk, 16);
    case 0x08:
        start = walk->at;
        if (byte(walk, &flags) < 0) {
            return -1;
        }
        walk->cut += (flags & 2) != 0;
        if (varint(walk, &number) < 0 || fixed(walk, 8) < 0) {
            return -1;
        }
        const uint8_t *kept;
        if (stretch(walk, &kept, &length) < 0) {
            return -1;
        }
        return remember(&walk->texts, walk, start, (uint64_t)(walk->at - start));
    case 0x09:
        if (varint(walk, &number) < 0) {
            return -1;
        }
        return number < walk->texts.count ? 0 : fail(walk, "a text is used before it is given");
    case 0x0A:
        if (stretch(walk, &start, &length) < 0 || varint(walk, &number) < 0) {
            return -1;
        }
        return remember(&walk->types, walk, start, length);
    case 0x0B:
        if (varint(walk, &number) < 0) {
            return -1;
        }
        if (number >= walk->types.count) {
            return fail(walk, "a type is used before it is given");
        }
        return varint(walk, &number);
    case 0x0C:
        walk->cut++;
        return varint(walk, &number) < 0 ? -1 : fixed(walk, 9);
    case 0x0D:
        walk->cut++;
        return stretch(walk, &start, &length);
    default:
        return fail(walk, "a value has an unknown tag");
    }
}

/* Read a count of values (each 1) or of pairs (2); each takes at least a byte. */
static int
count_of(Walk *walk, int each, uint64_t *values)
{
    uint64_t count;
    if (varint(walk, &count) < 0) {
        return -1;
    }
    if (count > (uint64_t)(walk->end - walk->at)) {
        return fail(walk, "a record is cut short");
    }
    *values = count * (uint64_t)each;
    return 0;
}

static int
contents(Walk *walk, Record *record)
{
    uint64_t count;
    if (byte(walk, &record->part) < 0 || byte(walk, &record->part_flags) < 0 ||
        varint(walk, &record->length) < 0) {
        return -1;
    }
    record->digest = 0;
    for (int i = 0; i < 4 && (record->part_flags & PART_IS_DIGEST); i++) {
        uint8_t next;
        if (byte(walk, &next) < 0) {
            return -1;
        }
        record->digest |= (uint32_t)next << 8 * i;
    }
    walk->cut += (record->part_flags & PART_IS_CUT) != 0;
    switch (record->part) {
    case PART_SEQUENCE:
    case PART_SET:
    case PART_CELL:
    case PART_VALUE:
        return count_of(walk, 1, &record->values);
    case PART_MAPPING:
    case PART_ATTRIBUTES:
    case PART_SUMMARY:
        return count_of(walk, 2, &record->values);
    case PART_BYTES:
        record->values = 1;
        return varint(walk, &count);
    default:
        return fail(walk, "an object has a part of an unknown kind");
    }
}

/* Read the object, cause and place with which records of changes begin. */
static int
change(Walk *walk, Record *record)
{
    return varint(walk, &record->number) < 0 || byte(walk, &record->flags) < 0 ||
           small(walk, &record->place) < 0 ? -1 : 0;
}

int
walk_record(Walk *walk, Record *record)
{
    memset(record, 0, sizeof *record);
    if (byte(walk, &record->kind) < 0) {
        return -1;
    }
    if (record->kind >= KIND_ASKED_FIRST && record->kind <= KIND_ASKED_LAST) {
        record->kind -= DISTANCE_OF_ASKED;
        record->flags = STORE_ASKED;
    }
    switch (record->kind) {
    case KIND_THREAD:
    case KIND_TASK:
    case KIND_ARM:
    case KIND_UNBIND:
        return varint(walk, &record->number);
    case KIND_NAME:
        record->values = 1;
        return byte(walk, &record->flags) < 0 ? -1 : varint(walk, &record->number);
    case KIND_ENTER:
        if (varint(walk, &record->number) < 0 || byte(walk, &record->flags) < 0 ||
            small(walk, &record->place) < 0) {
            return -1;
        }
        if (record->flags & ENTER_ELSEWHERE && (varint(walk, &record->starter) < 0 ||
                                                varint(walk, &record->started) < 0)) {
            return -1;
        }
        if (count_of(walk, 1, &record->values) < 0) {
            return -1;
        }
        return record->values <= MOST_GIVEN ? 0 : fail(walk, "a call is given too much");
    case KIND_RETURN:
    case KIND_STOPPED:
        record->values = 1;
        return 0;
    case KIND_SUSPEND:
        record->values = 1;
        if (byte(walk, &record->flags) < 0) {
            return -1;
        }
        if (record->flags & SUSPEND_HAS_PLACE) {
            record->flags &= (uint8_t)~SUSPEND_HAS_PLACE;
            return small(walk, &record->place);
        }
        return 0;
    case KIND_UNWIND:
    case KIND_RAISE:
        record->values = 1;
        return small(walk, &record->place);
    case KIND_LOST:
        return 0;
    case KIND_CATCH:
        record->values = 1;
        return varint(walk, &record->number) < 0 ? -1 : small(walk, &record->place);
    case KIND_RESUME:
    case KIND_LOOP:
    case KIND_TURN:
    case KIND_BIND:
    case KIND_DELETE_ATTRIBUTE:
    case KIND_CHILD:
        record->values = 1;
        return varint(walk, &record->number);
    case KIND_OUTPUT:
        record->values = 1;
        if (varint(walk, &record->number) < 0) {
            return -1;
        }
        if (record->number & OUTPUT_HAS_PLACE) {
            record->number &= ~(uint64_t)OUTPUT_HAS_PLACE;
            return small(walk, &record->place);
        }
        return 0;
    case KIND_SET_ATTRIBUTE:
    case KIND_DELETE_ITEM:
        record->values = 2;
        return varint(walk, &record->number);
    case KIND_SET_ITEM:
    case KIND_DELETE_SLICE:
        record->values = 3;
        return varint(walk, &record->number);
    case KIND_SET_SLICE:
        record->values = 4;
        return varint(walk, &record->number);
    case KIND_CHANGED:
        return change(walk, record) < 0 || varint(walk, &record->since) < 0
                   ? -1 : contents(walk, record);
    case KIND_SPLICED:
        return change(walk, record) < 0 || varint(walk, &record->start) < 0 ||
               varint(walk, &record->removed) < 0 ? -1 : count_of(walk, 1, &record->values);
    case KIND_PUT:
        record->values = 2;
        return change(walk, record);
    case KIND_CONTENTS:
        return varint(walk, &record->number) < 0 ? -1 : contents(walk, record);
    case KIND_UNSURE:
        return varint(walk, &record->number);
    default:
        return fail(walk, "a record has an unknown kind");
    }
}

int
walk_is_object(const Walk *walk, uint64_t *object)
{
    Walk ahead = *walk;
    uint8_t tag;
    uint64_t length;
    const uint8_t *start;
    if (byte(&ahead, &tag) < 0) {
        return 0;
    }
    if (tag == 0x0A) {
        return stretch(&ahead, &start, &length) == 0 && varint(&ahead, object) == 0;
    }
    return tag == 0x0B && varint(&ahead, &length) == 0 && varint(&ahead, object) == 0;
}

int
walk_skip_value(Walk *walk)
{
    return skip_value(walk);
}

static uint64_t
atom(uint64_t hash, unsigned tag)
{
    return hash << 2 | tag;
}

static uint64_t
mixed(uint64_t number)
{
    number = (number ^ number >> 31) * 0x9E3779B97F4A7C15u;
    return number ^ number >> 29;
}

uint64_t
walk_hash(const uint8_t *text, uint64_t length)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (uint64_t i = 0; i < length; i++) {
        hash = (hash ^ text[i]) * 0x100000001B3u;
    }
    return hash;
}

int
walk_token(Walk *walk, Token *token)
{
    const uint8_t *value = walk->at, *start = NULL;
    uint64_t number = 0, length = 0;
    memset(token, 0, sizeof *token);
    if (skip_value(walk) < 0) {
        return -1;
    }
    Walk again = {.base = walk->base, .at = value + 1, .end = walk->at};
    if (*value >= 0x40 || *value == 0x02) {
        token->integer = *value - 0x40;
        if (*value == 0x02) {
            varint(&again, &number);
            token->integer = (int64_t)((number >> 1) ^ (~(number & 1) + 1));
        }
        token->is_integer = 1;
        token->bits = atom(mixed((uint64_t)token->integer), 2);
    } else if (*value == 0x06) {
        stretch(&again, &start, &length);
        token->bits = atom(walk_hash(start, length), 2);
    } else if (*value == 0x0A) {
        stretch(&again, &start, &length);
        varint(&again, &number);
        token->type = start;
        token->type_length = (uint32_t)length;
        token->bits = number << 2 | 1;
    } else if (*value == 0x0B) {
        varint(&again, &number);
        Place place = walk->types.places[number];
        token->type = walk->base + place.at;
        token->type_length = place.length;
        varint(&again, &number);
        token->bits = number << 2 | 1;
    } else if (*value != 0x00) {
        token->bits = atom(walk_hash(value, (uint64_t)(walk->at - value)), 3);
    }
    return 0;
}

int
walk_object(const Walk *walk, const Record *record, uint64_t *object)
{
    *object = record->number;
    if (record->kind >= KIND_CHANGED && record->kind <= KIND_UNSURE) {
        return 1;
    }
    return is_store(record) && !(record->flags & STORE_ASKED) && walk_is_object(walk, object);
}

/* --- stamps: numbers for the parts of objects that are written; the same as in trace/store/stamps.py --- */

enum { STAMP_WHOLE = 0, STAMP_SITE = 1, STAMP_INDEX = 2, STAMP_TEXT = 3 };

static uint32_t
stamp_of(uint64_t object, uint64_t kind, uint64_t key)
{
    uint64_t mixed = (object * 4 + kind) * 0x9E3779B97F4A7C15u ^ key * 0xC2B2AE3D27D4EB4Fu;
    mixed ^= mixed >> 29;
    mixed *= 0xBF58476D1CE4E5B9u;
    return (uint32_t)(mixed >> 41) + 1;
}

/* Return the stamp of an object and the next value as its key; that of the whole object if equal keys can be
 * encoded differently, or if an index counts from the end. */
static uint32_t
stamp_of_key(Walk *ahead, uint64_t object)
{
    uint8_t tag;
    uint64_t number, length;
    const uint8_t *start;
    if (byte(ahead, &tag) < 0) {
        return stamp_of(object, STAMP_WHOLE, 0);
    }
    if (tag >= 0x40 && tag <= 0x7F) {
        return stamp_of(object, STAMP_INDEX, tag - 0x40u);
    }
    if (tag == 0x02 && varint(ahead, &number) == 0 && !(number & 1)) {
        return stamp_of(object, STAMP_INDEX, number >> 1);
    }
    if (tag == 0x06 && stretch(ahead, &start, &length) == 0) {
        uint64_t hash = 0xCBF29CE484222325u;
        for (uint64_t i = 0; i < length; i++) {
            hash = (hash ^ start[i]) * 0x100000001B3u;
        }
        return stamp_of(object, STAMP_TEXT, hash);
    }
    return stamp_of(object, STAMP_WHOLE, 0);
}

int
walk_stamp(const Walk *walk, const Record *record, uint64_t object, uint32_t *stamp)
{
    Walk ahead = *walk;
    switch (record->kind) {
    case KIND_CONTENTS:
        if (record->part != PART_CELL) {
            return 0; /* a description, not a write */
        }
        break;
    case KIND_SET_ATTRIBUTE:
        *stamp = stamp_of(object, STAMP_SITE, record->number);
        return 1;
    case KIND_SET_ITEM: {
        /* The receiver, an object, comes before the key. */
        uint8_t tag;
        uint64_t number, length;
        const uint8_t *start;
        if (byte(&ahead, &tag) < 0 ||
            (tag == 0x0A ? stretch(&ahead, &start, &length) : varint(&ahead, &number)) < 0 ||
            varint(&ahead, &number) < 0) {
            break;
        }
        *stamp = stamp_of_key(&ahead, object);
        return 1;
    }
    case KIND_PUT:
        *stamp = stamp_of_key(&ahead, object);
        return 1;
    default:
        break;
    }
    *stamp = stamp_of(object, STAMP_WHOLE, 0);
    return 1;
}

int
walk_skip(Walk *walk, const Record *record)
{
    uint64_t more = record->values;
    /* A huge count ends at the end of the data: each value takes at least a byte. */
    for (; more > 0; more--) {
        if (skip_value(walk) < 0) {
            return -1;
        }
    }
    if (record->kind == KIND_RAISE) {
        if (varint(walk, &more) < 0) {
            return -1;
        }
        for (; more > 0; more--) {
            if (skip_value(walk) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

int
walk_over(Walk *walk, Record *record)
{
    record->flags = 0;
    record->place = 0;
    record->kind = walk->at < walk->end ? *walk->at : 0;
    switch (record->kind) {
    case KIND_LOOP:
    case KIND_TURN:
    case KIND_BIND:
        walk->at++;
        return varint(walk, &record->number) < 0 ? -1 : skip_value(walk);
    case KIND_ARM:
        walk->at++;
        return varint(walk, &record->number);
    case KIND_RETURN:
        walk->at++;
        record->number = 0;
        return skip_value(walk);
    default:
        return walk_record(walk, record) < 0 ? -1 : walk_skip(walk, record);
    }
}

/* Decode a text; bytes that are no UTF-8 become escapes. */
static PyObject *
text(const uint8_t *start, uint64_t length)
{
    PyObject *value = PyUnicode_DecodeUTF8((const char *)start, (Py_ssize_t)length, "surrogatepass");
    if (value == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
        value = PyUnicode_DecodeUTF8((const char *)start, (Py_ssize_t)length, "backslashreplace");
    }
    return value;
}

static PyObject *
long_text(const Walk *walk, Place place)
{
    /* The bytes were checked where the text was defined: no check fails here. */
    Walk inner = {.base = walk->base, .at = walk->base + place.at,
                  .end = walk->base + place.at + place.length};
    uint8_t flags = 0;
    uint64_t full = 0, length = 0, hash;
    const uint8_t *kept = inner.at;
    if (byte(&inner, &flags) < 0 || varint(&inner, &full) < 0 || fixed(&inner, 8) < 0) {
        walk_complain(&inner);
        return NULL;
    }
    memcpy(&hash, inner.at - 8, 8);
    if (stretch(&inner, &kept, &length) < 0) {
        walk_complain(&inner);
        return NULL;
    }
    PyObject *content = (flags & 1)
        ? PyBytes_FromStringAndSize((const char *)kept, (Py_ssize_t)length)
        : text(kept, length);
    if (content == NULL) {
        return NULL;
    }
    return Py_BuildValue("(iNNKKN)", 8, PyBool_FromLong(flags & 1), PyBool_FromLong(flags & 2),
                         (unsigned long long)full, (unsigned long long)hash, content);
}

static PyObject *
wide_integer(const uint8_t *start, uint64_t length)
{
    return PyObject_CallMethod((PyObject *)&PyLong_Type, "from_bytes", "y#s", (const char *)start,
                               (Py_ssize_t)length, "little");
}

static PyObject *
signed_integer(const uint8_t *start, uint64_t length)
{
    PyObject *value = wide_integer(start, length);
    if (value == NULL || length == 0 || start[length - 1] < 0x80) {
        return value;
    }
    PyObject *one = PyLong_FromLong(1), *bits = PyLong_FromUnsignedLongLong(length * 8);
    PyObject *modulus = one && bits ? PyNumber_Lshift(one, bits) : NULL;
    PyObject *result = modulus ? PyNumber_Subtract(value, modulus) : NULL;
    Py_XDECREF(one);
    Py_XDECREF(bits);
    Py_XDECREF(modulus);
    Py_DECREF(value);
    return result;
}

static PyObject *
make_value(Walk *walk)
{
    const uint8_t *value = walk->at, *start = NULL;
    /* Check everything and add new texts and types; then read the fields again. */
    if (skip_value(walk) < 0) {
        walk_complain(walk);
        return NULL;
    }
    Walk again = {.base = walk->base, .at = value + 1, .end = walk->at};
    uint64_t number = 0, length = 0;
    double real, imaginary;
    uint8_t tag = *value;
    if (tag >= 0x40) {
        return Py_BuildValue("(ii)", 2, tag - 0x40);
    }
    switch (tag) {
    case 0x00:
        return Py_BuildValue("(i)", 0);
    case 0x01:
        varint(&again, &number);
        return Py_BuildValue("(iK)", 1, (unsigned long long)number);
    case 0x02:
        varint(&again, &number);
        return Py_BuildValue("(iL)", 2, (long long)((number >> 1) ^ (~(number & 1) + 1)));
    case 0x03:
        stretch(&again, &start, &length);
        return Py_BuildValue("(iN)", 2, signed_integer(start, length));
    case 0x04:
        memcpy(&real, again.at, 8);
        return Py_BuildValue("(id)", 4, real);
    case 0x05:
        memcpy(&real, again.at, 8);
        memcpy(&imaginary, again.at + 8, 8);
        return Py_BuildValue("(iN)", 5, PyComplex_FromDoubles(real, imaginary));
    case 0x06:
        stretch(&again, &start, &length);
        return Py_BuildValue("(iN)", 6, text(start, length));
    case 0x07:
        stretch(&again, &start, &length);
        return Py_BuildValue("(iy#)", 7, (const char *)start, (Py_ssize_t)length);
    case 0x08:
        return long_text(walk, (Place){(uint32_t)(value + 1 - walk->base),
                                       (uint32_t)(walk->at - value - 1)});
    case 0x09:
        varint(&again, &number);
        return long_text(walk, walk->texts.places[number]);
    case 0x0A:
        stretch(&again, &start, &length);
        varint(&again, &number);
        return Py_BuildValue("(iNK)", 10, text(start, length), (unsigned long long)number);
    case 0x0B: {
        varint(&again, &number);
        Place place = walk->types.places[number];
        varint(&again, &number);
        return Py_BuildValue("(iNK)", 10, text(walk->base + place.at, place.length),
                             (unsigned long long)number);
    }
    case 0x0C: {
        uint64_t hash;
        varint(&again, &number);
        memcpy(&hash, again.at + 1, 8);
        return Py_BuildValue("(iKNK)", 12, (unsigned long long)number,
                             PyBool_FromLong(again.at[0]), (unsigned long long)hash);
    }
    default:
        stretch(&again, &start, &length);
        return Py_BuildValue("(iN)", 13, text(start, length));
    }
}

/* Return the numbers of a record as values, which stand before its values. */
static PyObject *
numbers_of(const Record *record)
{
    switch (record->kind) {
    case KIND_SPLICED:
        return Py_BuildValue("[(iK)(iK)]", 2, (unsigned long long)record->start, 2,
                             (unsigned long long)record->removed);
    case KIND_CHANGED:
        return Py_BuildValue("[(iK)(ii)(iK)]", 2, (unsigned long long)record->since, 2,
                             (int)record->part, 2, (unsigned long long)record->length);
    default:
        return PyList_New(0);
    }
}

PyObject *
walk_values(Walk *walk, const Record *record)
{
    PyObject *values = numbers_of(record);
    if (values == NULL) {
        return NULL;
    }
    uint64_t more = record->values;
    for (int round = 0; round < 2; round++) {
        for (; more > 0; more--) {
            PyObject *value = make_value(walk);
            if (value == NULL || PyList_Append(values, value) < 0) {
                Py_XDECREF(value);
                Py_DECREF(values);
                return NULL;
            }
            Py_DECREF(value);
        }
        if (round == 0 && record->kind == KIND_RAISE && varint(walk, &more) < 0) {
            walk_complain(walk);
            Py_DECREF(values);
            return NULL;
        }
    }
    PyObject *result = PyList_AsTuple(values);
    Py_DECREF(values);
    return result;
}
