/* Writes the contents of an object: its parts, item by item, up to the limits of a recording. */
#include "heap_inside.h"

#include "secrets.h"

typedef struct {
    uint8_t *p;
    uint32_t count;
    int has_no_room;
    PyObject *names;   /* names of a named tuple's items */
} Writing;

static int
is_secret_item(const Writing *writing, PyObject *key, const char *name)
{
    return name ? secret_text(name)
        : key ? secret_name(key)
        : writing->names && secret_name(PyTuple_GET_ITEM(writing->names, writing->count));
}

/* Write a name in UTF-8; one that is too long ends with an ellipsis. */
#define MOST_NAME 2048
static uint8_t *
put_name(uint8_t *p, const char *name)
{
    char cut[MOST_NAME];
    size_t size = strnlen(name, MOST_NAME - UTF8_HEAD);
    if (name[size]) {
        for (size -= 3; (name[size] & 0xC0) == 0x80; size--) {
        }
        memcpy(cut, name, size);
        memcpy(cut + size, "\xE2\x80\xA6", 3);
        name = cut;
        size += 3;
    }
    return encode_utf8(p, name, size);
}

static int
write_item(void *context, PyObject *key, const char *name, PyObject *value)
{
    Writing *writing = context;
    if (writing->count >= ring.control->most_items) {
        return 1;
    }
    uint8_t *p = writing->p;
    if (!ring_fits(p, MOST_NAME)) {
        writing->has_no_room = 1;
        return 1;
    }
    if (name) {
        p = put_name(p, name);
    }
    else if (key) {
        p = encode(p, key);
    }
    if (p) {
        p = is_secret_item(writing, key, name) ? encode_hidden(p, value) : encode(p, value);
    }
    if (!p) {
        writing->has_no_room = 1;
        return 1;
    }
    writing->p = p;
    writing->count++;
    return 0;
}

static int
write_name(void *context, PyObject *key, const char *name, PyObject *value)
{
    return is_interpreters(key) ? 0 : write_item(context, key, name, value);
}

static int
count_name(void *context, PyObject *key, const char *name, PyObject *value)
{
    *(Py_ssize_t *)context += !is_interpreters(key);
    return 0;
}

static Py_ssize_t
size_of(PyObject *object, int part, int layout)
{
    if (!(layout & LAYOUT_NAMES)) {
        return layout_size(object, part, layout);
    }
    Py_ssize_t size = 0;
    layout_visit(object, part, layout, count_name, &size);
    return size;
}

static uint8_t *
put_count(uint8_t *p, uint32_t count)
{
    p[0] = (uint8_t)(0x80 | (count & 0x7F));
    p[1] = (uint8_t)(0x80 | (count >> 7 & 0x7F));
    p[2] = (uint8_t)(count >> 14);
    return p + 3;
}

/* Tell whether a part is too long to be recorded in full: then its hash is written, too. */
static int
is_too_long(Py_ssize_t full, int layout, int part)
{
    uint32_t most = part == PART_BYTES ? ring.control->most_text : ring.control->most_items;
    return !(layout & (LAYOUT_ARRAY | LAYOUT_NAMES)) && full > (Py_ssize_t)most;
}

static void
put_digest(uint8_t *p, PyObject *object, int layout, const uint32_t *known)
{
    uint32_t hash = known ? *known : (uint32_t)heap_contents_hash(object, layout);
    memcpy(p, &hash, 4);
}

/* Write the facts of an array or a table, and their number; or its items. */
static void
write_array(PyObject *object, int layout, int part, int is_too_much, Writing *writing)
{
    if (part == PART_SEQUENCE) {
        writing->p = summary_put_items(writing->p, object, &writing->count, &writing->has_no_room);
        return;
    }
    uint8_t *counts = writing->p - 6;
    uint64_t hash = is_too_much ? 0 : heap_contents_hash(object, layout);
    writing->p = summary_put_facts(writing->p, object, is_too_much ? NULL : &hash, &writing->count);
    put_count(counts, writing->count);
}

/* Write the bytes of a bytearray; count 1: all of them, 0: cut. */
static void
write_bytes(PyObject *object, size_t full, Writing *writing)
{
    size_t most = ring.control->most_text, half = ring.control->segment_size / 2;
    most = most < half ? most : half;   /* so they fit into a new segment */
    size_t kept = full < most ? full : most;
    uint8_t *p = writing->p;
    if (!ring_fits(p, kept + UTF8_HEAD)) {
        writing->has_no_room = 1;
        return;
    }
    *p++ = TAG_BYTES;
    p = put_varint(p, kept);
    memcpy(p, PyByteArray_AS_STRING(object), kept);
    writing->p = p + kept;
    writing->count = kept == full;
}

/* Return the place for a part of an object; NULL: recording has ended.  An array begins in a new segment if
 * there is no room for all of it. */
static uint8_t *
begin_part(int layout, Py_ssize_t full)
{
    size_t most = ring.control->most_numbers;
    size_t room = SUMMARY_ROOM + 24 * ((size_t)full < most ? (size_t)full : most);
    uint8_t *p = write_begin();
    return p && (layout & LAYOUT_ARRAY) && !ring_fits(p, room) && p > ring.base
        ? write_in_new_segment() : p;
}

static uint8_t *
put_reason(uint8_t *p, uint64_t id, Reason reason)
{
    *p++ = (uint8_t)reason.event;
    p = put_varint(p, id);
    if (reason.event == KIND_CHANGED) {
        *p++ = (uint8_t)reason.cause;
        p = put_varint(p, reason.place);
        p = put_varint(p, reason.since);
    }
    return p;
}

void
heap_write_part(PyObject *object, uint64_t id, int layout, int part, int flags, Reason reason)
{
    Py_ssize_t full = size_of(object, part, layout);
    for (;;) {
        uint8_t *p = begin_part(layout, full);
        if (!p) {
            return;
        }
        p = put_reason(p, id, reason);
        *p++ = (uint8_t)part;
        uint8_t *flags_at = p++;
        p = part == PART_SUMMARY ? p + 3 : put_varint(p, (uint64_t)full);
        uint8_t *digest_at = is_too_long(full, layout, part) ? p : NULL;
        p += digest_at ? 4 : 0;
        uint8_t *count_at = p;
        p += 3;
        Writing writing = {p, 0, 0, part == PART_SEQUENCE ? layout_names_of_items(object, layout) : NULL};
        if (part == PART_BYTES) {
            write_bytes(object, (size_t)full, &writing);
        }
        else if ((layout & LAYOUT_ARRAY) && part != PART_ATTRIBUTES) {
            write_array(object, layout, part, reason.is_too_much, &writing);
            full = part == PART_SUMMARY ? (Py_ssize_t)writing.count : full;
        }
        else {
            layout_visit(object, part, layout, layout & LAYOUT_NAMES ? write_name : write_item, &writing);
        }
        if (writing.has_no_room && ring.pos > ring.base) {
            if (!write_in_new_segment()) {
                return;
            }
            continue;
        }
        int is_cut = part == PART_BYTES ? writing.count == 0 : writing.count < (uint32_t)full;
        put_count(count_at, part == PART_BYTES ? 1 : writing.count);
        *flags_at = (uint8_t)(flags | (is_cut ? PART_IS_CUT : 0) | (digest_at ? PART_IS_DIGEST : 0));
        if (digest_at) {
            put_digest(digest_at, object, layout, reason.hash);   /* at the end: now all items have numbers */
        }
        ring.control->cut += is_cut;
        heap_count_looked((Py_ssize_t)writing.count);
        ring.long_bytes += writing.p - ring.pos;
        if (reason.event == KIND_CHANGED) {
            heap_credit -= 4 * (int64_t)writing.count;
        }
        ring_commit(writing.p);
        ring.moment += reason.event == KIND_CHANGED;
        if (writing.has_no_room) {
            write_in_new_segment();   /* a key whose value had no room may have defined a type or a text */
        }
        return;
    }
}

void
heap_write_parts(PyObject *object, Known *known, Reason reason)
{
    uint64_t id = identity_id(known);
    int layout = known->layout, part = layout_part(layout);
    if (part) {
        heap_write_part(object, id, layout, part, PART_IS_WHOLE, reason);
    }
    if (part == PART_SUMMARY && summary_is_readable(object)) {
        heap_write_part(object, id, layout, PART_SEQUENCE, 0, reason);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        heap_write_part(object, id, layout, PART_ATTRIBUTES, part ? 0 : PART_IS_WHOLE, reason);
    }
}
