/* The hash table of known objects.
 *
 * Every list, tuple or dict that dies is looked up here, known or not, so a miss must be as fast as a hit.
 * Entries are sorted by their home places (where their hash puts them), which ends a search early, and a
 * removed entry leaves no marker.  The table consists of shards that grow one by one, so that there are never
 * two copies of all of it.
 */
#include "known.h"

#define SHARDS 64
#define FIRST_ROOM 64
#define SPARE(room) ((room) / 16 + 64)   /* entries behind the last home place, so that none wraps around */
#define LOOSE_ROOM 8192                  /* up to this size (12 MB in all shards) half stays free */

typedef struct { Known *entries; uint32_t room, live; } Shard;
static Shard shards[SHARDS];

static inline uint64_t
hash_of(PyObject *object)
{
    return ((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15ULL;
}

static inline Shard *
shard_of(uint64_t hash)
{
    return &shards[hash >> 58];
}

static inline uint32_t
home(const Shard *shard, uint64_t hash)
{
    return (uint32_t)((uint64_t)(uint32_t)(hash >> 26) * shard->room >> 32);
}

/* Return the index where an object is, or would be inserted. */
static inline uint32_t
place_for(const Shard *shard, PyObject *object, uint64_t hash)
{
    uint32_t at = home(shard, hash), mine = at;
    const Known *entries = shard->entries;
    while (entries[at].object && entries[at].object != object
           && home(shard, hash_of(entries[at].object)) <= mine) {
        at++;
    }
    return at;
}

Known *
known_find(PyObject *object)
{
    uint64_t hash = hash_of(object);
    Shard *shard = shard_of(hash);
    Known *entry = &shard->entries[place_for(shard, object, hash)];
    return entry->object == object ? entry : NULL;
}

/* Insert an entry; false: there is no room.  (The last entry always stays free.) */
static int
insert(Shard *shard, const Known *known, Known **placed)
{
    uint32_t at = place_for(shard, known->object, hash_of(known->object)), free = at;
    while (shard->entries[free].object) {
        free++;
    }
    if (free + 1 >= shard->room + SPARE(shard->room)) {
        return 0;
    }
    memmove(&shard->entries[at + 1], &shard->entries[at], (free - at) * sizeof(Known));
    shard->entries[at] = *known;
    *placed = &shard->entries[at];
    shard->live++;
    return 1;
}

static int
resize(Shard *shard, uint32_t room)
{
    for (;; room += room / 4) {
        Shard fresh = {PyMem_RawCalloc((size_t)room + SPARE(room), sizeof(Known)), room, 0};
        if (!fresh.entries) {
            return -1;
        }
        uint32_t end = shard->room ? shard->room + SPARE(shard->room) : 0, at = 0;
        Known *placed;
        while (at < end && (!shard->entries[at].object
                            || insert(&fresh, &shard->entries[at], &placed))) {
            at++;
        }
        if (at == end) {
            PyMem_RawFree(shard->entries);
            *shard = fresh;
            return 0;
        }
        PyMem_RawFree(fresh.entries);
    }
}

static int
is_full(const Shard *shard)
{
    return shard->room < LOOSE_ROOM ? shard->live >= shard->room / 2
                                    : shard->live >= shard->room / 5 * 4;
}

Known *
known_add(PyObject *object)
{
    Shard *shard = shard_of(hash_of(object));
    Known known = {.object = object}, *placed;
    uint32_t larger = shard->room < LOOSE_ROOM ? shard->room * 2 : shard->room / 20 * 23;
    if (is_full(shard) && resize(shard, larger) < 0) {
        return NULL;
    }
    while (!insert(shard, &known, &placed)) {
        if (resize(shard, larger) < 0) {
            return NULL;
        }
        larger += larger / 4;
    }
    return placed;
}

void
known_remove(PyObject *object)
{
    uint64_t hash = hash_of(object);
    Shard *shard = shard_of(hash);
    Known *entries = shard->entries;
    uint32_t at = place_for(shard, object, hash), next = at + 1;
    if (entries[at].object != object) {
        return;
    }
    while (entries[next].object && home(shard, hash_of(entries[next].object)) < next) {
        next++;
    }
    memmove(&entries[at], &entries[at + 1], (next - at - 1) * sizeof(Known));
    entries[next - 1].object = NULL;
    shard->live--;
    if (shard->room > LOOSE_ROOM && shard->live < shard->room / 8) {
        resize(shard, shard->room / 4);
    }
}

int
known_start(void)
{
    for (int i = 0; i < SHARDS; i++) {
        if (resize(&shards[i], FIRST_ROOM) < 0) {
            return -1;
        }
    }
    return 0;
}

void
known_clear(void)
{
    for (int i = 0; i < SHARDS; i++) {
        Shard *shard = &shards[i];
        memset(shard->entries, 0, ((size_t)shard->room + SPARE(shard->room)) * sizeof(Known));
        shard->live = 0;
    }
}
