/* Hides values under names like `password` when they are recorded: they never leave the process. */
#include "secrets.h"

#include <stdio.h>

#include "encode.h"
#include "identity.h"
#include "ring.h"
#include "secret_names.h"

int
secret_text(const char *name)
{
    size_t size = strlen(name);
    return size >= (size_t)secret_names_shortest() && secret_names_has_utf8(name, size);
}

/* A table of the names that were decided.  An entry is a hash of the text with the answer as its last bit;
 * addresses of names play no role. */
#define FIRST_ROOM (1 << 10)
#define MOST_ROOM (1 << 17)
static struct { uint64_t *entries; uint32_t room, count; } answers;

/* Return the entry for a key, or the free entry where it belongs. */
static uint64_t *
place_for(uint64_t key)
{
    uint32_t mask = answers.room - 1, at = (uint32_t)(key >> 40) & mask;
    while (answers.entries[at] && (answers.entries[at] | 1) != key) {
        at = (at + 1) & mask;
    }
    return &answers.entries[at];
}

/* Make room for one more entry: at least half stays free.  A table at its largest size is cleared instead. */
static int
make_room(void)
{
    if (answers.count < answers.room / 2) {
        return 1;
    }
    uint32_t room = answers.room ? answers.room * 2 : FIRST_ROOM;
    uint64_t *old = answers.entries, *fresh = NULL;
    if (room <= MOST_ROOM && !(fresh = PyMem_RawCalloc(room, sizeof(uint64_t)))) {
        return 0;
    }
    answers.count = 0;
    if (!fresh) {
        memset(old, 0, answers.room * sizeof(uint64_t));
        return 1;
    }
    uint32_t end = answers.room;
    answers.entries = fresh;
    answers.room = room;
    for (uint32_t i = 0; i < end; i++) {
        if (old[i]) {
            *place_for(old[i] | 1) = old[i];
            answers.count++;
        }
    }
    PyMem_RawFree(old);
    return 1;
}

static int
is_secret_object(PyObject *name)
{
    if (PyBytes_Check(name)) {
        return secret_names_has_utf8(PyBytes_AS_STRING(name), (size_t)PyBytes_GET_SIZE(name));
    }
    return secret_names_has(
        (Name){PyUnicode_KIND(name), PyUnicode_DATA(name), PyUnicode_GET_LENGTH(name)});
}

int
secret_name(PyObject *name)
{
    /* (The hash of the builtin type: a subclass may define its own, which is not called.) */
    hashfunc hash_of = PyUnicode_Check(name) ? PyUnicode_Type.tp_hash
                     : PyBytes_Check(name) ? PyBytes_Type.tp_hash : NULL;
    if (!hash_of || (hash_of == PyUnicode_Type.tp_hash && !UNICODE_IS_READY(name))) {
        return 0;
    }
    Py_ssize_t length = PyBytes_Check(name) ? PyBytes_GET_SIZE(name) : PyUnicode_GET_LENGTH(name);
    if (length < secret_names_shortest()) {
        return 0;
    }
    uint64_t key = ((uint64_t)hash_of(name) ^ (uint64_t)length << 48) * 0x9E3779B97F4A7C15ULL | 1;
    if (!make_room()) {
        return is_secret_object(name);
    }
    uint64_t *place = place_for(key);
    if (!*place) {
        *place = (key & ~(uint64_t)1) | (uint64_t)is_secret_object(name);
        if (!*place) {
            return 0;
        }
        answers.count++;
    }
    return (int)(*place & 1);
}

uint8_t *
encode_hidden(uint8_t *p, PyObject *value)
{
    char text[160];
    PyTypeObject *type = Py_TYPE(value);
    uint64_t hash = ring.control->salt;
    Py_ssize_t length = 0;
    if (value == Py_None) {
        return encode_none(p);   /* None is no secret */
    }
    if (!encode_fits(p, sizeof(text) + UTF8_HEAD)) {
        return encode_without_room(p);
    }
    if (type == &PyUnicode_Type || type == &PyBytes_Type) {
        length = type == &PyUnicode_Type ? PyUnicode_GET_LENGTH(value) : PyBytes_GET_SIZE(value);
        hash ^= (uint64_t)PyObject_Hash(value);
    }
    else if (type == &PyLong_Type || type == &PyFloat_Type) {
        hash ^= (uint64_t)PyObject_Hash(value);
    }
    else {
        hash ^= identity_of(value);
    }
    hash *= 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ hash >> 32) * 0xBF58476D1CE4E5B9ULL;
    snprintf(text, sizeof(text), "hidden %.60s of length %zd, tag %08x", type->tp_name, length,
             (unsigned)(hash >> 32));
    ring.control->hidden++;
    return encode_not_kept(p, text);
}
