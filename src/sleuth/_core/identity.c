/* Which object is which.
 *
 * Addresses are used again at once, and no reference may be held: so the destructors of the types
 * that matter are wrapped, and an object that dies is forgotten.  Instances of Python classes come to
 * the destructor of the builtin type that they are made of (`object`, `list`, an exception, ...) when
 * they really die: one that its finaliser has brought back does not.  Objects of other types have
 * probable numbers: the address and the type are the same as before, and nobody said that it died.
 *
 * A destructor that can be entered deeply has to use the interpreter's trashcan itself: the original
 * one does so only while it stands in its type's slot.
 */
#include "identity.h"

#define GONE ((PyObject *)1)
#define FIRST_ROOM 4096

static Known *table;
static size_t room, used, live;   /* used: taken or gone */
static uint32_t next_number = 1;
static int is_listening;

static inline size_t
slot_of(PyObject *object)
{
    return (size_t)(((uintptr_t)object >> 4) * 0x9E3779B97F4A7C15ULL >> 24) & (room - 1);
}

static Known *
find(PyObject *object)
{
    for (size_t i = slot_of(object);; i = (i + 1) & (room - 1)) {
        if (table[i].object == object) {
            return &table[i];
        }
        if (!table[i].object) {
            return NULL;
        }
    }
}

static inline void
forget(PyObject *object)
{
    Known *known = live ? find(object) : NULL;
    if (known) {
        live--;
        /* The end of a run of entries can be freed for good. */
        size_t at = (size_t)(known - table);
        known->object = GONE;
        while (!table[(at + 1) & (room - 1)].object && table[at].object == GONE) {
            table[at].object = NULL;
            used--;
            at = (at - 1) & (room - 1);
        }
    }
}

static int
resize(void)
{
    size_t wanted = FIRST_ROOM;
    while (wanted < live * 3) {
        wanted *= 2;
    }
    Known *old = table;
    size_t old_room = room;
    Known *fresh = PyMem_RawCalloc(wanted, sizeof(Known));
    if (!fresh) {
        return -1;
    }
    table = fresh;
    room = wanted;
    used = live;
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].object && old[i].object != GONE) {
            size_t at = slot_of(old[i].object);
            while (table[at].object) {
                at = (at + 1) & (room - 1);
            }
            table[at] = old[i];
        }
    }
    PyMem_RawFree(old);
    return 0;
}

/* --- destructors */

#define WITH_TRASHCAN(name) \
    static destructor name##_original; \
    static void \
    name##_dies(PyObject *self) \
    { \
        PyObject_GC_UnTrack(self); \
        Py_TRASHCAN_BEGIN(self, name##_dies) \
        forget(self); \
        name##_original(self); \
        Py_TRASHCAN_END \
    }

#define SIMPLE(name) \
    static destructor name##_original; \
    static void \
    name##_dies(PyObject *self) \
    { \
        forget(self); \
        name##_original(self); \
    }

WITH_TRASHCAN(list)
WITH_TRASHCAN(tuple)
WITH_TRASHCAN(dict)
WITH_TRASHCAN(set)
SIMPLE(object)
SIMPLE(bytearray)
SIMPLE(deque)
SIMPLE(cell)

/* Exceptions have some twenty destructors: each type's own is looked up. */
typedef struct { PyTypeObject *type; destructor original; } ExceptionType;
static ExceptionType exceptions[128];
static int exception_count;

static destructor
exception_original(PyTypeObject *type)
{
    for (; type; type = type->tp_base) {
        for (int i = 0; i < exception_count; i++) {
            if (exceptions[i].type == type) {
                return exceptions[i].original;
            }
        }
    }
    return NULL;
}

static void
exception_dies(PyObject *self)
{
    destructor original = exception_original(Py_TYPE(self));
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, exception_dies)
    forget(self);
    PyObject_GC_Track(self);   /* some of the originals take it for granted */
    original(self);
    Py_TRASHCAN_END
}

static void
wrap_exceptions(PyTypeObject *type)
{
    if (exception_count == 128 || (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
        || type->tp_dealloc == exception_dies) {
        return;
    }
    exceptions[exception_count++] = (ExceptionType){type, type->tp_dealloc};
    type->tp_dealloc = exception_dies;
    PyObject *subclasses = PyObject_CallMethod((PyObject *)type, "__subclasses__", NULL);
    for (Py_ssize_t i = 0; subclasses && i < PyList_GET_SIZE(subclasses); i++) {
        wrap_exceptions((PyTypeObject *)PyList_GET_ITEM(subclasses, i));
    }
    Py_XDECREF(subclasses);
    PyErr_Clear();
}

static PyTypeObject *deque_type;
static destructor python_dealloc;   /* the one of all classes that are written in Python */

static struct { PyTypeObject *type; destructor ours, *original; } wrapped[] = {
    {&PyList_Type, list_dies, &list_original},
    {&PyTuple_Type, tuple_dies, &tuple_original},
    {&PyDict_Type, dict_dies, &dict_original},
    {&PySet_Type, set_dies, &set_original},
    {&PyFrozenSet_Type, set_dies, &set_original},
    {&PyBaseObject_Type, object_dies, &object_original},
    {&PyByteArray_Type, bytearray_dies, &bytearray_original},
    {&PyCell_Type, cell_dies, &cell_original},
    {NULL, deque_dies, &deque_original},
};
#define WRAPPED (sizeof(wrapped) / sizeof(wrapped[0]))

static void
wrap(size_t index)
{
    PyTypeObject *type = wrapped[index].type;
    if (type && type->tp_dealloc != wrapped[index].ours) {
        *wrapped[index].original = type->tp_dealloc;
        type->tp_dealloc = wrapped[index].ours;
    }
}

void
identity_listen_to_deques(PyTypeObject *type)
{
    if (is_listening && !deque_type) {
        deque_type = wrapped[WRAPPED - 1].type = type;
        wrap(WRAPPED - 1);
    }
}

int
identity_start(void)
{
    if (resize() < 0) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *importlib = PyImport_ImportModule("_frozen_importlib");
    PyObject *class = importlib ? PyObject_GetAttrString(importlib, "ModuleSpec") : NULL;
    if (!class) {
        return -1;
    }
    python_dealloc = ((PyTypeObject *)class)->tp_dealloc;
    Py_DECREF(class);
    Py_DECREF(importlib);
    for (size_t i = 0; i < WRAPPED; i++) {
        wrap(i);
    }
    wrap_exceptions((PyTypeObject *)PyExc_BaseException);
    is_listening = 1;
    return 0;
}

void
identity_stop(void)
{
    if (!is_listening) {
        return;
    }
    is_listening = 0;
    for (size_t i = 0; i < WRAPPED; i++) {
        if (wrapped[i].type && wrapped[i].type->tp_dealloc == wrapped[i].ours) {
            wrapped[i].type->tp_dealloc = *wrapped[i].original;
        }
    }
    for (int i = 0; i < exception_count; i++) {
        exceptions[i].type->tp_dealloc = exceptions[i].original;
    }
    /* What is known may die unnoticed from now on. */
    memset(table, 0, room * sizeof(Known));
    used = live = 0;
}

/* --- numbers */

/* Whether we are told when an object of this type dies. */
static int
is_told(PyTypeObject *type)
{
    for (PyTypeObject *each = type; each && !deque_type; each = each->tp_base) {
        if (strcmp(each->tp_name, "collections.deque") == 0) {
            identity_listen_to_deques(each);
        }
    }
    /* An instance of a Python class dies in the destructor of what it is made of. */
    while (type && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && type != deque_type) {
        if (type->tp_dealloc != python_dealloc) {
            return 0;   /* made by C code, with a destructor of its own */
        }
        type = type->tp_base;
    }
    if (!type) {
        return 0;
    }
    if (strcmp(type->tp_name, "collections.OrderedDict") == 0
        || strcmp(type->tp_name, "collections.defaultdict") == 0) {
        type = &PyDict_Type;   /* theirs call that of dict */
    }
    for (size_t i = 0; i < WRAPPED; i++) {
        if (wrapped[i].type == type) {
            return type->tp_dealloc == wrapped[i].ours;
        }
    }
    return type->tp_dealloc == exception_dies;
}

Known *
identity_find(PyObject *object)
{
    return live ? find(object) : NULL;
}

Known *
identity_known(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Known *known = find(object);
    if (known) {
        if (known->is_probable && known->type != type) {
            *known = (Known){.object = object, .type = type, .number = next_number++,
                             .is_probable = 1};   /* surely another one */
        }
        return known;
    }
    if (used * 5 >= room * 3 && resize() < 0) {
        return NULL;
    }
    size_t at = slot_of(object);
    while (table[at].object && table[at].object != GONE) {
        at = (at + 1) & (room - 1);
    }
    used += table[at].object == NULL;
    live++;
    table[at] = (Known){.object = object, .type = type, .number = next_number++,
                        .is_probable = (uint8_t)!is_told(type)};
    return &table[at];
}

uint64_t
identity_of(PyObject *object)
{
    Known *known = identity_known(object);
    return known ? identity_id(known) : 0;
}
