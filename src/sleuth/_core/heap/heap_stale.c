/* Hashes that are out of date.
 *
 * Some stores of recorded code move all items of an object: `del items[0]`.  The store is an event.  The hash
 * of the contents is not updated after each such store, but once, before code runs that is not recorded.
 * (Without that, the change would be blamed on that code.)
 */
#include "heap_inside.h"

#define MOST 64
static PyObject *stale[MOST];   /* only looked up: they may be dead */
int heap_stale_count;

static void
freshen(Known *known)
{
    PyObject *object = known->object;
    if ((known->flags & FLAG_STALE) && heap_pay(layout_price(object, known->layout))) {
        known->hash = (uint32_t)heap_contents_hash(object, known->layout);
        set_size(known, layout_size(object, layout_part(known->layout), known->layout));
        known->flags &= (uint16_t)(~FLAG_STALE & 7);
    }
}

void
heap_make_stale(PyObject *object)
{
    Known *known = identity_find(object);
    if (!known || known->is_probable || !(known->flags & FLAG_DESCRIBED) || (known->flags & FLAG_STALE)) {
        return;
    }
    if (heap_stale_count == MOST) {
        heap_freshen();   /* (the stores into these objects are done by now) */
    }
    known->flags |= FLAG_STALE;
    stale[heap_stale_count++] = object;
}

void
heap_freshen_one(PyObject *object)
{
    for (int i = 0; i < heap_stale_count; i++) {
        if (stale[i] == object) {
            Known *known = identity_find(object);
            stale[i] = stale[--heap_stale_count];
            if (known) {
                freshen(known);
            }
            return;
        }
    }
}

void
heap_freshen(void)
{
    for (int i = 0; i < heap_stale_count; i++) {
        Known *known = identity_find(stale[i]);
        if (known) {
            freshen(known);
        }
    }
    heap_stale_count = 0;
}
