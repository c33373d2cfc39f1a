/* Declarations for the files heap*.c only. */
#ifndef SLEUTH_HEAP_INSIDE_H
#define SLEUTH_HEAP_INSIDE_H

#include "heap.h"
#include "identity.h"
#include "layout.h"
#include "summary.h"
#include "write.h"

#include "internal/pycore_dict.h"

/* Flags of `Known`: its contents were written; its hash is out of date; its contents are not sure. */
enum { FLAG_DESCRIBED = 1, FLAG_STALE = 2, FLAG_UNSURE = 4 };

/* --- heap.c: worlds, and the price of looking */

extern int64_t heap_credit;
uint64_t heap_end_of_world(uint32_t number);         /* the moment at which it ended; 0: not known */
void heap_write_unsure(Known *known);                /* write, once, that its contents are not sure */
void heap_expect_stored(PyObject *array, PyObject *key, PyObject *value);   /* an item is about to be set */

/* Count the items that were looked at: a measure of the recorder's work that does not depend on time. */
static inline void
heap_count_looked(Py_ssize_t items)
{
    ring.control->looked += (uint64_t)items;
}

/* --- heap_hash.c: hashes of contents */

uint64_t heap_contents_hash(PyObject *object, int layout);
void heap_remember(Known *known, PyObject *object);  /* store hash, size and world of its present contents */

uint64_t heap_name_hash(PyObject *key, const char *name);   /* of a text object, or of a C string */

static inline uint64_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL ^ b * 0x94D049BB133111EBULL;
    /* Without the last step, the sum sometimes stays the same when two items are swapped. */
    h = (h ^ h >> 29) * 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
}

uint64_t heap_long_hash(PyObject *number);           /* of a number with more than MOST_DIGITS digits */
#define MOST_DIGITS 280      /* (numbers up to 1,024 bytes are recorded) */

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

/* (If the identity of an object is only probable, the field `size` holds a tag of its type.) */
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

/* Why contents are written. */
typedef struct {
    int event, cause;       /* KIND_CONTENTS, or KIND_CHANGED with its CAUSE_ */
    uint64_t place, since;  /* of the call that changed it; the moment since which it may have changed */
    const uint32_t *hash;   /* of the contents, if it is known */
    int is_too_much;        /* of an array: its items are not read, as that costs too much */
} Reason;

void heap_write_part(PyObject *object, uint64_t id, int layout, int part, int flags, Reason reason);
void heap_write_parts(PyObject *object, Known *known, Reason reason);   /* all parts */

/* --- heap_again.c: writing all contents again now and then */

void heap_note_write(PyObject *object);              /* recorded code is about to change it for certain */
void heap_was_told(const Known *known);              /* all its contents were just written */
void heap_again_begin_anew(void);

/* Tell whether an array is small: then all its items are recorded. */
static inline int
is_small_array(PyObject *array)
{
    return summary_size(array) <= (Py_ssize_t)ring.control->most_numbers;
}

/* --- heap_describe.c: objects that are met for the first time */

extern int heap_has_views;                           /* there are arrays that share their memory */
void heap_describe(PyObject *object);                /* and all new objects that it leads to */
void heap_describe_contents(PyObject *object, int layout);   /* only the new objects that it leads to */
void heap_describe_begin_anew(void);

/* --- heap_stale.c: hashes that are out of date */

void heap_make_stale(PyObject *object);              /* recorded code is about to move its items */

/* --- heap_store.c: stores with a certain effect */

/* Return the index in a list that a key means; -1: not a list, not a plain index, or out of range. */
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

/* Tell whether a text can be looked up without running code of the program: all keys are texts. */
static inline int
is_text_dict(PyObject *dict, PyObject *key)
{
    return PyUnicode_CheckExact(key) && DK_IS_UNICODE(((PyDictObject *)dict)->ma_keys);
}

/* --- heap_names.c: the globals of modules */

/* Tell whether a global is the interpreter's, such as `__spec__`. */
static inline int
is_interpreters(PyObject *key)
{
    return !key || !PyUnicode_CheckExact(key)
        || (PyUnicode_GET_LENGTH(key) > 1 && PyUnicode_READ_CHAR(key, 0) == '_'
            && PyUnicode_READ_CHAR(key, 1) == '_');
}

#endif
