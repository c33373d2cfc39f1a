/* The records of one segment, found by the object or the variable that they are about. */
#include "records.h"

#include "stacks.h"

#include <string.h>

/* --- Chains of records with the same key, from the last one back -------------------------------- */

typedef struct {
    uint64_t key, moment;
    uint32_t at; /* offset in the segment */
    uint32_t call, before; /* before: index + 1 of the previous entry with this key; 0: none */
} Entry;

typedef struct {
    Entry *entries; /* owned */
    size_t count, room;
    uint32_t *slots; /* owned; a hash table of key -> index of its last entry + 1 */
    size_t slots_room;
    size_t keys;
} Chains;

static size_t
slot_of(const Chains *chains, uint64_t key)
{
    size_t mask = chains->slots_room - 1;
    size_t slot = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (chains->slots[slot] != 0 && chains->entries[chains->slots[slot] - 1].key != key) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen(Chains *chains)
{
    size_t old_room = chains->slots_room, room = old_room * 2;
    uint32_t *old = chains->slots, *slots = PyMem_Calloc(room, sizeof(uint32_t));
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    chains->slots = slots;
    chains->slots_room = room;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i] != 0) {
            slots[slot_of(chains, chains->entries[old[i] - 1].key)] = old[i];
        }
    }
    PyMem_Free(old);
    return 0;
}

static int
add(Chains *chains, uint64_t key, uint64_t moment, uint32_t at, uint32_t call)
{
    if ((chains->keys * 2 >= chains->slots_room && widen(chains) < 0) ||
        walk_grow((void **)&chains->entries, &chains->room, chains->count, sizeof(Entry)) < 0) {
        return -1;
    }
    size_t slot = slot_of(chains, key);
    chains->keys += chains->slots[slot] == 0;
    chains->entries[chains->count++] =
        (Entry){.key = key, .moment = moment, .at = at, .call = call, .before = chains->slots[slot]};
    chains->slots[slot] = (uint32_t)chains->count;
    return 0;
}

/* Allocate room at once: growing step by step would copy the entries many times. */
static int
reserve(Chains *chains, size_t entries, size_t slots)
{
    chains->entries = PyMem_Malloc((entries + 1) * sizeof(Entry));
    chains->slots = PyMem_Calloc(slots, sizeof(uint32_t));
    if (chains->entries == NULL || chains->slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    chains->room = entries + 1;
    chains->slots_room = slots;
    return 0;
}

/* Return the last entry with a key, borrowed; NULL: there is none. */
static const Entry *
last_of(const Chains *chains, uint64_t key)
{
    uint32_t found = chains->slots[slot_of(chains, key)];
    return found ? &chains->entries[found - 1] : NULL;
}

static const Entry *
before(const Chains *chains, const Entry *entry)
{
    return entry->before ? &chains->entries[entry->before - 1] : NULL;
}

static void
chains_free(Chains *chains)
{
    PyMem_Free(chains->entries);
    PyMem_Free(chains->slots);
}

/* --- The type --------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    PyObject *data; /* owned bytes */
    Walk walk;
    Chains objects, sites;
} Records;

static int
gather(Records *self, Stacks *stacks, uint64_t next_call, uint64_t moment)
{
    Walk *walk = &self->walk;
    while (walk->at < walk->end) {
        Record record;
        uint64_t object;
        uint32_t call, at = (uint32_t)(walk->at - walk->base);
        if (walk_record(walk, &record) < 0 ||
            stacks_step(stacks, &record, &next_call, &call) < 0) {
            return -1;
        }
        if (walk_object(walk, &record, &object)) {
            if (add(&self->objects, object, moment, at, call) < 0) {
                return -1;
            }
        } else if (binds(&record) && add(&self->sites, record.number, moment, at, call) < 0) {
            return -1;
        }
        if (walk_skip(walk, &record) < 0) {
            return -1;
        }
        moment += (uint64_t)takes_moment(&record);
    }
    return 0;
}

static PyObject *
records_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *data;
    const char *state;
    Py_ssize_t state_size;
    unsigned long long first_call, first_moment;
    if (!PyArg_ParseTuple(args, "Sy#KK:Records", &data, &state, &state_size, &first_call,
                          &first_moment) || (keywords && PyDict_GET_SIZE(keywords))) {
        return NULL;
    }
    if (PyBytes_GET_SIZE(data) >= UINT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "the segment is too long");
        return NULL;
    }
    Records *self = (Records *)type->tp_alloc(type, 0);
    Stacks stacks;
    if (self == NULL || stacks_init(&stacks) < 0) {
        Py_XDECREF(self);
        return NULL;
    }
    self->data = Py_NewRef(data);
    walk_start(&self->walk, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data));
    size_t guess = (size_t)PyBytes_GET_SIZE(data) / 16;
    int failed = reserve(&self->objects, guess, guess > 4096 ? 16384 : 64) < 0 ||
                 reserve(&self->sites, guess, 64) < 0 ||
                 stacks_load(&stacks, state, state_size, NO_CALL) < 0;
    if (!failed && gather(self, &stacks, first_call, first_moment) < 0) {
        failed = 1;
        walk_complain(&self->walk);
    }
    stacks_free(&stacks);
    self->walk.is_again = 1;
    if (failed) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void
records_dealloc(Records *self)
{
    PyTypeObject *type = Py_TYPE(self);
    walk_end(&self->walk);
    chains_free(&self->objects);
    chains_free(&self->sites);
    Py_XDECREF(self->data);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *
row(Records *self, const Entry *entry)
{
    Walk *walk = &self->walk;
    Record record;
    walk->at = walk->base + entry->at;
    if (walk_record(walk, &record) < 0) {
        walk_complain(walk);
        return NULL;
    }
    int kind = record.kind;
    uint64_t number = is_store(&record) || binds(&record) ? record.number : record.start;
    record.kind = KIND_CONTENTS; /* so that walk_values gives no numbers: they have fields of their own */
    PyObject *values = walk_values(walk, &record);
    if (values == NULL) {
        return NULL;
    }
    PyObject *place = record.place ? PyLong_FromUnsignedLong(record.place - 1) : Py_NewRef(Py_None);
    PyObject *call = entry->call == NO_CALL ? Py_NewRef(Py_None)
                                            : PyLong_FromUnsignedLong(entry->call);
    return Py_BuildValue("(KiNKKiNKiiKIN)", (unsigned long long)entry->moment, kind, call,
                         (unsigned long long)number, (unsigned long long)record.removed,
                         (int)record.flags, place, (unsigned long long)record.since,
                         (int)record.part, (int)record.part_flags,
                         (unsigned long long)record.length, (unsigned)record.digest, values);
}

PyDoc_STRVAR(about_doc, "about(object, low, high) -> list\n\n"
"The records about an object with moments from low to high, both included, in order: (moment,\n"
"kind byte, call, site or start, removed, flags or cause, place, since, part, flags of the part,\n"
"full length, hash of all items, values). A record that takes no moment has that of the next event.");

static PyObject *
records_about(Records *self, PyObject *args)
{
    unsigned long long object, low, high;
    if (!PyArg_ParseTuple(args, "KKK:about", &object, &low, &high)) {
        return NULL;
    }
    PyObject *found = PyList_New(0);
    const Entry *entry = last_of(&self->objects, object);
    for (; found != NULL && entry != NULL && entry->moment >= low;
         entry = before(&self->objects, entry)) {
        if (entry->moment > high) {
            continue;
        }
        PyObject *each = row(self, entry);
        if (each == NULL || PyList_Append(found, each) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(each);
    }
    if (found != NULL && PyList_Reverse(found) < 0) {
        Py_CLEAR(found);
    }
    return found;
}

/* Tell whether a record belongs to the state before the event at this moment. */
static int
is_before(const Entry *entry, const Record *record, unsigned long long at)
{
    int is_untimed = record->kind == KIND_CONTENTS || record->kind == KIND_UNSURE;
    return entry->moment < at + (unsigned long long)is_untimed;
}

PyDoc_STRVAR(up_to_doc, "up_to(object, low, at) -> (bool, list)\n\n"
"The records about an object that count for the state before the moment `at` but not for that\n"
"before `low`, in order as in `about`; only those from the last description of the whole object\n"
"on, then the first is true.");

static PyObject *
records_up_to(Records *self, PyObject *args)
{
    unsigned long long object, low, at;
    int is_whole = 0;
    if (!PyArg_ParseTuple(args, "KKK:up_to", &object, &low, &at)) {
        return NULL;
    }
    PyObject *found = PyList_New(0);
    const Entry *entry = last_of(&self->objects, object);
    for (; found != NULL && entry != NULL && entry->moment >= low && !is_whole;
         entry = before(&self->objects, entry)) {
        Record record;
        if (entry->moment > at) {
            continue;
        }
        self->walk.at = self->walk.base + entry->at;
        if (walk_record(&self->walk, &record) < 0) {
            walk_complain(&self->walk);
            Py_CLEAR(found);
            break;
        }
        if (!is_before(entry, &record, at) || (low && is_before(entry, &record, low))) {
            continue;
        }
        int tells = record.kind == KIND_CONTENTS || record.kind == KIND_CHANGED;
        is_whole = tells && (record.part_flags & PART_IS_WHOLE);
        PyObject *each = row(self, entry);
        if (each == NULL || PyList_Append(found, each) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(each);
    }
    if (found != NULL && PyList_Reverse(found) < 0) {
        Py_CLEAR(found);
    }
    return found == NULL ? NULL : Py_BuildValue("(NN)", PyBool_FromLong(is_whole), found);
}

PyDoc_STRVAR(last_doc, "last(site, call, low, high) -> tuple | None\n\n"
"The last record that binds or unbinds a variable at a site, with a moment from low to below\n"
"high, in that call (-2: in any), as in `about`.");

static PyObject *
records_last(Records *self, PyObject *args)
{
    unsigned long long site, low, high;
    long long call;
    if (!PyArg_ParseTuple(args, "KLKK:last", &site, &call, &low, &high)) {
        return NULL;
    }
    const Entry *entry = last_of(&self->sites, site);
    for (; entry != NULL && entry->moment >= low; entry = before(&self->sites, entry)) {
        if (entry->moment < high && (call == -2 || (long long)entry->call == call)) {
            return row(self, entry);
        }
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(touched_doc, "touched(low, high) -> set\n\n"
"The objects with records with moments from low to below high.");

static PyObject *
records_touched(Records *self, PyObject *args)
{
    unsigned long long low, high;
    if (!PyArg_ParseTuple(args, "KK:touched", &low, &high)) {
        return NULL;
    }
    size_t from = 0, to = self->objects.count;
    while (from < to) { /* find the first entry at or after low */
        size_t middle = (from + to) / 2;
        if (self->objects.entries[middle].moment < low) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    PyObject *found = PySet_New(NULL);
    for (; found != NULL && from < self->objects.count; from++) {
        if (self->objects.entries[from].moment >= high) {
            break;
        }
        PyObject *object = PyLong_FromUnsignedLongLong(self->objects.entries[from].key);
        if (object == NULL || PySet_Add(found, object) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(object);
    }
    return found;
}

static PyObject *
records_size(Records *self, PyObject *unused)
{
    size_t size = (self->objects.room + self->sites.room) * sizeof(Entry) +
                  (self->objects.slots_room + self->sites.slots_room) * sizeof(uint32_t) +
                  (self->walk.texts.room + self->walk.types.room) * sizeof(Place) +
                  (size_t)PyBytes_GET_SIZE(self->data);
    return PyLong_FromSize_t(size + sizeof(Records));
}

static PyMethodDef records_methods[] = {
    {"about", (PyCFunction)records_about, METH_VARARGS, about_doc},
    {"up_to", (PyCFunction)records_up_to, METH_VARARGS, up_to_doc},
    {"last", (PyCFunction)records_last, METH_VARARGS, last_doc},
    {"touched", (PyCFunction)records_touched, METH_VARARGS, touched_doc},
    {"__sizeof__", (PyCFunction)records_size, METH_NOARGS, "With the segment."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot records_slots[] = {
    {Py_tp_doc, "Records(data, state, first_call, first_moment): the records of one segment, found\n"
                "by the object or the variable that they are about."},
    {Py_tp_new, records_new},
    {Py_tp_dealloc, records_dealloc},
    {Py_tp_methods, records_methods},
    {0, NULL},
};

static PyType_Spec records_spec = {
    .name = "sleuth._core.Records",
    .basicsize = sizeof(Records),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = records_slots,
};

int
records_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&records_spec);
    int failed = type == NULL || PyModule_AddObjectRef(module, "Records", type) < 0;
    Py_XDECREF(type);
    return failed ? -1 : 0;
}
