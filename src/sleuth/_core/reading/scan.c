/* Scans the segments of a trace in order and makes their index; decodes the events of a segment. */
#include "scan.h"

#include "columns.h"
#include "graph.h"
#include "near.h"
#include "numbers.h"
#include "packed.h"
#include "records.h"
#include "stacks.h"
#include "sums.h"
#include "trail.h"

#include <string.h>

/* --- The ends of calls that began in earlier segments, found by call ------------------------- */

typedef struct {
    End *ends; /* owned */
    size_t count, room;
    uint32_t *slots; /* owned; a hash table of call -> index + 1 */
    size_t slots_room;
} Ends;

static size_t
end_slot(const Ends *ends, uint32_t call)
{
    size_t mask = ends->slots_room - 1, slot = (call * 2654435761u) & mask;
    while (ends->slots[slot] != 0 && ends->ends[ends->slots[slot] - 1].call != call) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static End *
end_of(Ends *ends, uint32_t call)
{
    if (ends->count * 2 >= ends->slots_room) {
        size_t room = ends->slots_room ? ends->slots_room * 2 : 256;
        uint32_t *slots = PyMem_Calloc(room, sizeof(uint32_t));
        if (slots == NULL) {
            PyErr_NoMemory();
            return NULL;
        }
        PyMem_Free(ends->slots);
        ends->slots = slots;
        ends->slots_room = room;
        for (size_t i = 0; i < ends->count; i++) {
            slots[end_slot(ends, ends->ends[i].call)] = (uint32_t)i + 1;
        }
    }
    size_t slot = end_slot(ends, call);
    if (ends->slots[slot] == 0) {
        if (walk_grow((void **)&ends->ends, &ends->room, ends->count, sizeof(End)) < 0) {
            return NULL;
        }
        memset(&ends->ends[ends->count], 0, sizeof(End));
        ends->ends[ends->count].call = call;
        ends->ends[ends->count].last = OPEN_LENGTH;
        ends->slots[slot] = (uint32_t)++ends->count;
    }
    return &ends->ends[ends->slots[slot] - 1];
}

/* --- Scanning one segment -------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    Stacks stacks;
    uint64_t next_call, next_moment;
} Scanner;

typedef struct {
    Walk walk;
    Stacks *stacks; /* borrowed */
    PackedCall *calls; /* owned */
    size_t count, room;
    Ends ends;
    uint64_t first_call, first_moment, moment, roots, unmatched;
    uint32_t *own; /* borrowed; counts the events of the current call; NULL: there is none */
    PyObject *notes; /* owned; names, child processes, reasons for stopping */
    Numbers objects, bound; /* objects that the segment has records of; sites that set variables */
    Numbers parts; /* stamps of the parts of objects that are written */
} Scan;

#define MOST_PARTS 2000 /* more stamps are not kept: such an index would be as long as the events */

static int
find_own(Scan *scan)
{
    uint32_t call = stacks_top(scan->stacks);
    scan->own = NULL;
    if (call == NO_CALL) {
        return 0;
    }
    if (call >= scan->first_call) {
        scan->own = &scan->calls[call - scan->first_call].events;
        return 0;
    }
    End *end = end_of(&scan->ends, call);
    if (end == NULL) {
        return -1;
    }
    scan->own = &end->events;
    return 0;
}

static int
entered(Scan *scan, const Record *record)
{
    uint64_t id = scan->first_call + scan->count;
    if (id >= NO_CALL || record->number >= UINT32_MAX) {
        scan->walk.wrong = "a number is out of range";
        return -1;
    }
    if (walk_grow((void **)&scan->calls, &scan->room, scan->count, sizeof(PackedCall)) < 0) {
        return -1;
    }
    uint32_t parent = stacks_top(scan->stacks);
    int is_elsewhere = record->flags & ENTER_ELSEWHERE;
    if (is_elsewhere) {
        if (record->starter >= id || record->started >= scan->moment) {
            scan->walk.wrong = "a call was started by one that had not begun";
            return -1;
        }
        parent = (uint32_t)record->starter;
    }
    const Thread *thread = &scan->stacks->threads[scan->stacks->current];
    int deferred = record->flags & ENTER_DEFERRED;
    scan->roots += parent == NO_CALL || is_elsewhere;
    scan->calls[scan->count++] = (PackedCall){
        .length = deferred ? 0 : OPEN_LENGTH,
        .first = (uint32_t)(scan->moment - scan->first_moment),
        .up = parent == NO_CALL ? 0 : (uint32_t)id - parent,
        .function = (uint32_t)record->number,
        .place = record->place,
        .thread = thread->number,
        .task = thread->task,
        .span = deferred ? 1 : 0,
        .events = 1,
        .outcome = deferred ? OUTCOME_SUSPENDED : OUTCOME_UNFINISHED,
        .flags = (uint8_t)((record->flags & 0x1F) | (deferred ? CALL_RESUMABLE : CALL_STARTED)),
    };
    if (!deferred && stacks_push(scan->stacks, (uint32_t)id) < 0) {
        return -1;
    }
    return find_own(scan);
}

static int
resumed(Scan *scan, const Record *record)
{
    if (record->number >= scan->first_call + scan->count) {
        scan->walk.wrong = "a call is resumed that never began";
        return -1;
    }
    uint32_t call = (uint32_t)record->number;
    if (stacks_push(scan->stacks, call) < 0 || find_own(scan) < 0) {
        return -1;
    }
    /* A coroutine that was made in one task may run in another: it belongs to the task that runs it. */
    uint32_t task = scan->stacks->threads[scan->stacks->current].task;
    if (call >= scan->first_call) {
        PackedCall *packed = &scan->calls[call - scan->first_call];
        if (!(packed->flags & CALL_STARTED)) {
            packed->task = task;
        }
        packed->length = OPEN_LENGTH;
        packed->span = 0;
        packed->outcome = OUTCOME_UNFINISHED;
        packed->flags |= CALL_RESUMABLE | CALL_STARTED;
    } else {
        End *end = end_of(&scan->ends, call);
        if (end == NULL) {
            return -1;
        }
        if (!(end->flags & CALL_STARTED)) {
            end->task = task;
        }
        end->last = OPEN_LENGTH;
        end->until = 0;
        end->outcome = OUTCOME_UNFINISHED;
        end->flags |= CALL_RESUMABLE | CALL_STARTED;
    }
    ++*scan->own;
    return 0;
}

static int
left(Scan *scan, int outcome)
{
    uint32_t call;
    if (stacks_pop(scan->stacks, &call) < 0) {
        return -1;
    }
    if (call == NO_CALL) {
        scan->unmatched++;
        return 0;
    }
    uint8_t flags = outcome == OUTCOME_SUSPENDED ? CALL_RESUMABLE : 0;
    ++*scan->own; /* the event that ends a call is its own */
    if (call >= scan->first_call) {
        PackedCall *packed = &scan->calls[call - scan->first_call];
        packed->length = scan->moment - (scan->first_moment + packed->first);
        packed->span = (uint32_t)(scan->first_call + scan->count - call);
        packed->outcome = (uint8_t)outcome;
        packed->flags |= flags;
    } else {
        End *end = end_of(&scan->ends, call);
        if (end == NULL) {
            return -1;
        }
        end->last = scan->moment;
        end->until = (uint32_t)(scan->first_call + scan->count);
        end->outcome = (uint8_t)outcome;
        end->flags |= flags;
    }
    return find_own(scan);
}

static int
noted(Scan *scan, const Record *record)
{
    PyObject *values = walk_values(&scan->walk, record);
    PyObject *note = values ? Py_BuildValue("(KiKiN)", (unsigned long long)scan->moment,
                                            (int)record->kind, (unsigned long long)record->number,
                                            (int)record->flags, values)
                            : NULL;
    int failed = note == NULL || PyList_Append(scan->notes, note) < 0;
    Py_XDECREF(note);
    return failed ? -1 : 0;
}

static int
written(Scan *scan, const Record *record, uint64_t object)
{
    uint32_t stamp;
    return scan->parts.count <= MOST_PARTS && walk_stamp(&scan->walk, record, object, &stamp)
               ? numbers_add(&scan->parts, stamp) : 0;
}

/* Pack the stamps of the parts that are written; 0 alone if there are too many: then `objects` is used. */
static PyObject *
pack_parts(const Scan *scan)
{
    Numbers none = {.has_zero = 1};
    return numbers_pack(scan->parts.count > MOST_PARTS ? &none : &scan->parts);
}

static int
one_record(Scan *scan)
{
    Record record;
    Thread *thread;
    uint64_t object;
    if (walk_record(&scan->walk, &record) < 0) {
        return -1;
    }
    if (walk_object(&scan->walk, &record, &object)
        && (numbers_add(&scan->objects, object) < 0 || written(scan, &record, object) < 0)) {
        return -1;
    }
    if (binds(&record) && numbers_add(&scan->bound, record.number) < 0) {
        return -1;
    }
    switch (record.kind) {
    case KIND_NAME:
    case KIND_CHILD:
    case KIND_STOPPED:
        if (noted(scan, &record) < 0) {
            return -1;
        }
        break;
    default:
        if (walk_skip(&scan->walk, &record) < 0) {
            return -1;
        }
    }
    int failed = 0;
    switch (record.kind) {
    case KIND_THREAD:
    case KIND_TASK:
        if (record.number >= UINT32_MAX) {
            scan->walk.wrong = "a number is out of range";
            return -1;
        }
        if (record.kind == KIND_THREAD) {
            return stacks_switch(scan->stacks, (uint32_t)record.number) < 0 ? -1 : find_own(scan);
        }
        thread = &scan->stacks->threads[scan->stacks->current];
        thread->task = (uint32_t)record.number;
        return 0;
    case KIND_NAME:
    case KIND_CONTENTS:
    case KIND_UNSURE:
        return 0;
    case KIND_ENTER:
        failed = entered(scan, &record);
        break;
    case KIND_RESUME:
        failed = resumed(scan, &record);
        break;
    case KIND_RETURN:
        failed = left(scan, OUTCOME_RETURNED);
        break;
    case KIND_UNWIND:
        failed = left(scan, OUTCOME_RAISED);
        break;
    case KIND_SUSPEND:
        failed = left(scan, OUTCOME_SUSPENDED);
        break;
    case KIND_LOST:
        failed = left(scan, OUTCOME_LOST);
        break;
    default:
        if (scan->own != NULL) {
            ++*scan->own;
        }
    }
    scan->moment++;
    return failed;
}

PyDoc_STRVAR(scan_doc, "scan(data, final) -> tuple\n\n"
"Walk over the next segment: (moments, calls, roots, cut, unmatched, packed calls, packed ends,\n"
"start state, packed ids of objects with records, packed sites that set variables, packed stamps\n"
"of writes, packed sums of its calls, notes).\n"
"With final=False the state is restored: the segment will come again, longer.\n"
"ValueError: the bytes are malformed; the state is restored as well.");

static PyObject *
scanner_scan(Scanner *self, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    int final;
    if (!PyArg_ParseTuple(args, "y#p:scan", &data, &size, &final)) {
        return NULL;
    }
    Scan scan = {.stacks = &self->stacks, .first_call = self->next_call,
                 .first_moment = self->next_moment, .moment = self->next_moment};
    walk_start(&scan.walk, data, size);
    PyObject *result = NULL, *calls = NULL, *ends = NULL, *state = NULL;
    PyObject *objects = NULL, *bound = NULL, *parts = NULL, *sums = NULL;
    scan.notes = PyList_New(0);
    stacks_mark(&self->stacks);
    int failed = scan.notes == NULL || find_own(&scan) < 0;
    if (!failed && size >= UINT32_MAX) {
        scan.walk.wrong = "the segment is too long";
        failed = 1;
    }
    while (!failed && scan.walk.at < scan.walk.end) {
        failed = one_record(&scan) < 0;
    }
    if (failed) {
        walk_complain(&scan.walk);
    } else {
        calls = pack_calls(scan.calls, scan.count);
        ends = calls ? pack_ends(scan.ends.ends, scan.ends.count) : NULL;
        state = ends ? stacks_state(&self->stacks) : NULL;
        objects = state ? numbers_pack(&scan.objects) : NULL;
        bound = objects ? numbers_pack(&scan.bound) : NULL;
        parts = bound ? pack_parts(&scan) : NULL;
        sums = parts ? pack_sums(scan.calls, scan.count, (uint32_t)scan.first_call) : NULL;
    }
    if (sums != NULL) {
        result = Py_BuildValue("(KnKKKOOOOOOOO)", (unsigned long long)(scan.moment - scan.first_moment),
                               (Py_ssize_t)scan.count, (unsigned long long)scan.roots,
                               (unsigned long long)scan.walk.cut,
                               (unsigned long long)scan.unmatched, calls, ends, state,
                               objects, bound, parts, sums, scan.notes);
    }
    if (result != NULL && final) {
        self->next_call += scan.count;
        self->next_moment = scan.moment;
    } else {
        stacks_restore(&self->stacks);
    }
    Py_XDECREF(calls);
    Py_XDECREF(ends);
    Py_XDECREF(state);
    Py_XDECREF(objects);
    Py_XDECREF(bound);
    Py_XDECREF(parts);
    Py_XDECREF(sums);
    Py_XDECREF(scan.notes);
    numbers_free(&scan.objects);
    numbers_free(&scan.bound);
    numbers_free(&scan.parts);
    PyMem_Free(scan.calls);
    PyMem_Free(scan.ends.ends);
    PyMem_Free(scan.ends.slots);
    walk_end(&scan.walk);
    return result;
}

PyDoc_STRVAR(start_doc, "start(state, first_call, first_moment)\n\n"
"Go on at a segment in the middle of a trace. ValueError: no segment begins like that.");

static PyObject *
scanner_start(Scanner *self, PyObject *args)
{
    const char *state;
    Py_ssize_t size;
    unsigned long long first_call, first_moment;
    if (!PyArg_ParseTuple(args, "y#KK:start", &state, &size, &first_call, &first_moment)) {
        return NULL;
    }
    if (first_call >= NO_CALL || first_moment > INT64_MAX / 2) {
        PyErr_SetString(PyExc_ValueError, "a segment begins with a number out of range");
        return NULL;
    }
    stacks_free(&self->stacks);
    if (stacks_init(&self->stacks) < 0 ||
        stacks_load(&self->stacks, state, size, (uint32_t)first_call) < 0) {
        return NULL;
    }
    self->next_call = first_call;
    self->next_moment = first_moment;
    Py_RETURN_NONE;
}

static PyObject *
scanner_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (!PyArg_ParseTuple(args, ":Scanner") || (keywords && PyDict_GET_SIZE(keywords))) {
        return NULL;
    }
    Scanner *self = (Scanner *)type->tp_alloc(type, 0);
    if (self != NULL && stacks_init(&self->stacks) < 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void
scanner_dealloc(Scanner *self)
{
    PyTypeObject *type = Py_TYPE(self);
    stacks_free(&self->stacks);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *
scanner_next_call(Scanner *self, void *unused)
{
    return PyLong_FromUnsignedLongLong(self->next_call);
}

static PyObject *
scanner_next_moment(Scanner *self, void *unused)
{
    return PyLong_FromUnsignedLongLong(self->next_moment);
}

static PyMethodDef scanner_methods[] = {
    {"scan", (PyCFunction)scanner_scan, METH_VARARGS, scan_doc},
    {"start", (PyCFunction)scanner_start, METH_VARARGS, start_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef scanner_members[] = {
    {"next_call", (getter)scanner_next_call, NULL, "The id the next call gets.", NULL},
    {"next_moment", (getter)scanner_next_moment, NULL, "The next event's moment.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot scanner_slots[] = {
    {Py_tp_doc, "Walks over the segments of a trace in order and makes their index."},
    {Py_tp_new, scanner_new},
    {Py_tp_dealloc, scanner_dealloc},
    {Py_tp_methods, scanner_methods},
    {Py_tp_getset, scanner_members},
    {0, NULL},
};

static PyType_Spec scanner_spec = {
    .name = "sleuth._core.Scanner",
    .basicsize = sizeof(Scanner),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = scanner_slots,
};

/* --- Decoding the events of one segment ------------------------------------------------------ */

typedef struct {
    Walk walk;
    Stacks stacks;
    uint64_t next_call, moment, low, high;
    long long only; /* -2: of all calls */
    int kind; /* -1: of any kind */
    PyObject *kinds; /* borrowed */
    PyObject *events; /* owned */
} Decoding;

static int
emit(Decoding *decoding, const Record *record, uint32_t call)
{
    const Thread *thread = &decoding->stacks.threads[decoding->stacks.current];
    PyObject *kind = PyTuple_GetItem(decoding->kinds, record->kind);
    PyObject *values = kind ? walk_values(&decoding->walk, record) : NULL;
    PyObject *place = values == NULL ? NULL
                      : record->place ? PyLong_FromUnsignedLong(record->place - 1)
                                      : Py_NewRef(Py_None);
    if (place == NULL) {
        Py_XDECREF(values);
        return -1;
    }
    PyObject *owner = call == NO_CALL ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(call);
    PyObject *event = Py_BuildValue("(KONIIKNiN)", (unsigned long long)decoding->moment, kind, owner,
                                    thread->number, thread->task,
                                    (unsigned long long)record->number, place, (int)record->flags,
                                    values);
    int failed = event == NULL || PyList_Append(decoding->events, event) < 0;
    Py_XDECREF(event);
    return failed ? -1 : 0;
}

static int
decode_all(Decoding *decoding)
{
    Walk *walk = &decoding->walk;
    while (walk->at < walk->end && decoding->moment < decoding->high) {
        Record record;
        uint32_t call;
        if (walk_record(walk, &record) < 0 ||
            stacks_step(&decoding->stacks, &record, &decoding->next_call, &call) < 0) {
            return -1;
        }
        int has_moment = takes_moment(&record);
        int wanted = has_moment && decoding->moment >= decoding->low &&
                     (decoding->kind < 0 || decoding->kind == record.kind) &&
                     (decoding->only == -2 ||
                      decoding->only == (call == NO_CALL ? -1 : (long long)call));
        if ((wanted ? emit(decoding, &record, call) : walk_skip(walk, &record)) < 0) {
            return -1;
        }
        decoding->moment += (uint64_t)has_moment;
    }
    return 0;
}

PyDoc_STRVAR(decode_doc,
"decode(data, state, first_call, first_moment, low, high, only, kinds, kind=-1) -> list\n\n"
"The events of a segment with moments in [low, high) as tuples in the order of\n"
"sleuth.trace.events.Event, values as tuples of a tag and fields. only: those of that call;\n"
"-1: those of no call; -2: all. kinds: what stands for each kind byte. kind: only those.");

static PyObject *
decode(PyObject *module, PyObject *args)
{
    const char *data, *state;
    Py_ssize_t size, state_size;
    unsigned long long first_call, first_moment, low, high;
    Decoding decoding = {.kind = -1};
    if (!PyArg_ParseTuple(args, "y#y#KKKKLO!|i:decode", &data, &size, &state, &state_size,
                          &first_call, &first_moment, &low, &high, &decoding.only, &PyTuple_Type,
                          &decoding.kinds, &decoding.kind)) {
        return NULL;
    }
    decoding.next_call = first_call;
    decoding.moment = first_moment;
    decoding.low = low;
    decoding.high = high;
    walk_start(&decoding.walk, data, size);
    if (stacks_init(&decoding.stacks) < 0) {
        return NULL;
    }
    decoding.events = PyList_New(0);
    if (decoding.events == NULL || stacks_load(&decoding.stacks, state, state_size, NO_CALL) < 0) {
        Py_CLEAR(decoding.events);
    } else if (decode_all(&decoding) < 0) {
        walk_complain(&decoding.walk);
        Py_CLEAR(decoding.events);
    }
    stacks_free(&decoding.stacks);
    walk_end(&decoding.walk);
    return decoding.events;
}

/* --- The functions and sites in a segment ---------------------------------------------------- */

PyDoc_STRVAR(mentions_doc, "mentions(data) -> (functions, sites)\n\n"
"The function and site ids that occur in a segment, as sets.");

static int
mention(PyObject *set, uint64_t number, uint64_t *recent)
{
    /* Most records repeat a number of one of the last records. */
    if (recent[number & 1023] == number + 1) {
        return 0;
    }
    recent[number & 1023] = number + 1;
    PyObject *value = PyLong_FromUnsignedLongLong(number);
    int failed = value == NULL || PySet_Add(set, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

static PyObject *
mentions(PyObject *module, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:mentions", &data, &size)) {
        return NULL;
    }
    uint64_t recent[2][1024] = {{0}};
    PyObject *functions = PySet_New(NULL), *sites = PySet_New(NULL);
    int failed = functions == NULL || sites == NULL;
    Walk walk;
    walk_start(&walk, data, size);
    while (!failed && walk.at < walk.end) {
        Record record;
        failed = walk_record(&walk, &record) < 0 || walk_skip(&walk, &record) < 0;
        if (!failed && record.kind == KIND_ENTER) {
            failed = mention(functions, record.number, recent[0]) < 0;
        } else if (!failed && record.kind >= KIND_CATCH && record.kind <= KIND_DELETE_SLICE) {
            failed = mention(sites, record.number, recent[1]) < 0;
        }
    }
    if (failed) {
        walk_complain(&walk);
    }
    walk_end(&walk);
    if (failed) {
        Py_XDECREF(functions);
        Py_XDECREF(sites);
        return NULL;
    }
    return Py_BuildValue("(NN)", functions, sites);
}

static PyMethodDef scan_functions[] = {
    {"decode", decode, METH_VARARGS, decode_doc},
    {"mentions", mentions, METH_VARARGS, mentions_doc},
    {NULL, NULL, 0, NULL},
};

int
scan_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&scanner_spec);
    int failed = type == NULL || PyModule_AddObjectRef(module, "Scanner", type) < 0 ||
                 PyModule_AddFunctions(module, scan_functions) < 0 ||
                 PyModule_AddFunctions(module, columns_functions) < 0 ||
                 PyModule_AddFunctions(module, near_functions) < 0 ||
                 PyModule_AddFunctions(module, trail_functions) < 0 ||
                 PyModule_AddFunctions(module, packed_functions) < 0 ||
                 PyModule_AddFunctions(module, numbers_functions) < 0 ||
                 records_init(module) < 0 || graph_init(module) < 0;
    Py_XDECREF(type);
    return failed ? -1 : 0;
}
