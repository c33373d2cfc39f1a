/* What objects contain.
 *
 * An object's contents are written when it is first seen, with those of everything that it leads to.
 * After that the recorded code's own stores tell what changes.  Code that is not recorded can change
 * things too: `world` counts how often such code has run, and an object that was last looked at in an
 * earlier world is compared, by a hash of its contents, when it is met again.  A comparison costs
 * what the object holds; it is paid from a credit that grows with the number of events, so that
 * looking never costs more than a constant factor.  What can't be paid is noted as unsure.
 */
#include "heap.h"

#include "arrays.h"
#include "identity.h"
#include "layout.h"
#include "namespace.h"
#include "secrets.h"
#include "summary.h"
#include "write.h"

#include "internal/pycore_dict.h"

enum { EV_CHANGED = 0x33, EV_SPLICED = 0x34, EV_PUT = 0x35, EV_CONTENTS = 0x40, EV_UNSURE = 0x41 };
enum { FLAG_DESCRIBED = 1, FLAG_STALE = 2, FLAG_UNSURE = 4 };
enum { CAUSE_CALL = HEAP_CALL, CAUSE_LATER = HEAP_LATER };
enum { CUT = 1, WHOLE = 4, DIGEST = 8 };   /* flags of a part; WHOLE: nothing that was told before is needed */
#define MOST_OBJECTS (1 << 20)   /* described at one meeting; the rest when they are met themselves */
#define FREE_LOOK 64         /* items that are compared without being counted */
#define PASSES 4             /* over an array when it is described */

int heap_is_on, heap_is_exposed, heap_is_restless;
uint32_t heap_world = 1;
static int64_t credit = 1 << 20, credited;

/* When each of the latest worlds began. */
#define WORLDS 65536
static uint64_t began[WORLDS];

void
heap_doubt(void)
{
    heap_world++;
    began[heap_world % WORLDS] = ring.moment;
}

/* The moment up to which what was looked at in that world was surely so. */
static uint64_t
end_of_world(uint32_t number)
{
    return number == heap_world || heap_world - number >= WORLDS ? 0 : began[(number + 1) % WORLDS];
}

/* --- hashes of contents */

static inline uint64_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL ^ b * 0x94D049BB133111EBULL;
    /* Without the last step two items that change places keep the sum once in some thousand runs. */
    h = (h ^ h >> 29) * 0xD6E8FEB86659FD93ULL;
    return h ^ h >> 32;
}

static uint64_t
value_hash(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
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

static uint64_t
name_hash(PyObject *key, const char *name)
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

typedef struct { uint64_t hash; uint64_t index; } Hashing;

static int
hash_item(void *context, PyObject *key, const char *name, PyObject *value)
{
    Hashing *hashing = context;
    uint64_t position = key || name ? name_hash(key, name) : hashing->index++;
    hashing->hash += mixed(position, value_hash(value));
    return 0;
}

static int
hash_member(void *context, PyObject *key, const char *name, PyObject *value)
{
    ((Hashing *)context)->hash += mixed(3, value_hash(value));
    return 0;
}

static uint64_t
contents_hash(PyObject *object, int layout)
{
    Hashing hashing = {0, 0};
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
    return hashing.hash;
}

static Py_ssize_t
items_of(PyObject *object, int layout)
{
    int part = layout_part(layout);
    if (part == PART_SUMMARY) {
        return summary_price(object);
    }
    Py_ssize_t size = part ? layout_size(object, part, layout) : 0;
    return part == PART_BYTES ? size / 16 + 1 : size;
}

/* (Where identity is only probable, the type stands in the place of the size.) */
static void
set_size(Known *known, Py_ssize_t size)
{
    if (!known->is_probable) {
        known->size = (uint16_t)size;
    }
}

static int
has_size(const Known *known, Py_ssize_t size)
{
    return known->is_probable || known->size == (uint16_t)size;
}

static void
remember(Known *known, PyObject *object)
{
    known->hash = (uint32_t)contents_hash(object, known->layout);
    set_size(known, layout_size(object, layout_part(known->layout), known->layout));
    known->world = heap_world;
    known->flags = FLAG_DESCRIBED;
}

/* --- writing contents */

typedef struct { uint8_t *p; uint32_t count; int has_no_room; } Writing;

static int
write_item(void *context, PyObject *key, const char *name, PyObject *value)
{
    Writing *writing = context;
    if (writing->count >= ring.control->most_items) {
        return 1;
    }
    uint8_t *p = writing->p;
    if (ring.end - p < 1024) {
        writing->has_no_room = 1;
        return 1;
    }
    if (name) {
        p = encode_utf8(p, name, strnlen(name, 200));
    }
    else if (key) {
        p = encode(p, key);
    }
    if (p && ring.end - p > 600) {
        int is_secret = name ? secret_text(name) : key && secret_name(key);
        p = is_secret ? encode_hidden(p, value) : encode(p, value);
    }
    else {
        p = NULL;
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
is_interpreters(PyObject *key)
{
    return !key || !PyUnicode_CheckExact(key)
        || (PyUnicode_GET_LENGTH(key) > 1 && PyUnicode_READ_CHAR(key, 0) == '_'
            && PyUnicode_READ_CHAR(key, 1) == '_');
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

typedef struct { int event, cause; uint64_t place, since; const uint32_t *hash; } Reason;

/* Of what is too long to be kept whole there is a hash. */
static int
is_too_long(Py_ssize_t full, int layout, int part)
{
    uint32_t most = part == PART_BYTES ? ring.control->most_text : ring.control->most_items;
    return !(layout & (LAYOUT_ARRAY | LAYOUT_NAMES)) && full > (Py_ssize_t)most;
}

static void
put_digest(uint8_t *p, PyObject *object, int layout, const uint32_t *known)
{
    uint32_t hash = known ? *known : (uint32_t)contents_hash(object, layout);
    memcpy(p, &hash, 4);
}

static int is_too_much;   /* the array that is written is not to be gone through */

/* The facts of an array or a table, which are also counted; or its items. */
static void
write_array(PyObject *object, int layout, int part, Writing *writing)
{
    if (part == PART_SEQUENCE) {
        writing->p = summary_put_items(writing->p, object, &writing->count);
        return;
    }
    uint8_t *counts = writing->p - 6;
    uint64_t hash = is_too_much ? 0 : contents_hash(object, layout);
    writing->p = summary_put_facts(writing->p, object, is_too_much ? NULL : &hash, &writing->count);
    put_count(counts, writing->count);
}

static size_t
room_for(int layout, Py_ssize_t full)
{
    size_t most = ring.control->most_numbers;
    return !(layout & LAYOUT_ARRAY) ? 4096
        : SUMMARY_ROOM + 2048 + 24 * ((size_t)full < most ? (size_t)full : most);
}

static void
write_part(PyObject *object, uint64_t id, int layout, int part, int flags, Reason reason)
{
    Py_ssize_t full = size_of(object, part, layout);
    for (int attempt = 0; attempt < 2; attempt++) {
        uint8_t *p = write_begin(room_for(layout, full));
        if (!p) {
            return;
        }
        *p++ = (uint8_t)reason.event;
        p = put_varint(p, id);
        if (reason.event == EV_CHANGED) {
            *p++ = (uint8_t)reason.cause;
            p = put_varint(p, reason.place);
            p = put_varint(p, reason.since);
        }
        *p++ = (uint8_t)part;
        uint8_t *flags_at = p++;
        p = part == PART_SUMMARY ? p + 3 : put_varint(p, (uint64_t)full);
        uint8_t *digest_at = is_too_long(full, layout, part) ? p : NULL;
        p += digest_at ? 4 : 0;
        uint8_t *count_at = p;
        p += 3;
        Writing writing = {p, 0, 0};
        if (part == PART_BYTES) {
            size_t kept = full < (Py_ssize_t)ring.control->most_text ? (size_t)full
                                                                   : ring.control->most_text;
            if ((size_t)(ring.end - p) < kept + 64) {
                writing.has_no_room = 1;
            }
            else {
                *p++ = 0x07;
                p = put_varint(p, kept);
                memcpy(p, PyByteArray_AS_STRING(object), kept);
                writing = (Writing){p + kept, kept == (size_t)full ? 1 : 0, 0};
            }
        }
        else if ((layout & LAYOUT_ARRAY) && part != PART_ATTRIBUTES) {
            write_array(object, layout, part, &writing);
            full = part == PART_SUMMARY ? (Py_ssize_t)writing.count : full;
        }
        else {
            layout_visit(object, part, layout, layout & LAYOUT_NAMES ? write_name : write_item, &writing);
        }
        if (writing.has_no_room && attempt == 0) {
            if (!ring_next_segment()) {
                return;
            }
            continue;
        }
        int is_cut = part == PART_BYTES ? writing.count == 0 : writing.count < (uint32_t)full;
        put_count(count_at, part == PART_BYTES ? 1 : writing.count);
        *flags_at = (uint8_t)(flags | (is_cut ? CUT : 0) | (digest_at ? DIGEST : 0));
        if (digest_at) {
            put_digest(digest_at, object, layout, reason.hash);   /* now all items have numbers */
        }
        ring.control->cut += is_cut;
        ring.long_bytes += writing.p - ring.pos;
        if (reason.event == EV_CHANGED) {
            credit -= 4 * (int64_t)writing.count;
        }
        ring_commit(writing.p);
        ring.moment += reason.event == EV_CHANGED;
        return;
    }
}

static void
write_parts(PyObject *object, Known *known, Reason reason)
{
    uint64_t id = identity_id(known);
    int layout = known->layout, part = layout_part(layout);
    if (part) {
        write_part(object, id, layout, part, WHOLE, reason);
    }
    if (part == PART_SUMMARY && summary_is_readable(object)) {
        write_part(object, id, layout, PART_SEQUENCE, 0, reason);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        write_part(object, id, layout, PART_ATTRIBUTES, part ? 0 : WHOLE, reason);
    }
}

/* --- telling all again, so that nobody who reads has to go back far */

#define FEWEST_WRITES 256     /* between two descriptions of an object; larger ones wait longer */
#define MOST_TELLING 65536
typedef struct { uint32_t number, writes; int epoch; } Written;
static Written written[4096];
static int64_t telling = MOST_TELLING, told_until;

static Written *
written_of(const Known *known)
{
    Written *slot = &written[known->number % 4096];
    if (slot->number != known->number || slot->epoch != ring.epoch) {
        *slot = (Written){known->number, UINT32_MAX, ring.epoch};
    }
    return slot;
}

/* Half an item for each event is to spare. */
static int
can_tell(uint32_t items)
{
    telling += (int64_t)(ring.moment / 2) - told_until;
    told_until = (int64_t)(ring.moment / 2);
    telling = telling > MOST_TELLING ? MOST_TELLING : telling;
    if (telling < items + 2) {
        return 0;
    }
    telling -= items + 2;
    return 1;
}

/* Of a small array all items are kept. */
static int
is_small(PyObject *array)
{
    return summary_size(array) <= (Py_ssize_t)ring.control->most_numbers;
}

/* Recorded code is about to change an object for sure: its first change in a segment, and every so
 * many after that, come with a description of how it is before. */
static void
note_write(PyObject *object)
{
    Known *known = identity_find(object);
    if (!known || !(known->flags & FLAG_DESCRIBED) || (known->flags & FLAG_UNSURE)
        || ((known->layout & LAYOUT_ARRAY) && !is_small(object))) {
        return;   /* (every change of a large array tells all of it) */
    }
    Written *slot = written_of(known);
    uint32_t items = known->is_probable ? 64 : known->size;
    if (likely(slot->writes < FEWEST_WRITES || slot->writes < items)) {
        slot->writes++;
        return;
    }
    slot->writes = 0;
    is_too_much = 0;
    if (can_tell(items)) {
        uint32_t hash = known->flags & FLAG_STALE ? 0 : known->hash;
        write_parts(object, known, (Reason){EV_CONTENTS, 0, 0, 0, &hash});
    }
}

/* --- describing what an object leads to, without recursion */

static PyObject **queue;
static size_t queue_room, queue_count;

static int
enqueue(void *context, PyObject *key, const char *name, PyObject *value)
{
    int is_secret = name ? secret_text(name) : key && secret_name(key);
    PyObject *both[] = {key, is_secret ? NULL : value};
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

/* Dictionaries that make missing items, the latest ones; the version tells whether one changed. */
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

static int can_pay(Py_ssize_t items);
static int has_views;   /* there are arrays that share their memory */

static void
write_unsure(Known *known)
{
    if (!(known->flags & FLAG_UNSURE)) {
        known->flags |= FLAG_UNSURE;
        DEFINE(16, {
            *p++ = EV_UNSURE;
            p = put_varint(p, identity_id(known));
        });
    }
}

/* A view is made at once, however large it is: going through it has to be paid even the first time. */
static void
describe_array(Known *known, PyObject *object)
{
    is_too_much = !summary_is_readable(object) || !can_pay(PASSES * summary_price(object));
    has_views |= summary_base(object) != NULL;
    write_parts(object, known, (Reason){.event = EV_CONTENTS});
    if (is_too_much) {
        write_unsure(known);
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
    written_of(known)->writes = 0;
    if (known->layout & LAYOUT_ARRAY) {
        describe_array(known, object);
    }
    else {
        write_parts(object, known, (Reason){.event = EV_CONTENTS});
    }
    int layout = layout_of(Py_TYPE(object)), part = layout_part(layout);
    if (part && part != PART_BYTES) {
        layout_visit(object, part, layout, enqueue, NULL);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        layout_visit(object, PART_ATTRIBUTES, layout, enqueue, NULL);
    }
    known = identity_find(object);
    if (known && (layout & LAYOUT_MUTABLE) && !(known->flags & FLAG_UNSURE)) {
        remember(known, object);
    }
}

static void
describe(PyObject *object)
{
    queue_count = 0;
    describe_one(object);
    for (size_t at = 0; at < queue_count && at < MOST_OBJECTS; at++) {
        describe_one(queue[at]);
    }
    queue_count = 0;
}

/* --- looking again */

static int
can_pay(Py_ssize_t items)
{
    credit += (ring.earned - credited) / 4;
    credited += (ring.earned - credited) / 4 * 4;
    if (items <= FREE_LOOK) {
        return 1;
    }
    if (credit < items) {
        return 0;
    }
    credit -= items;
    return 1;
}

static void look(Known *known, PyObject *object, Reason reason);

/* The latest store into an array that is to change just one item. */
static struct { PyObject *array; Py_ssize_t number; const char *item; uint64_t hash; } stored;

static void
expect_stored(PyObject *object, PyObject *key, PyObject *value)
{
    Known *known = identity_find(object);
    Array array;
    if (!known || known->is_probable || known->layout != LAYOUT_ARRAY || known->world != heap_world
        || known->flags != FLAG_DESCRIBED || Py_TYPE(object) != arrays_type()
        || !arrays_is_scalar(value) || !is_small(object)) {
        return;
    }
    arrays_read(object, &array);
    stored.item = arrays_holds_objects(&array) ? NULL : arrays_find(&array, key, &stored.number);
    if (stored.item && arrays_is_flat(&array)) {
        stored.array = object;
        stored.hash = arrays_item_hash(&array, stored.number, stored.item);
    }
}

static void look_at_shared(PyObject *object, Reason reason);

/* That store has been made: only its item is looked at. */
static int
look_at_stored(Known *known, PyObject *object, Reason reason)
{
    Array array;
    if (stored.array != object) {
        return 0;
    }
    stored.array = NULL;
    if (reason.cause != CAUSE_CALL || known->flags != FLAG_DESCRIBED) {
        return 0;
    }
    arrays_read(object, &array);
    const char *item = arrays_item(&array, stored.number);
    if (item != stored.item) {
        return 0;
    }
    uint64_t hash = arrays_item_hash(&array, stored.number, item), id = identity_id(known);
    if (hash == stored.hash) {
        return 1;
    }
    WRITE(2048, {
        *p++ = EV_SPLICED;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, reason.place);
        p = put_varint(p, (uint64_t)stored.number);
        *p++ = 1;
        *p++ = 1;
        p = arrays_put_item(p, &array, item);
    });
    known->hash += (uint32_t)(hash - stored.hash);
    if (has_views) {
        heap_doubt();
    }
    known->world = heap_world;
    look_at_shared(object, reason);
    return 1;
}

/* An array has changed: so have, perhaps, all that share memory with it. */
static void
look_at_shared(PyObject *object, Reason reason)
{
    PyObject *base = summary_base(object);
    Known *known = base ? identity_find(base) : NULL;
    if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)) {
        look(known, base, reason);
    }
}

static void
look(Known *known, PyObject *object, Reason reason)
{
    int layout = known->layout;
    if (unlikely(stored.array != NULL) && look_at_stored(known, object, reason)) {
        return;
    }
    if (!can_pay(items_of(object, layout))
        || ((layout & LAYOUT_ARRAY) && !summary_is_readable(object))) {
        write_unsure(known);
        return;
    }
    Py_ssize_t size = layout_size(object, layout_part(layout), layout);
    if (!(known->flags & (FLAG_STALE | FLAG_UNSURE)) && has_size(known, size)
        && (uint32_t)contents_hash(object, layout) == known->hash) {
        known->world = heap_world;
        return;
    }
    /* What it holds now may be new to us: it is described before the change that brings it. */
    credit -= 3 * items_of(object, layout);
    queue_count = 0;
    int part = layout_part(layout);
    if (part && part != PART_BYTES) {
        layout_visit(object, part, layout, enqueue, NULL);
    }
    if (layout & LAYOUT_ATTRIBUTES) {
        layout_visit(object, PART_ATTRIBUTES, layout, enqueue, NULL);
    }
    for (size_t at = 0; at < queue_count && at < MOST_OBJECTS; at++) {
        describe_one(queue[at]);
    }
    queue_count = 0;
    known = identity_find(object);
    if (known) {
        written_of(known)->writes = 0;
        is_too_much = 0;
        if ((layout & LAYOUT_ARRAY) && has_views) {
            heap_doubt();
        }
        write_parts(object, known, reason);
        known = identity_find(object);
        remember(known, object);
        if (layout & LAYOUT_ARRAY) {
            look_at_shared(object, reason);
        }
    }
}

void
heap_meet_object(PyObject *object)
{
    Known *known = identity_known(object);
    if (!known) {
        return;
    }
    if (!(known->flags & FLAG_DESCRIBED)) {
        describe(object);
    }
    else if ((known->world != heap_world || (known->layout & LAYOUT_RESTLESS))
             && (known->layout & LAYOUT_MUTABLE)) {
        look(known, object, (Reason){EV_CHANGED, CAUSE_LATER, 0, end_of_world(known->world)});
    }
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
heap_look(PyObject *object, uint64_t place)
{
    Known *known = identity_find(object);
    if (known && !known->layout && namespace_look(object, place)) {
        return;
    }
    /* Only where deaths are told is what is known surely alive. */
    if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)
        && (known->layout & LAYOUT_MUTABLE)) {
        look(known, object, (Reason){EV_CHANGED, CAUSE_CALL, place, 0});
    }
}

/* --- stores that do just what they say */

static Py_ssize_t
list_index(PyObject *list, PyObject *key)
{
    if (!PyList_CheckExact(list) || !PyLong_CheckExact(key) || !LONG_IS_COMPACT(key)) {
        return -1;
    }
    Py_ssize_t index = LONG_COMPACT_VALUE(key), size = PyList_GET_SIZE(list);
    index = index < 0 ? index + size : index;
    return index >= 0 && index < size ? index : -1;
}

static void
make_stale(PyObject *object)
{
    Known *known = identity_find(object);
    if (known) {
        known->flags |= FLAG_STALE;
    }
}

/* A text is found without asking anybody in a dictionary that has only texts as keys. */
static int
is_text_dict(PyObject *dict, PyObject *key)
{
    return PyUnicode_CheckExact(key) && DK_IS_UNICODE(((PyDictObject *)dict)->ma_keys);
}

static void
rehash(PyObject *object, uint64_t position, PyObject *old, PyObject *value)
{
    Known *known = identity_find(object);
    if (known && !(known->flags & FLAG_STALE)) {
        if (old) {
            known->hash -= (uint32_t)mixed(position, value_hash(old));
        }
        if (value) {
            known->hash += (uint32_t)mixed(position, value_hash(value));
        }
    }
}

int
heap_set_item(PyObject *receiver, PyObject *key, PyObject *value)
{
    note_write(receiver);
    Py_ssize_t index = list_index(receiver, key);
    if (index >= 0) {
        rehash(receiver, (uint64_t)index, PyList_GET_ITEM(receiver, index), value);
        return 1;
    }
    if (!PyDict_CheckExact(receiver) || !heap_is_atom(key)) {
        if (Py_IS_TYPE(receiver, arrays_type())) {
            expect_stored(receiver, key, value);
        }
        return 0;
    }
    if (!is_text_dict(receiver, key)) {
        make_stale(receiver);
        return 1;
    }
    PyObject *old = PyDict_GetItemWithError(receiver, key);
    rehash(receiver, value_hash(key), old, value);
    Known *known = old ? NULL : identity_find(receiver);
    if (known) {
        set_size(known, known->size + 1);
    }
    return 1;
}

int
heap_delete_item(PyObject *receiver, PyObject *key)
{
    note_write(receiver);
    Py_ssize_t index = list_index(receiver, key);
    if (index >= 0) {
        Known *known = identity_find(receiver);
        if (index == PyList_GET_SIZE(receiver) - 1) {
            rehash(receiver, (uint64_t)index, PyList_GET_ITEM(receiver, index), NULL);
        }
        else {
            make_stale(receiver);
        }
        if (known) {
            set_size(known, known->size - 1);
        }
        return 1;
    }
    if (PyDict_CheckExact(receiver) && is_text_dict(receiver, key)) {
        PyObject *old = PyDict_GetItemWithError(receiver, key);
        if (old) {
            rehash(receiver, value_hash(key), old, NULL);
            Known *known = identity_find(receiver);
            if (known) {
                set_size(known, known->size - 1);
            }
            return 1;
        }
    }
    return 0;
}

int
heap_set_attribute(PyObject *receiver, PyObject *name, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(receiver);
    note_write(receiver);
    if (type->tp_setattro != PyObject_GenericSetAttr) {
        make_stale(receiver);
        return type == &PyType_Type;   /* a class stores what it is told */
    }
    PyObject *descriptor = _PyType_Lookup(type, name);
    if (descriptor && Py_TYPE(descriptor)->tp_descr_set) {
        if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
            return 0;
        }
        make_stale(receiver);
        return 1;
    }
    PyObject *old = layout_attribute(receiver, name);
    int has_dict = (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) || type->tp_dictoffset != 0;
    if (!has_dict || (!value && !old)) {
        return 0;
    }
    rehash(receiver, value_hash(name), old, value);
    return 1;
}

void
heap_set_cell(PyObject *cell, PyObject *value, int is_secret)
{
    Known *known = cell && PyCell_Check(cell) ? identity_find(cell) : NULL;
    if (!known || is_secret) {
        return;
    }
    uint64_t id = identity_id(known);
    DEFINE(512, {
        *p++ = EV_CONTENTS;
        p = put_varint(p, id);
        *p++ = PART_CELL;
        *p++ = WHOLE;
        *p++ = value != NULL;
        *p++ = value != NULL;
        if (value) {
            p = encode(p, value);
        }
    });
    known->hash = value ? (uint32_t)mixed(0, value_hash(value)) : 0;
    set_size(known, value != NULL);
    known->world = heap_world;
}

/* --- the globals of modules */

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
    if (can_pay(PyDict_GET_SIZE(dict))) {
        return 1;
    }
    uint64_t id = identity_of(dict);
    DEFINE(16, {
        *p++ = EV_UNSURE;
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
    return hash;
}

uint32_t
heap_name_change(PyObject *dict, PyObject *name, PyObject *value)
{
    uint32_t before = 0, after = 0;
    if (!is_text_dict(dict, name)) {
        return 0;   /* looking it up might run the code of a key */
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
    layout_visit(dict, PART_MAPPING, LAYOUT_DICT, meet_name, NULL);
    Reason reason = {cause == HEAP_FIRST ? EV_CONTENTS : EV_CHANGED, cause, place,
                     cause == HEAP_LATER ? end_of_world(world) : 0};
    write_part(dict, identity_of(dict), LAYOUT_DICT | LAYOUT_NAMES, PART_MAPPING, WHOLE, reason);
}

/* --- methods that do just what they say */

static void
splice(PyObject *list, uint64_t place, Py_ssize_t start, Py_ssize_t removed, PyObject *const *items,
       Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        heap_meet(items[i]);
    }
    note_write(list);
    Known *known = identity_find(list);
    if (!known) {
        return;
    }
    uint64_t id = identity_id(known);
    Py_ssize_t size = PyList_GET_SIZE(list);
    WRITE(64 + (size_t)count * 320, {
        *p++ = EV_SPLICED;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, place);
        p = put_varint(p, (uint64_t)start);
        p = put_varint(p, (uint64_t)removed);
        p = put_varint(p, (uint64_t)count);
        for (Py_ssize_t i = 0; i < count && p; i++) {
            p = encode(p, items[i]);
        }
    });
    if (start + removed != size || (known->flags & FLAG_STALE)) {
        known->flags |= FLAG_STALE;   /* what follows moves: all positions change */
    }
    else {
        for (Py_ssize_t i = start; i < size; i++) {
            known->hash -= (uint32_t)mixed((uint64_t)i, value_hash(PyList_GET_ITEM(list, i)));
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            known->hash += (uint32_t)mixed((uint64_t)(start + i), value_hash(items[i]));
        }
    }
    set_size(known, size - removed + count);
}

static int
before_pop(PyObject *list, PyObject *const *args, int count, uint64_t place)
{
    Py_ssize_t size = PyList_GET_SIZE(list);
    Py_ssize_t index = count == 0 ? size - 1 : count == 1 ? list_index(list, args[0]) : -1;
    if (index < 0 || size == 0) {
        return 0;
    }
    splice(list, place, index, 1, NULL, 0);
    return 1;
}

static int
before_insert(PyObject *list, PyObject *const *args, uint64_t place)
{
    if (!PyLong_CheckExact(args[0]) || !LONG_IS_COMPACT(args[0])) {
        return 0;
    }
    Py_ssize_t index = LONG_COMPACT_VALUE(args[0]), size = PyList_GET_SIZE(list);
    index = index < 0 ? index + size : index;
    splice(list, place, index < 0 ? 0 : index > size ? size : index, 0, args + 1, 1);
    return 1;
}

static int
before_extend(PyObject *list, PyObject *more, uint64_t place)
{
    if (!PyList_CheckExact(more) && !PyTuple_CheckExact(more)) {
        return 0;
    }
    Py_ssize_t count = Py_SIZE(more);
    if (more == list || count > 1000) {
        return 0;
    }
    splice(list, place, PyList_GET_SIZE(list), 0, PySequence_Fast_ITEMS(more), count);
    return 1;
}

int
heap_before_list_method(PyObject *list, const char *name, PyObject *const *args, int count,
                        uint64_t place)
{
    heap_meet(list);
    if (strcmp(name, "append") == 0 && count == 1) {
        splice(list, place, PyList_GET_SIZE(list), 0, args, 1);
        return 1;
    }
    if (strcmp(name, "pop") == 0) {
        return before_pop(list, args, count, place);
    }
    if (strcmp(name, "insert") == 0 && count == 2) {
        return before_insert(list, args, place);
    }
    if (strcmp(name, "extend") == 0 && count == 1) {
        return before_extend(list, args[0], place);
    }
    if (strcmp(name, "clear") == 0 && count == 0) {
        splice(list, place, 0, PyList_GET_SIZE(list), NULL, 0);
        return 1;
    }
    return strcmp(name, "index") == 0 || strcmp(name, "count") == 0 || strcmp(name, "copy") == 0;
}

static void
write_put(Known *known, PyObject *key, PyObject *value, uint64_t place)
{
    uint64_t id = identity_id(known);
    WRITE(640, {
        *p++ = EV_PUT;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, place);
        VALUE(key);
        VALUE(value);
    });
}

int
heap_grown(PyObject *object, PyObject *item, uint64_t place)
{
    Known *known = identity_find(object);
    if (!known || known->is_probable || (known->flags & (FLAG_STALE | FLAG_UNSURE))
        || !PyAnySet_CheckExact(object)
        || !has_size(known, ((PySetObject *)object)->used - 1)) {
        return 0;
    }
    /* It has just come in, so it is alive. */
    heap_meet(item);
    known = identity_find(object);
    write_put(known, item, item, place);
    known->hash += (uint32_t)mixed(3, value_hash(item));
    set_size(known, known->size + 1);
    known->world = heap_world;
    note_write(object);   /* (the item is there already) */
    return 1;
}

/* --- what an object leads to */

#define REACHED 32
#define REACHED_ITEMS 256
typedef struct { PyObject *objects[REACHED]; int count, items; } Reach;

static int
reach_one(void *context, PyObject *key, const char *name, PyObject *value)
{
    /* (A function leads to its module's globals, a class to all that its module has.) */
    if (PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value)) {
        return 0;
    }
    Reach *reach = context;
    if (reach->count == REACHED || reach->items++ > REACHED_ITEMS) {
        return 1;
    }
    if (heap_is_atom(value)) {
        return 0;
    }
    for (int i = 0; i < reach->count; i++) {
        if (reach->objects[i] == value) {
            return 0;
        }
    }
    reach->objects[reach->count++] = value;
    return 0;
}

static int
reach_referent(PyObject *value, void *context)
{
    return reach_one(context, NULL, NULL, value);
}

/* What leads on without having contents of its own: a bound method, a partial, an iterator of map. */
static void
reach_through(PyObject *object, Reach *reach)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_traverse && !PyFunction_Check(object) && !PyType_Check(object) && !PyModule_Check(object)
        && !PyFrame_Check(object) && PyObject_IS_GC(object)) {
        type->tp_traverse(object, reach_referent, reach);
    }
}

void
heap_reach(PyObject *object, int (*found)(void *, PyObject *), void *context)
{
    Reach reach = {{object}, 1, 0};
    for (int at = 0; at < reach.count; at++) {
        PyObject *next = reach.objects[at];
        int layout = layout_of(Py_TYPE(next)), part = layout_part(layout);
        Known *known = identity_find(next);
        if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)
            && (layout & LAYOUT_MUTABLE) && found(context, next)) {
            return;
        }
        if (part && part != PART_BYTES) {
            layout_visit(next, part, layout, reach_one, &reach);
        }
        if ((layout & LAYOUT_ATTRIBUTES) && !(layout & LAYOUT_CLASS)) {
            layout_visit(next, PART_ATTRIBUTES, layout, reach_one, &reach);
        }
        if (!part && identity_base(Py_TYPE(next)) != &PyBaseObject_Type) {
            reach_through(next, &reach);
        }
    }
}

void
heap_begin_anew(void)
{
    memset(began, 0, sizeof(began));
    memset(written, 0, sizeof(written));
    memset(restless, 0, sizeof(restless));
    memset(&stored, 0, sizeof(stored));
    told_until = 0;
}
