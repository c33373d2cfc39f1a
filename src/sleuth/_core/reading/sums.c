/* The sums of a segment: numbers of calls by host and function, and the calls that go on. */
#include "sums.h"

#include <stdlib.h>

/* The number of calls of one function below one host.  (The host of a call is the nearest call above it that
 * began in an earlier segment.) */
typedef struct {
    uint64_t key; /* (host + 1; 0: none) << 32 | function */
    uint32_t count;
} Sum;

typedef struct {
    Sum *slots; /* owned; a hash table; count 0: empty */
    size_t count, room;
} Sums;

typedef struct {
    uint8_t *bytes; /* owned */
    size_t size, room;
} Packing;

static Sum *
slot_of(const Sums *sums, uint64_t key)
{
    size_t mask = sums->room - 1, slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (sums->slots[slot].count != 0 && sums->slots[slot].key != key) {
        slot = (slot + 1) & mask;
    }
    return &sums->slots[slot];
}

static int
widen(Sums *sums)
{
    Sums wider = {.count = sums->count, .room = sums->room ? sums->room * 2 : 256};
    wider.slots = PyMem_Calloc(wider.room, sizeof(Sum));
    if (wider.slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < sums->room; i++) {
        if (sums->slots[i].count != 0) {
            *slot_of(&wider, sums->slots[i].key) = sums->slots[i];
        }
    }
    PyMem_Free(sums->slots);
    *sums = wider;
    return 0;
}

static int
count_calls(Sums *sums, const PackedCall *calls, size_t count, uint32_t first_call)
{
    uint32_t *hosts = PyMem_Malloc((count + 1) * sizeof(uint32_t)); /* + 1; 0: none */
    if (hosts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t up = calls[i].up;
        hosts[i] = up == 0 ? 0 : up <= i ? hosts[i - up] : first_call + (uint32_t)i - up + 1;
        if (sums->count * 2 >= sums->room && widen(sums) < 0) {
            PyMem_Free(hosts);
            return -1;
        }
        uint64_t key = (uint64_t)hosts[i] << 32 | calls[i].function;
        Sum *sum = slot_of(sums, key);
        sums->count += sum->count == 0;
        sum->key = key;
        sum->count++;
    }
    PyMem_Free(hosts);
    return 0;
}

static int
put(Packing *packing, uint64_t number)
{
    if (packing->room - packing->size < 10) {
        size_t room = packing->room * 2 + 256;
        uint8_t *larger = PyMem_Realloc(packing->bytes, room);
        if (larger == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        packing->bytes = larger;
        packing->room = room;
    }
    for (; number > 0x7F; number >>= 7) {
        packing->bytes[packing->size++] = (uint8_t)(number & 0x7F) | 0x80;
    }
    packing->bytes[packing->size++] = (uint8_t)number;
    return 0;
}

static int
by_key(const void *left, const void *right)
{
    uint64_t a = ((const Sum *)left)->key, b = ((const Sum *)right)->key;
    return (a > b) - (a < b);
}

static int
put_sums(Packing *packing, Sums *sums)
{
    size_t kept = 0, hosts = 0;
    for (size_t i = 0; i < sums->room; i++) {
        if (sums->slots[i].count != 0) {
            sums->slots[kept++] = sums->slots[i];
        }
    }
    if (kept > 1) {
        qsort(sums->slots, kept, sizeof(Sum), by_key);
    }
    for (size_t i = 0; i < kept; i++) {
        hosts += i == 0 || sums->slots[i].key >> 32 != sums->slots[i - 1].key >> 32;
    }
    int failed = put(packing, hosts) < 0;
    uint64_t last_host = 0;
    for (size_t i = 0; i < kept && !failed;) {
        uint64_t host = sums->slots[i].key >> 32, last_function = 0;
        size_t end = i;
        while (end < kept && sums->slots[end].key >> 32 == host) {
            end++;
        }
        failed = put(packing, host - last_host) < 0 || put(packing, end - i) < 0;
        last_host = host;
        for (; i < end && !failed; i++) {
            uint64_t function = sums->slots[i].key & UINT32_MAX;
            failed = put(packing, function - last_function) < 0
                     || put(packing, sums->slots[i].count) < 0;
            last_function = function;
        }
    }
    return failed ? -1 : 0;
}

static int
goes_on(const PackedCall *call)
{
    return call->outcome == OUTCOME_UNFINISHED || call->outcome == OUTCOME_SUSPENDED;
}

static int
put_going_on(Packing *packing, const PackedCall *calls, size_t count)
{
    uint64_t going = 0, last = 0;
    for (size_t i = 0; i < count; i++) {
        going += (uint64_t)goes_on(&calls[i]);
    }
    int failed = put(packing, going) < 0;
    for (size_t i = 0; i < count && !failed; i++) {
        if (goes_on(&calls[i])) {
            failed = put(packing, i - last) < 0 || put(packing, calls[i].up) < 0
                     || put(packing, calls[i].function) < 0;
            last = i;
        }
    }
    return failed ? -1 : 0;
}

PyObject *
pack_sums(const PackedCall *calls, size_t count, uint32_t first_call)
{
    Sums sums = {0};
    Packing packing = {0};
    PyObject *packed = NULL;
    if (count_calls(&sums, calls, count, first_call) == 0 && put_sums(&packing, &sums) == 0
        && put_going_on(&packing, calls, count) == 0) {
        packed = PyBytes_FromStringAndSize((const char *)packing.bytes, (Py_ssize_t)packing.size);
    }
    PyMem_Free(sums.slots);
    PyMem_Free(packing.bytes);
    return packed;
}
