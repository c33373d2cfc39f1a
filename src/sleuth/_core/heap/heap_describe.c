/* Describes objects that are met for the first time, and all objects that they lead to; without recursion. */
#include "heap_inside.h"

#include "fields.h"
#include "secrets.h"

#define MOST_OBJECTS (1 << 20)   /* described at a time; others when they are met themselves */
#define PASSES 4                 /* how often the items of an array are read when it is described */

int heap_has_views;

/* --- the objects that are still to be described */

static PyObject **queue;
static size_t queue_room, queue_count;

typedef struct { PyObject *names; Py_ssize_t count; } Enqueuing;   /* names of a named tuple's items */

static int
is_secret_item(const Enqueuing *enqueuing, PyObject *key, const char *name, Py_ssize_t index)
{
    return name ? secret_text(name)
        : key ? secret_name(key)
        : enqueuing->names && secret_name(PyTuple_GET_ITEM(enqueuing->names, index));
}

static int
enqueue(void *context, PyObject *key, const char *name, PyObject *value)
{
    Enqueuing *enqueuing = context;
    Py_ssize_t index = enqueuing->count++;
    if (name && strncmp(name, LAYOUT_BASE, sizeof(LAYOUT_BASE) - 1) == 0) {
        return 0;   /* recorded classes are described when they are made; others lead to many objects */
    }
    /* (Most items are atoms, which are not described: their names needn't be checked here.) */
    int is_hidden = !heap_is_atom(value) && is_secret_item(enqueuing, key, name, index);
    PyObject *both[] = {key, is_hidden ? NULL : value};
    for (int i = 0; i < 2; i++) {
        if (!both[i] || heap_is_atom(both[i])) {
            continue;
        }
        Known *known = identity_find(both[i]);
        if (known && (known->flags & FLAG_DESCRIBED)) {
            continue;
        }
        if (queue_count == queue_room) {
            size_t room = queue_room ? queue_room * 2 : 1024;
            PyObject **grown = PyMem_RawRealloc(queue, room * sizeof(PyObject *));
            if (!grown) {
                return 1;
            }
            queue = grown;
            queue_room = room;
        }
        queue[queue_count++] = both[i];
    }
    return queue_count >= MOST_OBJECTS;
}

static void
enqueue_contents(PyObject *object, int layout)
{
    int part = layout_part(layout);
    Enqueuing enqueuing = {layout_names_of_items(object, layout), 0};
    if (part && part != PART_BYTES) {
        layout_visit(object, part, layout, enqueue, &enqueuing);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        layout_visit(object, PART_ATTRIBUTES, layout, enqueue, &enqueuing);
    }
    heap_count_looked(enqueuing.count);
}

/* --- objects that reading may change */

/* The latest dictionaries that add missing items; their version shows whether they have changed. */
#define RESTLESS 8
static struct { PyObject *object; uint64_t version; } restless[RESTLESS];
static unsigned restless_next;

static void
watch_restless(PyObject *object)
{
    heap_is_restless = 1;
    restless[restless_next % RESTLESS].object = object;
    restless[restless_next++ % RESTLESS].version = ((PyDictObject *)object)->ma_version_tag;
}

void
heap_meet_restless(void)
{
    for (int i = 0; i < RESTLESS; i++) {
        PyObject *object = restless[i].object;
        Known *known = object ? identity_find(object) : NULL;
        if (!known || !(known->layout & LAYOUT_RESTLESS)) {
            restless[i].object = NULL;   /* it has died */
        }
        else if (((PyDictObject *)object)->ma_version_tag != restless[i].version) {
            restless[i].version = ((PyDictObject *)object)->ma_version_tag;
            heap_meet_object(object);
        }
    }
}

void
heap_describe_begin_anew(void)
{
    memset(restless, 0, sizeof(restless));
}

/* --- describing */

/* Describe an array.  Making a view takes no time, however large it is, so even the first look at it has to
 * be paid for. */
static void
describe_array(Known *known, PyObject *object)
{
    int is_too_much = !summary_is_readable(object) || !heap_pay(PASSES * summary_price(object));
    heap_has_views |= summary_base(object) != NULL;
    heap_write_parts(object, known, (Reason){.event = KIND_CONTENTS, .is_too_much = is_too_much});
    known = is_too_much ? identity_find(object) : NULL;   /* (new objects may have moved the entry) */
    if (known) {
        heap_write_unsure(known);
    }
}

static void
describe_one(PyObject *object)
{
    Known *known = identity_known(object);
    if (!known || (known->flags & FLAG_DESCRIBED)) {
        return;
    }
    known->layout = (uint16_t)layout_of(Py_TYPE(object)) & 0xFFF;
    known->flags |= FLAG_DESCRIBED;
    known->world = heap_world;
    if (!known->layout) {
        return;
    }
    if ((known->layout & LAYOUT_RESTLESS) && !known->is_probable) {
        watch_restless(object);
    }
    heap_was_told(known);
    if (known->layout & LAYOUT_ARRAY) {
        describe_array(known, object);
    }
    else {
        heap_write_parts(object, known, (Reason){.event = KIND_CONTENTS});
    }
    int layout = layout_of(Py_TYPE(object));
    enqueue_contents(object, layout);
    known = identity_find(object);
    if (known && !known->is_probable && fields_are_fixed(Py_TYPE(object))) {
        known->layout = 0;   /* it can't change: no need to look at it again */
    }
    else if (known && (layout & LAYOUT_MUTABLE) && !(known->flags & FLAG_UNSURE)) {
        heap_remember(known, object);
    }
}

static void
describe_queue(void)
{
    for (size_t at = 0; at < queue_count && at < MOST_OBJECTS; at++) {
        describe_one(queue[at]);
    }
    queue_count = 0;
}

void
heap_describe(PyObject *object)
{
    queue_count = 0;
    describe_one(object);
    describe_queue();
}

void
heap_describe_contents(PyObject *object, int layout)
{
    queue_count = 0;
    enqueue_contents(object, layout);
    describe_queue();
}
