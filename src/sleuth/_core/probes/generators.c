/* The calls of generators and coroutines.
 *
 * A generator that was started is known by the address of its frame.  The frame of a generator that was made
 * and not started yet may still move, so it is known by a tag in the frame.
 */
#include "generators.h"

static Suspended *generators;
static size_t generators_room, generators_used;

static inline size_t
frame_hash(Frame *frame)
{
    return ((uintptr_t)frame >> 4) * 0x9E3779B97F4A7C15ULL >> 20;
}

Suspended *
generator_find(Frame *frame)
{
    if (!generators_room) {
        return NULL;
    }
    for (size_t i = frame_hash(frame);; i++) {
        Suspended *entry = &generators[i % generators_room];
        if (!entry->frame || entry->frame == frame) {
            return entry->frame ? entry : NULL;
        }
    }
}

static int
grow_generators(void)
{
    size_t old_room = generators_room;
    Suspended *old = generators;
    size_t room = 256;
    size_t live = 0;
    for (size_t i = 0; i < old_room; i++) {
        live += old[i].frame && old[i].call != UINT64_MAX;
    }
    while (room < live * 4) {
        room *= 2;
    }
    Suspended *fresh = PyMem_RawCalloc(room, sizeof(Suspended));
    if (!fresh) {
        return -1;
    }
    generators = fresh;
    generators_room = room;
    generators_used = 0;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].frame && old[i].call != UINT64_MAX) {
            size_t at = frame_hash(old[i].frame);
            while (generators[at % room].frame) {
                at++;
            }
            generators[at % room] = old[i];
            generators_used++;
        }
    }
    PyMem_RawFree(old);
    return 0;
}

void
generator_know(Frame *frame, uint64_t call, uint32_t place_base)
{
    Suspended *entry = generator_find(frame);
    if (!entry) {
        if (generators_used * 2 >= generators_room && grow_generators() < 0) {
            return;
        }
        size_t at = frame_hash(frame);
        while (generators[at % generators_room].frame) {
            at++;
        }
        entry = &generators[at % generators_room];
        generators_used++;
    }
    *entry = (Suspended){frame, call, place_base};
}

void
generator_forget(Frame *frame)
{
    Suspended *entry = generator_find(frame);
    if (entry) {
        entry->call = UINT64_MAX;   /* the entry stays until the table grows */
    }
}

/* Generators that were made and not started yet, by the tag in their frame; tag 0 is not used. */
typedef struct { PyCodeObject *code; uint64_t call; } Created;
#define MOST_CREATED 65535
static Created *created;
static uint16_t created_next;
static uint32_t created_used;

/* Return a tag that no such generator has; 0: there is none. */
static uint16_t
free_tag(void)
{
    if (!created && !(created = PyMem_RawCalloc(MOST_CREATED + 1, sizeof(Created)))) {
        return 0;
    }
    if (created_used == MOST_CREATED) {
        return 0;
    }
    do {
        created_next++;
    } while (created_next == 0 || created[created_next].code);
    created_used++;
    return created_next;
}

uint16_t
generator_made(PyCodeObject *code, uint64_t call)
{
    uint16_t tag = free_tag();
    if (tag) {
        created[tag] = (Created){code, call};
    }
    return tag;
}

int
generator_start(uint16_t tag, PyCodeObject *code, uint64_t *call)
{
    Created *made = created ? &created[tag] : NULL;
    if (!made || made->code != code) {
        return 0;
    }
    *call = made->call;
    made->code = NULL;
    created_used--;
    return 1;
}

void
generators_begin_anew(void)
{
    PyMem_RawFree(generators);
    generators = NULL;
    generators_room = generators_used = 0;
    if (created) {
        memset(created, 0, (MOST_CREATED + 1) * sizeof(Created));
        created_used = 0;   /* created_next stays: frames still have old tags */
    }
}
