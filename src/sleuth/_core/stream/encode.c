/* Encodes a live object as bytes of the event stream.  docs/reference/trace-format.md has the tags.
 *
 * Objects of exactly a builtin type, and numbers of numpy, are read from their memory.  All others are
 * written as the name of their type and their id.  Nothing here can call back into the program.
 */
#include "encode.h"

#include "arrays.h"
#include "identity.h"

#define INLINE_TEXT 48       /* texts up to this length are written each time, longer ones once a segment */
#define KEPT_TIGHT 1024
#define KEPT_INT 1024
#define FREE_TEXT 1024       /* texts up to this size cost no credit */
#define NAME_MAX_BYTES 200
#define MOST_VARINT 10
/* The most bytes that a value takes which is no long text and no long number. */
#define VALUE_ROOM 256
_Static_assert(1 + 2 + NAME_MAX_BYTES + 8 + MOST_VARINT <= VALUE_ROOM, "an object of a new type");
_Static_assert(1 + 2 + 4 * INLINE_TEXT + 4 <= VALUE_ROOM, "a short text");
_Static_assert(1 + MOST_VARINT + 1 + 8 <= VALUE_ROOM, "a long number that is cut");

#define TAG_BIG_INT 0x03
#define TAG_FLOAT 0x04
#define TAG_COMPLEX 0x05
#define TAG_TEXT 0x06
#define TAG_LONG_NEW 0x08
#define TAG_LONG 0x09
#define TAG_OBJECT_NEW 0x0A
#define TAG_OBJECT 0x0B
#define TAG_CUT_INT 0x0C
#define TAG_NOT_KEPT 0x0D
#define LONG_IS_BYTES 1
#define LONG_IS_CUT 2
#define LONG_IS_SAMPLED 4

#define TYPE_SLOTS 4096
#define TEXT_SLOTS 8192

typedef struct { PyTypeObject *type; int epoch; uint32_t number; } TypeSlot;
typedef struct { uint64_t hash; Py_ssize_t size; int epoch; uint32_t number; int kind; } TextSlot;

static TypeSlot type_slots[TYPE_SLOTS];
static TextSlot text_slots[TEXT_SLOTS];
static int types_epoch, texts_epoch;
static uint32_t types_count, texts_count;
int encode_tight;

static inline TypeSlot *
type_slot(PyTypeObject *type)
{
    return &type_slots[((uintptr_t)type >> 4) % TYPE_SLOTS];
}

void
encode_forget_type(PyTypeObject *type)
{
    TypeSlot *slot = type_slot(type);
    if (slot->type == type) {
        slot->type = NULL;
    }
}

/* --- texts */

static uint8_t *
utf8(uint8_t *p, Py_UCS4 c)
{
    if (c < 0x80) {
        *p++ = (uint8_t)c;
    }
    else if (c < 0x800) {
        *p++ = (uint8_t)(0xC0 | c >> 6);
        *p++ = (uint8_t)(0x80 | (c & 0x3F));
    }
    else if (c < 0x10000) {
        *p++ = (uint8_t)(0xE0 | c >> 12);
        *p++ = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        *p++ = (uint8_t)(0x80 | (c & 0x3F));
    }
    else {
        *p++ = (uint8_t)(0xF0 | c >> 18);
        *p++ = (uint8_t)(0x80 | (c >> 12 & 0x3F));
        *p++ = (uint8_t)(0x80 | (c >> 6 & 0x3F));
        *p++ = (uint8_t)(0x80 | (c & 0x3F));
    }
    return p;
}

/* Write at most `room` bytes of whole characters; return how many.  PyUnicode_AsUTF8 would leave a copy
 * in the object. */
static size_t
text_bytes(uint8_t *out, PyObject *text, size_t room)
{
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    if (PyUnicode_IS_ASCII(text)) {
        size_t n = (size_t)length < room ? (size_t)length : room;
        memcpy(out, PyUnicode_DATA(text), n);
        return n;
    }
    int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    uint8_t *p = out;
    for (Py_ssize_t i = 0; i < length && (size_t)(p - out) + 4 <= room; i++) {
        p = utf8(p, PyUnicode_READ(kind, data, i));
    }
    return (size_t)(p - out);
}

static uint64_t
mixed(uint64_t hash, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ data[i]) * 0x100000001B3ULL;
    }
    return hash;
}

static uint64_t
sample_hash(const uint8_t *data, size_t size)
{
    uint64_t hash = mixed(0xCBF29CE484222325ULL ^ size, data, 64);
    hash = mixed(hash, data + size - 64, 64);
    for (size_t i = 1; i < 16; i++) {
        hash = mixed(hash, data + size / 16 * i, 8);
    }
    return hash;
}

#define LONG_HEAD (1 + 1 + MOST_VARINT + 8 + 3)

/* Write a long text or bytes: once in each segment in full, then by its number.  `size` is the size in
 * memory.  NULL: there is no room. */
static uint8_t *
long_value(uint8_t *p, PyObject *value, int kind, Py_ssize_t length, const void *data, size_t size)
{
    int flags = kind;
    uint64_t hash;
    /* The hash of a text is kept in the object, so it is computed once.  But a text that grows in a loop is
     * a new object each time: if the credit is used up, only a sample is hashed. */
    int64_t price = size > FREE_TEXT ? (int64_t)size : 0;
    int is_hashed = !(kind & LONG_IS_BYTES) && ((PyASCIIObject *)value)->hash != -1;
    int is_too_dear = price > 0 && price > ring.credit;   /* (the credit can be below 0) */
    if (!is_too_dear || is_hashed) {
        hash = (uint64_t)PyObject_Hash(value);
    }
    else {
        hash = sample_hash(data, size);
        flags |= LONG_IS_SAMPLED;
    }
    TextSlot *slot = &text_slots[(hash ^ (uint64_t)length) % TEXT_SLOTS];
    if (slot->epoch == ring.epoch && slot->hash == hash && slot->size == length
        && slot->kind == (flags & ~LONG_IS_CUT)) {
        *p++ = TAG_LONG;
        return put_varint(p, slot->number);
    }
    size_t keep = encode_tight ? KEPT_TIGHT : ring.control->most_text;
    if (is_too_dear) {
        keep = KEPT_TIGHT / 4;
    }
    uint8_t *start = p;
    /* (In UTF-8 a text can take more bytes than in memory.) */
    size_t most = !(kind & LONG_IS_BYTES) ? 4 * (size_t)length : size;
    if (!encode_fits(p, (most < keep ? most : keep) + LONG_HEAD)) {
        return encode_without_room(p);
    }
    if (texts_epoch != ring.epoch) {
        texts_epoch = ring.epoch;
        texts_count = 0;
    }
    uint8_t *flags_at = ++p;
    start[0] = TAG_LONG_NEW;
    p = put_varint(p + 1, (uint64_t)length);
    memcpy(p, &hash, 8);
    p += 8;
    /* The length stands before the bytes.  Three bytes are left for it: enough for the longest text. */
    uint8_t *size_at = p;
    size_t written;
    if (kind & LONG_IS_BYTES) {
        written = size < keep ? size : keep;
        memcpy(p + 3, data, written);
        if (written < size) {
            flags |= LONG_IS_CUT;
        }
    }
    else {
        written = text_bytes(p + 3, value, keep);
        Py_ssize_t characters = 0;
        for (size_t i = 0; i < written; i++) {
            characters += (p[3 + i] & 0xC0) != 0x80;
        }
        if (characters < length) {
            flags |= LONG_IS_CUT;
        }
    }
    size_at[0] = (uint8_t)(0x80 | (written & 0x7F));
    size_at[1] = (uint8_t)(0x80 | (written >> 7 & 0x7F));
    size_at[2] = (uint8_t)(written >> 14);
    *flags_at = (uint8_t)flags;
    p += 3 + written;
    if (flags & LONG_IS_CUT) {
        ring.control->cut++;
    }
    *slot = (TextSlot){hash, length, ring.epoch, texts_count++, flags & ~LONG_IS_CUT};
    if (written > FREE_TEXT) {
        ring.credit -= (int64_t)written;
    }
    ring.long_bytes += p - start;
    return p;
}

static uint8_t *
put_bytes(uint8_t *p, uint8_t tag, const char *text, size_t size)
{
    *p++ = tag;
    p = put_varint(p, size);
    memcpy(p, text, size);
    return p + size;
}

uint8_t *
encode_utf8(uint8_t *p, const char *text, size_t size)
{
    return put_bytes(p, TAG_TEXT, text, size);
}

uint8_t *
encode_not_kept(uint8_t *p, const char *why)
{
    return put_bytes(p, TAG_NOT_KEPT, why, strlen(why));
}

uint8_t *
encode_without_room(uint8_t *p)
{
    if (!encode_tight) {
        return NULL;
    }
    static const char why[] = "no room";
    ring.control->cut++;
    return ring_fits(p, sizeof(why) + UTF8_HEAD) ? encode_not_kept(p, why) : NULL;
}

static uint8_t *
text_value(uint8_t *p, PyObject *value)
{
    if (!UNICODE_IS_READY(value)) {
        return encode_not_kept(p, "old-form str");
    }
    Py_ssize_t length = PyUnicode_GET_LENGTH(value);
    if (length > INLINE_TEXT) {
        return long_value(p, value, 0, length, PyUnicode_DATA(value),
                          (size_t)length * PyUnicode_KIND(value));
    }
    *p++ = TAG_TEXT;
    if (PyUnicode_IS_ASCII(value)) {
        *p++ = (uint8_t)length;
        memcpy(p, PyUnicode_DATA(value), (size_t)length);
        return p + length;
    }
    uint8_t buffer[4 * INLINE_TEXT + 4];
    size_t size = text_bytes(buffer, value, sizeof(buffer));
    p = put_varint(p, size);
    memcpy(p, buffer, size);
    return p + size;
}

static uint8_t *
bytes_value(uint8_t *p, PyObject *value)
{
    Py_ssize_t size = PyBytes_GET_SIZE(value);
    if (size > INLINE_TEXT) {
        return long_value(p, value, LONG_IS_BYTES, size, PyBytes_AS_STRING(value), (size_t)size);
    }
    *p++ = TAG_BYTES;
    p = put_varint(p, (uint64_t)size);
    memcpy(p, PyBytes_AS_STRING(value), (size_t)size);
    return p + size;
}

/* --- numbers */

static uint8_t *
big_int(uint8_t *p, PyObject *value)
{
    int overflow;
    long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) {
        *p++ = TAG_INT;
        return put_varint(p, ((uint64_t)small << 1) ^ (uint64_t)(small >> 63));
    }
    size_t bits = _PyLong_NumBits(value);
    size_t size = bits / 8 + 1;
    int is_kept = size <= KEPT_INT;
    if (is_kept && !encode_fits(p, 1 + MOST_VARINT + size)) {
        if (!encode_tight) {
            return NULL;
        }
        is_kept = 0;
    }
    if (is_kept) {
        *p++ = TAG_BIG_INT;
        p = put_varint(p, size);
        LONG_AS_BYTES(value, p, size);
        return p + size;
    }
    uint64_t hash = (uint64_t)PyObject_Hash(value);
    *p++ = TAG_CUT_INT;
    p = put_varint(p, bits);
    *p++ = overflow < 0;
    memcpy(p, &hash, 8);
    ring.control->cut++;
    return p + 8;
}

/* --- objects */

#define CUT_MARK "\xE2\x80\xA6"   /* an ellipsis in UTF-8 */

/* Write a part of a type's name: `room` bytes at most, and a mark behind them if it was cut. */
static size_t
name_part(char *out, PyObject *text, size_t room)
{
    size_t size = text_bytes((uint8_t *)out, text, room), characters = 0;
    for (size_t i = 0; i < size; i++) {
        characters += ((uint8_t)out[i] & 0xC0) != 0x80;
    }
    if (characters < (size_t)PyUnicode_GET_LENGTH(text)) {
        memcpy(out + size, CUT_MARK, 3);
        size += 3;
    }
    return size;
}

static size_t
type_name(PyTypeObject *type, char *out)
{
    size_t size = 0;
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
        PyObject *dict = type->tp_dict;
        PyObject *module = dict ? PyDict_GetItemString(dict, "__module__") : NULL;
        if (module && PyUnicode_CheckExact(module) && UNICODE_IS_READY(module)
            && PyUnicode_CompareWithASCIIString(module, "builtins") != 0) {
            size = name_part(out, module, NAME_MAX_BYTES / 2);
            out[size++] = '.';
        }
        if (name && PyUnicode_CheckExact(name) && UNICODE_IS_READY(name)) {
            return size + name_part(out + size, name, NAME_MAX_BYTES - size);
        }
    }
    size_t length = strnlen(type->tp_name, NAME_MAX_BYTES - size);
    memcpy(out + size, type->tp_name, length);
    return size + length;
}

static uint8_t *
object_value(uint8_t *p, PyObject *value, PyTypeObject *type)
{
    TypeSlot *slot = type_slot(type);
    if (slot->type == type && slot->epoch == ring.epoch) {
        *p++ = TAG_OBJECT;
        p = put_varint(p, slot->number);
    }
    else {
        char name[NAME_MAX_BYTES + 8];
        size_t size = type_name(type, name);
        if (types_epoch != ring.epoch) {
            types_epoch = ring.epoch;
            types_count = 0;
        }
        *slot = (TypeSlot){type, ring.epoch, types_count++};
        *p++ = TAG_OBJECT_NEW;
        p = put_varint(p, size);
        memcpy(p, name, size);
        p += size;
    }
    return put_varint(p, identity_of(value));
}

/* Builtin types that are written as constants; the order is that of PYTHON_CONSTANTS. */
#define FIRST_NAMED_TYPE 5
static PyTypeObject *const named_types[] = {
    &PyUnicode_Type, &PyLong_Type, &PyFloat_Type, &PyBool_Type, &PyComplex_Type, &PyBytes_Type,
    &PyByteArray_Type, &PyList_Type, &PyTuple_Type, &PyDict_Type, &PySet_Type, &PyFrozenSet_Type,
    &PyType_Type, &PyBaseObject_Type,
};

uint8_t *
encode_slow(uint8_t *p, PyObject *value)
{
    if (!encode_fits(p, VALUE_ROOM)) {
        return encode_without_room(p);
    }
    if (!value) {
        *p++ = TAG_ABSENT;
        return p;
    }
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyUnicode_Type) {
        return text_value(p, value);
    }
    if (type == &PyLong_Type) {
        return big_int(p, value);
    }
    if (type == &PyFloat_Type) {
        *p++ = TAG_FLOAT;
        memcpy(p, &((PyFloatObject *)value)->ob_fval, 8);
        return p + 8;
    }
    int constant = value == Py_True ? 1 : value == Py_False ? 2 : value == Py_Ellipsis ? 3
                 : value == Py_NotImplemented ? 4 : 0;
    for (size_t i = 0; type == &PyType_Type && !constant && i < Py_ARRAY_LENGTH(named_types); i++) {
        constant = value == (PyObject *)named_types[i] ? FIRST_NAMED_TYPE + (int)i : 0;
    }
    if (constant) {
        *p++ = TAG_CONSTANT;
        *p++ = (uint8_t)constant;
        return p;
    }
    if (type == &PyBytes_Type) {
        return bytes_value(p, value);
    }
    if (type == &PyComplex_Type) {
        *p++ = TAG_COMPLEX;
        memcpy(p, &((PyComplexObject *)value)->cval, 16);
        return p + 16;
    }
    uint8_t *number = type->tp_flags & Py_TPFLAGS_HEAPTYPE ? NULL : arrays_put_scalar(p, value);
    return number ? number : object_value(p, value, type);
}
