/* Values under names like `password` are hidden when they are recorded: they never leave the process. */
#include "secrets.h"

#include <ctype.h>
#include <stdio.h>

#include "encode.h"
#include "identity.h"
#include "ring.h"

#define LONGEST 120

int
secret_text(const char *name)
{
    char plain[LONGEST + 1];
    size_t size = 0;
    for (; name[size] && size < LONGEST; size++) {
        plain[size] = name[size] == '-' ? '_' : (char)tolower((unsigned char)name[size]);
    }
    plain[size] = 0;
    for (const char *wanted = ring.control->secrets; *wanted; wanted += strlen(wanted) + 1) {
        if (strstr(plain, wanted)) {
            return 1;
        }
    }
    return 0;
}

/* Names are asked about again and again: remember the answers by address and hash. */
typedef struct { PyObject *name; Py_hash_t hash; int answer; } Asked;
static Asked asked[1024];

int
secret_name(PyObject *name)
{
    if (!PyUnicode_CheckExact(name) || !UNICODE_IS_READY(name) || !PyUnicode_IS_ASCII(name)
        || PyUnicode_GET_LENGTH(name) > LONGEST || !ring.control->secrets[0]) {
        return 0;
    }
    Asked *slot = &asked[((uintptr_t)name >> 4) % 1024];
    Py_hash_t hash = PyObject_Hash(name);
    if (slot->name != name || slot->hash != hash) {
        *slot = (Asked){name, hash, secret_text(PyUnicode_DATA(name))};
    }
    return slot->answer;
}

uint8_t *
encode_hidden(uint8_t *p, PyObject *value)
{
    char text[160];
    PyTypeObject *type = Py_TYPE(value);
    uint64_t hash = ring.control->salt;
    Py_ssize_t length = 0;
    if (value == Py_None) {
        return encode_none(p);   /* that there is none is no secret */
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
