/* What the files heap*.c share, and nobody else needs. */
#ifndef SLEUTH_HEAP_INSIDE_H
#define SLEUTH_HEAP_INSIDE_H

#include "heap.h"
#include "identity.h"
#include "layout.h"
#include "summary.h"
#include "write.h"

#include "internal/pycore_dict.h"

enum { FLAG_DESCRIBED = 1, FLAG_STALE = 2, FLAG_UNSURE = 4 };    /* of what is known of an object */

/* --- heap.c: worlds, and what looking may cost */

extern int64_t heap_credit;
uint64_t heap_end_of_world(uint32_t number);         /* what was looked at then was surely so until this moment */
void heap_write_unsure(Known *known);                /* its contents are not sure from now on */
void heap_expect_stored(PyObject *array, PyObject *key, PyObject *value);   /* one item is about to be set */

/* How many items were gone through: what recording has cost can be counted, not only timed. */
static inline void
heap_count_looked(Py_ssize_t items)
{
    ring.control->looked += (uint64_t)items;
}

/* --- heap_hash.c: hashes of contents */

uint64_t heap_contents_hash(PyObject *object, int layout);
void heap_remember(Known *known, PyObject *object);  /* this is how it was last seen */

uint64_t heap_name_hash(PyObject *key, const char *name);

static inline uint64_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL ^ b * 0x94D049BB133111EBULL;
    /* Without the last step two items that change places keep the sum once in some thousand runs. */
    h = (h ^ h >> 29) * 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
}

uint64_t heap_long_hash(PyObject *number);           /* of one that is too long to be gone through */
#define MOST_DIGITS 280      /* (up to 1,024 bytes are kept) */

static inline uint64_t
value_hash(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyLong_Type && unlikely(LONG_DIGITS(value) > MOST_DIGITS)) {
        return heap_long_hash(value);
    }
    if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyUnicode_Type
        || type == &PyBytes_Type || type == &PyComplex_Type) {
        return mixed((uint64_t)PyObject_Hash(value), (uint64_t)(uintptr_t)type);
    }
    if (heap_is_atom(value)) {
        return (uint64_t)(uintptr_t)value;
    }
    Known *known = identity_find(value);
    return known ? mixed(known->number, 7) : mixed((uint64_t)(uintptr_t)value, 8);
}

/* (Where identity is only probable, the type stands in the place of the size.) */
static inline void
set_size(Known *known, Py_ssize_t size)
{
    if (!known->is_probable) {
        known->size = (uint16_t)size;
    }
}

static inline int
has_size(const Known *known, Py_ssize_t size)
{
    return known->is_probable || known->size == (uint16_t)size;
}

/* --- heap_write.c: writing contents */

typedef struct {
    int event, cause;
    uint64_t place, since;
    const uint32_t *hash;   /* of the contents, where it is known */
    int is_too_much;        /* an array: it is not to be gone through */
} Reason;

void heap_write_part(PyObject *object, uint64_t id, int layout, int part, int flags, Reason reason);
void heap_write_parts(PyObject *object, Known *known, Reason reason);

/* --- heap_again.c: telling all again now and then */

void heap_note_write(PyObject *object);              /* recorded code is about to change it for sure */
void heap_was_told(const Known *known);              /* all of it, just now */
void heap_again_begin_anew(void);

/* Of a small array all items are kept. */
static inline int
is_small_array(PyObject *array)
{
    return summary_size(array) <= (Py_ssize_t)ring.control->most_numbers;
}

/* --- heap_describe.c: what is seen for the first time */

extern int heap_has_views;                           /* there are arrays that share their memory */
void heap_describe(PyObject *object);
void heap_describe_contents(PyObject *object, int layout);   /* only what it leads to */
void heap_describe_begin_anew(void);

/* --- heap_stale.c: hashes that are not known at present */

void heap_make_stale(PyObject *object);              /* recorded code is about to move what it holds */

/* --- heap_store.c: what stores are sure to do */

/* Where in a list a store goes; -1: that is not certain. */
static inline Py_ssize_t
list_index(PyObject *list, PyObject *key)
{
    if (!PyList_CheckExact(list) || !PyLong_CheckExact(key) || !LONG_IS_COMPACT(key)) {
        return -1;
    }
    Py_ssize_t index = LONG_COMPACT_VALUE(key), size = PyList_GET_SIZE(list);
    index = index < 0 ? index + size : index;
    return index >= 0 && index < size ? index : -1;
}

/* A text is found without asking anybody in a dictionary that has only texts as keys. */
static inline int
is_text_dict(PyObject *dict, PyObject *key)
{
    return PyUnicode_CheckExact(key) && DK_IS_UNICODE(((PyDictObject *)dict)->ma_keys);
}

/* --- heap_names.c: the globals of modules */

/* Names like `__spec__`. */
static inline int
is_interpreters(PyObject *key)
{
    return !key || !PyUnicode_CheckExact(key)
        || (PyUnicode_GET_LENGTH(key) > 1 && PyUnicode_READ_CHAR(key, 0) == '_'
            && PyUnicode_READ_CHAR(key, 1) == '_');
}

#endif
