/* The globals of modules as contents of an object; namespace.c notices when they change. */
#include "heap_inside.h"

#include "secrets.h"

void
heap_own(PyObject *dict)
{
    Known *known = identity_find(dict);
    if (known) {
        known->flags = FLAG_DESCRIBED;
        known->layout = 0;
    }
}

int
heap_can_pay(PyObject *dict)
{
    if (heap_pay(layout_price(dict, LAYOUT_DICT))) {
        return 1;
    }
    uint64_t id = identity_of(dict);
    DEFINE(16, {
        *p++ = KIND_UNSURE;
        p = put_varint(p, id);
    });
    return 0;
}

static int
hash_name(void *context, PyObject *key, const char *name, PyObject *value)
{
    if (!is_interpreters(key)) {
        *(uint32_t *)context += (uint32_t)mixed(value_hash(key), value_hash(value));
    }
    return 0;
}

uint32_t
heap_names_hash(PyObject *dict)
{
    uint32_t hash = 0;
    layout_visit(dict, PART_MAPPING, LAYOUT_DICT, hash_name, &hash);
    heap_count_looked(PyDict_GET_SIZE(dict));
    return hash;
}

uint32_t
heap_name_change(PyObject *dict, PyObject *name, PyObject *value)
{
    uint32_t before = 0, after = 0;
    if (!is_text_dict(dict, name)) {
        return 0;   /* looking it up might run code of a key */
    }
    PyObject *old = PyDict_GetItemWithError(dict, name);
    if (old) {
        hash_name(&before, name, NULL, old);
    }
    if (value) {
        hash_name(&after, name, NULL, value);
    }
    return after - before;
}

static int
meet_name(void *context, PyObject *key, const char *name, PyObject *value)
{
    if (!is_interpreters(key) && !secret_name(key)) {
        heap_meet(value);
    }
    return 0;
}

void
heap_write_names(PyObject *dict, int cause, uint64_t place, uint32_t world)
{
    if (cause != CAUSE_NONE) {
        heap_credit -= 3 * layout_price(dict, LAYOUT_DICT);
    }
    layout_visit(dict, PART_MAPPING, LAYOUT_DICT, meet_name, NULL);
    Reason reason = {cause == CAUSE_NONE ? KIND_CONTENTS : KIND_CHANGED, cause, place,
                     cause == CAUSE_LATER ? heap_end_of_world(world) : 0};
    heap_write_part(dict, identity_of(dict), LAYOUT_DICT | LAYOUT_NAMES, PART_MAPPING, PART_IS_WHOLE, reason);
}
