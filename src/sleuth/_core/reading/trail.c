/* The trail of a segment: the events that show which step of its code a call has reached. */
#include "trail.h"

#include "stacks.h"

#include <string.h>

#define AT_PLACE 0 /* the call made another one at this place */
#define FOUND 1    /* a call starts or goes on without a sent value; maybe an exception was thrown in */
#define ALL_CALLS UINT64_MAX
#define TAG_ABSENT 0x00

typedef struct {
    int64_t moment;
    uint32_t call, number;
    int32_t place; /* -1: not known */
    uint32_t kind;
} Row;

typedef struct {
    Row *rows; /* owned */
    size_t count, room;
    uint64_t wanted;
} Trail;

static int
add(Trail *trail, uint64_t moment, uint32_t call, uint32_t kind, uint64_t number, uint32_t place)
{
    if (call == NO_CALL || (trail->wanted != ALL_CALLS && call != trail->wanted)) {
        return 0;
    }
    if (walk_grow((void **)&trail->rows, &trail->room, trail->count, sizeof(Row)) < 0) {
        return -1;
    }
    trail->rows[trail->count++] = (Row){
        .moment = (int64_t)moment,
        .call = call,
        .number = number <= INT32_MAX ? (uint32_t)number : 0,
        .place = place <= INT32_MAX ? (int32_t)place - 1 : -1,
        .kind = kind,
    };
    return 0;
}

static int
tells_of_route(const Record *record)
{
    return record->kind >= KIND_ENTER && record->kind <= KIND_DELETE_SLICE
        && record->kind != KIND_LOST;
}

/* Read the next record; `is_absent`: it resumes a call, and nothing was sent to it. */
static int
next_record(Walk *walk, Record *record, int *is_absent)
{
    *is_absent = 0;
    if (*walk->at != KIND_RESUME) {
        return walk_over(walk, record);
    }
    if (walk_record(walk, record) < 0) {
        return -1;
    }
    *is_absent = walk->at < walk->end && *walk->at == TAG_ABSENT;
    return walk_skip(walk, record);
}

static int
follow(Trail *trail, Walk *walk, Stacks *stacks, uint64_t next_call, uint64_t moment, uint64_t low,
       uint64_t high)
{
    while (walk->at < walk->end && moment < high) {
        Record record;
        int is_absent;
        uint32_t call, caller = stacks_top(stacks);
        if (next_record(walk, &record, &is_absent) < 0) {
            return -1;
        }
        if (record.kind == KIND_ENTER && record.place && moment >= low
            && add(trail, moment, caller, AT_PLACE, 0, record.place) < 0) {
            return -1;
        }
        if (stacks_step(stacks, &record, &next_call, &call) < 0) {
            return -1;
        }
        if (moment >= low && tells_of_route(&record)) {
            uint32_t kind = is_absent ? FOUND : record.kind;
            int has_site = record.kind >= KIND_CATCH;
            uint32_t place = record.kind == KIND_ENTER ? 0 : record.place;
            if (add(trail, moment, call, kind, has_site ? record.number : 0, place) < 0) {
                return -1;
            }
        }
        moment += (uint64_t)takes_moment(&record);
    }
    return 0;
}

PyDoc_STRVAR(trail_doc,
"trail(data, state, first_call, first_moment, low, high, call) -> bytes\n\n"
"Return the events of a segment with moments in [low, high) that show which step of its code a call\n"
"has reached; call -1: of all calls. A row has the moment as 64 bits, then the call, the site (0:\n"
"none), the place (-1: not known) and the kind as 32 bits each. Kind 0: the call made another one at\n"
"that place; 1: it starts or goes on without a sent value.");

static PyObject *
trail(PyObject *module, PyObject *args)
{
    const char *data, *state;
    Py_ssize_t size, state_size;
    unsigned long long first_call, first_moment, low, high;
    long long wanted;
    if (!PyArg_ParseTuple(args, "y#y#KKKKL:trail", &data, &size, &state, &state_size, &first_call,
                          &first_moment, &low, &high, &wanted)) {
        return NULL;
    }
    Trail found = {.wanted = wanted < 0 ? ALL_CALLS : (uint64_t)wanted};
    Walk walk;
    Stacks stacks;
    walk_start(&walk, data, size);
    int is_made = stacks_init(&stacks) == 0;
    int failed = !is_made || stacks_load(&stacks, state, state_size, NO_CALL) < 0;
    if (!failed) {
        failed = follow(&found, &walk, &stacks, first_call, first_moment, low, high) < 0;
        if (failed && !PyErr_Occurred()) {
            walk_complain(&walk);
        }
    }
    if (is_made) {
        stacks_free(&stacks);
    }
    walk_end(&walk);
    PyObject *packed = failed ? NULL
        : PyBytes_FromStringAndSize(found.rows ? (const char *)found.rows : "",
                                    (Py_ssize_t)(found.count * sizeof(Row)));
    PyMem_Free(found.rows);
    return packed;
}

PyMethodDef trail_functions[] = {
    {"trail", trail, METH_VARARGS, trail_doc},
    {NULL, NULL, 0, NULL},
};
