/* Writes all contents of an object again now and then, so that readers needn't go back far. */
#include "heap_inside.h"

#define FEWEST_WRITES 256     /* stores between two descriptions of an object; more for larger objects */
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

/* Tell whether the credit allows to write this many items; it grows by half an item with each event. */
static int
can_tell(Py_ssize_t items)
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

void
heap_was_told(const Known *known)
{
    written_of(known)->writes = 0;
}

/* Before the first store into an object in a segment, and then after every FEWEST_WRITES or more stores, all
 * its contents are written. */
void
heap_note_write(PyObject *object)
{
    Known *known = identity_find(object);
    if (!known || !(known->flags & FLAG_DESCRIBED) || (known->flags & FLAG_UNSURE)
        || ((known->layout & LAYOUT_ARRAY) && !is_small_array(object))) {
        return;   /* (each change of a large array writes all of it) */
    }
    Written *slot = written_of(known);
    if (likely(slot->writes < FEWEST_WRITES)) {
        slot->writes++;
        return;
    }
    Py_ssize_t items = layout_price(object, known->layout);
    if (slot->writes < items) {
        slot->writes++;
        return;
    }
    slot->writes = 0;
    if (can_tell(items)) {
        uint32_t hash = known->flags & FLAG_STALE ? 0 : known->hash;
        heap_write_parts(object, known, (Reason){KIND_CONTENTS, 0, 0, 0, &hash});
    }
}

void
heap_again_begin_anew(void)
{
    memset(written, 0, sizeof(written));
    told_until = 0;
}
