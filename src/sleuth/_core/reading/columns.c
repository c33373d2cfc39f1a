/* Events of a segment as columns: those of one call, and what events touch. */
#include "columns.h"

#include "stacks.h"

#include <string.h>

/* --- The events of one call, as columns ------------------------------------------------------ */

/* The columns to be filled; their memory is the caller's. */
typedef struct {
    Py_buffer moments, sites, kinds, ordinals;
    size_t count, room;
    size_t kept; /* up to here nothing will be removed any more: behind the latest loop or turn */
    uint32_t ordinal;
    int is_sparse;
} Own;

/* With is_sparse: at a turn of the same loop as before, remove the events since the last turn.  They can't
 * show where the loop ends. */
static inline void
own_thin(Own *own, const Record *record, int32_t site)
{
    if (record->kind == KIND_TURN && own->is_sparse && own->kept > 0 &&
        ((int32_t *)own->sites.buf)[own->kept - 1] == site) {
        own->count = own->kept;
    }
}

static inline int
own_add(Own *own, uint64_t moment, const Record *record)
{
    int has_site = record->kind >= KIND_CATCH && record->kind <= KIND_DELETE_SLICE;
    int32_t site = has_site && record->number < MOST_IDS ? (int32_t)record->number : -1;
    own_thin(own, record, site);
    if (own->count == own->room) {
        PyErr_SetString(PyExc_ValueError, "a call has more events than it says");
        return -1;
    }
    ((int64_t *)own->moments.buf)[own->count] = (int64_t)moment;
    ((int32_t *)own->sites.buf)[own->count] = site;
    ((uint32_t *)own->ordinals.buf)[own->count] = own->ordinal++;
    ((uint8_t *)own->kinds.buf)[own->count++] = record->kind;
    if (record->kind == KIND_LOOP || record->kind == KIND_TURN) {
        own->kept = own->count;
    }
    return 0;
}

static int
own_fits(Own *own, Py_ssize_t count, Py_ssize_t kept)
{
    own->room = (size_t)own->kinds.len;
    if (count < 0 || kept < 0 || kept > count || (size_t)count > own->room ||
        (size_t)own->moments.len / sizeof(int64_t) < own->room ||
        (size_t)own->sites.len / sizeof(int32_t) < own->room ||
        (size_t)own->ordinals.len / sizeof(uint32_t) < own->room) {
        PyErr_SetString(PyExc_ValueError, "the columns do not fit");
        return -1;
    }
    own->count = (size_t)count;
    own->kept = (size_t)kept;
    return 0;
}

PyDoc_STRVAR(own_doc,
"own(data, state, first_call, first_moment, low, high, call, is_sparse, so_far, columns)\n"
"    -> (int, int, int)\n\n"
"Put the events of a call in a segment with moments in [low, high) into columns: the moment as 64\n"
"bits, the site as 32 bits (-1: none), the kind as a byte, and the number of earlier events of the\n"
"call as 32 bits. is_sparse: leave out events between two turns of one loop. Return the length of\n"
"the columns, how many of their items are final, and the number of events so far: this is `so_far`\n"
"for the next segment.");

static PyObject *
own(PyObject *module, PyObject *args)
{
    const char *data, *state;
    Py_ssize_t size, state_size, count, kept;
    unsigned long long first_call, first_moment, low, high, wanted;
    Own found = {.count = 0};
    if (!PyArg_ParseTuple(args, "y#y#KKKKKp(nnI)(w*w*w*w*):own", &data, &size, &state, &state_size,
                          &first_call, &first_moment, &low, &high, &wanted, &found.is_sparse,
                          &count, &kept, &found.ordinal, &found.moments, &found.sites,
                          &found.kinds, &found.ordinals)) {
        return NULL;
    }
    Walk walk;
    Stacks stacks;
    uint64_t next_call = first_call, moment = first_moment;
    walk_start(&walk, data, size);
    int is_made = own_fits(&found, count, kept) == 0 && stacks_init(&stacks) == 0;
    int failed = !is_made || stacks_load(&stacks, state, state_size, NO_CALL) < 0;
    int is_read = !failed;
    while (!failed && walk.at < walk.end && moment < high) {
        Record record;
        uint32_t call;
        failed = walk_over(&walk, &record) < 0 ||
                 stacks_step(&stacks, &record, &next_call, &call) < 0;
        if (failed || !takes_moment(&record)) {
            continue;
        }
        if (moment >= low && call != NO_CALL && call == wanted) {
            failed = own_add(&found, moment, &record) < 0;
        }
        moment++;
    }
    if (failed && is_read) {
        walk_complain(&walk);
    }
    if (is_made) {
        stacks_free(&stacks);
    }
    walk_end(&walk);
    PyBuffer_Release(&found.moments);
    PyBuffer_Release(&found.sites);
    PyBuffer_Release(&found.kinds);
    PyBuffer_Release(&found.ordinals);
    return failed ? NULL
                  : Py_BuildValue("(nnI)", (Py_ssize_t)found.count, (Py_ssize_t)found.kept,
                                  (unsigned)found.ordinal);
}

/* --- Objects, sites and streams that events touch -------------------------------------------- */


typedef struct {
    int64_t moment, number;
} Touched;

typedef struct {
    Touched *rows; /* owned */
    uint8_t *whats; /* owned */
    size_t count, room, whats_room;
    int is_bound; /* the previous event set a variable */
    const uint8_t *sites; /* borrowed; not 0 for each site whose stores are wanted */
    size_t sites_count;
} Touches;

static int
touch(Touches *touches, uint64_t moment, uint64_t number, int what)
{
    if (number > INT64_MAX / 2) {
        PyErr_SetString(PyExc_ValueError, "a number is out of range");
        return -1;
    }
    if (walk_grow((void **)&touches->rows, &touches->room, touches->count, sizeof(Touched)) < 0 ||
        walk_grow((void **)&touches->whats, &touches->whats_room, touches->count, 1) < 0) {
        return -1;
    }
    touches->rows[touches->count] = (Touched){(int64_t)moment, (int64_t)number};
    touches->whats[touches->count++] = (uint8_t)what;
    return 0;
}

/* Add the objects among the values of a record, and step over the values. */
static int
touch_values(Touches *touches, Walk *walk, const Record *record, uint64_t moment)
{
    for (uint64_t left = record->values; left > 0; left--) {
        uint64_t object;
        if (walk_is_object(walk, &object) && touch(touches, moment, object, TOUCH_GIVEN) < 0) {
            return -1;
        }
        if (walk_skip_value(walk) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Add a record of contents, which has no moment of its own.  That of a cell directly behind the event that
 * sets the variable counts as a write at that event. */
static int
touch_contents(Touches *touches, const Record *record, uint64_t moment)
{
    int is_set = record->part == PART_CELL && touches->is_bound && moment > 0;
    return touch(touches, moment - (uint64_t)is_set, record->number,
                 is_set ? TOUCH_WRITTEN : TOUCH_SEEN);
}

static int
touch_record(Touches *touches, Walk *walk, const Record *record, uint64_t moment)
{
    uint64_t object;
    int failed = 0;
    if (record->kind == KIND_ENTER) {
        if (record->flags & ENTER_ELSEWHERE &&
            touch(touches, moment, record->started, TOUCH_STARTED) < 0) {
            return -1;
        }
        return touch_values(touches, walk, record, moment);
    }
    if (record->kind == KIND_CONTENTS) {
        failed = touch_contents(touches, record, moment) < 0;
    } else if (record->kind == KIND_OUTPUT) {
        failed = touch(touches, moment, record->number, TOUCH_PRINTED) < 0;
    } else if (binds(record)) {
        int is_told = record->number < touches->sites_count && touches->sites[record->number];
        failed = is_told && touch(touches, moment, record->number, TOUCH_BOUND) < 0;
    } else if (record->kind != KIND_UNSURE && walk_object(walk, record, &object)) {
        failed = touch(touches, moment, object, TOUCH_WRITTEN) < 0;
    }
    return failed ? -1 : walk_skip(walk, record);
}

PyDoc_STRVAR(touches_doc, "touches(data, first_moment, low, high, sites) -> (bytes, bytes)\n\n"
"Return what the events of a segment with moments in [low, high) touch: pairs of 64 bits, a moment\n"
"and a number, and a byte for each pair that says what the number is: 1 an object given to a call,\n"
"2 an object written to, 3 an object described, 4 a site that sets a variable (only sites that are\n"
"not 0 in `sites`), 5 a stream printed to, 6 the moment at which a call that ran elsewhere was\n"
"started.");

static PyObject *
touches(PyObject *module, PyObject *args)
{
    const char *data, *sites;
    Py_ssize_t size, sites_count;
    unsigned long long moment, low, high;
    if (!PyArg_ParseTuple(args, "y#KKKy#:touches", &data, &size, &moment, &low, &high, &sites,
                          &sites_count)) {
        return NULL;
    }
    Touches found = {.sites = (const uint8_t *)sites, .sites_count = (size_t)sites_count};
    Walk walk;
    walk_start(&walk, data, size);
    int failed = 0;
    while (!failed && walk.at < walk.end && moment < high) {
        Record record;
        failed = walk_record(&walk, &record) < 0 ||
                 (moment < low ? walk_skip(&walk, &record)
                               : touch_record(&found, &walk, &record, moment)) < 0;
        if (!failed && takes_moment(&record)) {
            moment++;
            found.is_bound = binds(&record);
        }
    }
    if (failed) {
        walk_complain(&walk);
    }
    walk_end(&walk);
    PyObject *packed =
        failed ? NULL
               : Py_BuildValue("(y#y#)", found.rows ? (const char *)found.rows : "",
                               (Py_ssize_t)(found.count * sizeof(Touched)),
                               found.whats ? (const char *)found.whats : "",
                               (Py_ssize_t)found.count);
    PyMem_Free(found.rows);
    PyMem_Free(found.whats);
    return packed;
}

PyMethodDef columns_functions[] = {
    {"own", own, METH_VARARGS, own_doc},
    {"touches", touches, METH_VARARGS, touches_doc},
    {NULL, NULL, 0, NULL},
};
