/* The contents of objects.
 *
 * The contents of an object are written when it is first met, with those of all objects that it leads to.
 * After that, the events of stores by recorded code say what changes.  Code that is not recorded can change
 * objects too: `heap_world` counts how often such code has run, and an object that was last looked at in an
 * earlier world is compared, by a hash of its contents, when it is met again.  A comparison costs time in
 * proportion to the object's size.  It is paid from a credit that grows with the bytes of other records, so
 * that looking never slows recording down by more than a constant factor.  An object that is too large for
 * the credit is marked as unsure.
 */
#include "heap_inside.h"

#include "arrays.h"
#include "namespace.h"

#define FREE_LOOK 64         /* up to this many items are compared for free */

int heap_is_on, heap_is_exposed, heap_is_restless;
uint32_t heap_world = 1;
int64_t heap_credit = 1 << 20;
static int64_t credited;

/* The moments at which the latest worlds began. */
#define WORLDS 65536
static uint64_t began[WORLDS];

void
heap_doubt(void)
{
    heap_world++;
    began[heap_world % WORLDS] = ring.moment;
}

uint64_t
heap_end_of_world(uint32_t number)
{
    return number == heap_world || heap_world - number >= WORLDS ? 0 : began[(number + 1) % WORLDS];
}

/* --- what looking costs */

int
heap_pay(Py_ssize_t items)
{
    heap_credit += (ring.earned - credited) / 4;
    credited += (ring.earned - credited) / 4 * 4;
    if (items <= FREE_LOOK) {
        return 1;
    }
    if (heap_credit < items) {
        return 0;
    }
    heap_credit -= items;
    return 1;
}

void
heap_write_unsure(Known *known)
{
    if (!(known->flags & FLAG_UNSURE)) {
        known->flags |= FLAG_UNSURE;
        DEFINE(16, {
            *p++ = KIND_UNSURE;
            p = put_varint(p, identity_id(known));
        });
    }
}

/* --- stores into arrays */

/* The latest store into an array, if it will change just one item. */
static struct { PyObject *array; Py_ssize_t number; const char *item; uint64_t hash; } stored;

void
heap_expect_stored(PyObject *object, PyObject *key, PyObject *value)
{
    Known *known = identity_find(object);
    Array array;
    if (!known || known->is_probable || known->layout != LAYOUT_ARRAY || known->world != heap_world
        || known->flags != FLAG_DESCRIBED || Py_TYPE(object) != arrays_type()
        || !arrays_is_scalar(value) || !is_small_array(object)) {
        return;
    }
    arrays_read(object, &array);
    stored.item = arrays_holds_objects(&array) ? NULL : arrays_find(&array, key, &stored.number);
    if (stored.item && arrays_is_flat(&array)) {
        stored.array = object;
        stored.hash = arrays_item_hash(&array, stored.number, stored.item);
    }
}

static void look(Known *known, PyObject *object, Reason reason);
static void look_at_shared(PyObject *object, Reason reason);

/* After that store: look at its item only.  0: all of the array has to be looked at. */
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
        *p++ = KIND_SPLICED;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, reason.place);
        p = put_varint(p, (uint64_t)stored.number);
        *p++ = 1;
        *p++ = 1;
        p = arrays_put_item(p, &array, item);
    });
    known->hash += (uint32_t)(hash - stored.hash);
    if (heap_has_views) {
        heap_doubt();
    }
    known->world = heap_world;
    look_at_shared(object, reason);
    return 1;
}

/* An array has changed: look at the array whose memory it shares. */
static void
look_at_shared(PyObject *object, Reason reason)
{
    PyObject *base = summary_base(object);
    Known *known = base ? identity_find(base) : NULL;
    if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)) {
        look(known, base, reason);
    }
}

/* --- looking again */

/* Tell whether only recorded code has changed an object since it was last looked at. */
static int
is_same(const Known *known, PyObject *object, int layout)
{
    return !(known->flags & FLAG_STALE)
        && has_size(known, layout_size(object, layout_part(layout), layout))
        && (uint32_t)heap_contents_hash(object, layout) == known->hash;
}

/* Write all contents of an object; before that, those of new objects that it holds. */
static void
tell(PyObject *object, int layout, Reason reason)
{
    heap_describe_contents(object, layout);
    Known *known = identity_find(object);
    if (!known) {
        return;
    }
    heap_was_told(known);
    if ((layout & (LAYOUT_ARRAY | LAYOUT_BYTES)) && heap_has_views && reason.event == KIND_CHANGED) {
        heap_doubt();
    }
    heap_write_parts(object, known, reason);
    known = identity_find(object);
    heap_remember(known, object);
    if ((layout & LAYOUT_ARRAY) && reason.event == KIND_CHANGED) {
        look_at_shared(object, reason);
    }
}

static void
look(Known *known, PyObject *object, Reason reason)
{
    int layout = known->layout;
    if (unlikely(stored.array != NULL) && look_at_stored(known, object, reason)) {
        return;
    }
    Py_ssize_t price = layout_price(object, layout);
    if (!heap_pay(price) || ((layout & LAYOUT_ARRAY) && !summary_is_readable(object))) {
        heap_write_unsure(known);
        return;
    }
    int same = is_same(known, object, layout);
    if (same && !(known->flags & FLAG_UNSURE)) {
        known->world = heap_world;
        return;
    }
    if (known->flags & FLAG_STALE) {
        heap_write_unsure(known);   /* it is not known which code has changed it */
    }
    heap_credit -= 3 * price;
    tell(object, layout, same ? (Reason){.event = KIND_CONTENTS} : reason);
}

void
heap_meet_object(PyObject *object)
{
    Known *known = identity_known(object);
    if (!known) {
        return;
    }
    if (!(known->flags & FLAG_DESCRIBED)) {
        heap_describe(object);
    }
    else if ((known->world != heap_world || (known->layout & LAYOUT_RESTLESS))
             && (known->layout & LAYOUT_MUTABLE)) {
        look(known, object, (Reason){KIND_CHANGED, CAUSE_LATER, 0, heap_end_of_world(known->world)});
    }
}

void
heap_look(PyObject *object, uint64_t place)
{
    Known *known = identity_find(object);
    if (known && !known->layout && !known->is_probable && PyDict_CheckExact(object)
        && namespace_look(object, place)) {
        return;
    }
    /* The object may be dead.  Only if its death would have been noticed, a known object is surely alive. */
    if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)
        && (known->layout & LAYOUT_MUTABLE)) {
        look(known, object, (Reason){KIND_CHANGED, CAUSE_CALL, place, 0});
    }
}

void
heap_begin_anew(void)
{
    memset(began, 0, sizeof(began));
    memset(&stored, 0, sizeof(stored));
    heap_again_begin_anew();
    heap_describe_begin_anew();
    heap_give_up_stale();
}
