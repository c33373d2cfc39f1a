/* Hashes of the contents of objects, to notice changes.
 *
 * The hash depends on the place of each item, except in sets.  An object in it counts by its number, so its
 * own contents have no influence.
 */
#include "heap_inside.h"

/* Hash a number that is too long to be recorded: by its address and some of its digits. */
uint64_t
heap_long_hash(PyObject *number)
{
    Py_ssize_t digits = LONG_DIGITS(number);
    uint64_t hash = mixed((uint64_t)digits, (uint64_t)(uintptr_t)number);
    for (int i = 0; i < 16; i++) {
        hash = mixed(hash, (uint64_t)LONG_DIGIT(number, digits * i / 16));
    }
    return hash;
}

uint64_t
heap_name_hash(PyObject *key, const char *name)
{
    uint64_t hash = 5381;
    if (key) {
        return value_hash(key);
    }
    while (*name) {
        hash = hash * 33 + (uint8_t)*name++;
    }
    return hash;
}

typedef struct { uint64_t hash; uint64_t index; Py_ssize_t count; } Hashing;

static int
hash_item(void *context, PyObject *key, const char *name, PyObject *value)
{
    Hashing *hashing = context;
    uint64_t position = key || name ? heap_name_hash(key, name) : hashing->index++;
    hashing->count++;
    hashing->hash += mixed(position, value_hash(value));
    return 0;
}

static int
hash_member(void *context, PyObject *key, const char *name, PyObject *value)
{
    ((Hashing *)context)->hash += mixed(3, value_hash(value));
    ((Hashing *)context)->count++;
    return 0;
}

uint64_t
heap_contents_hash(PyObject *object, int layout)
{
    Hashing hashing = {0, 0, 0};
    int part = layout_part(layout);
    if (part == PART_BYTES) {
        const uint8_t *data = (const uint8_t *)PyByteArray_AS_STRING(object);
        for (Py_ssize_t i = 0; i < Py_SIZE(object); i++) {
            hashing.hash = hashing.hash * 1099511628211ULL + data[i];
        }
    }
    else if (part) {
        hashing.hash = part == PART_SUMMARY ? summary_hash(object) : 0;
        layout_visit(object, part, layout, part == PART_SET ? hash_member : hash_item, &hashing);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        layout_visit(object, PART_ATTRIBUTES, layout, hash_item, &hashing);
    }
    heap_count_looked(hashing.count + (part == PART_BYTES ? Py_SIZE(object) / 16 : 0));
    return hashing.hash;
}

void
heap_remember(Known *known, PyObject *object)
{
    known->hash = (uint32_t)heap_contents_hash(object, known->layout);
    set_size(known, layout_size(object, layout_part(known->layout), known->layout));
    known->world = heap_world;
    known->flags = FLAG_DESCRIBED;
}
