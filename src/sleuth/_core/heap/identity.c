/* Numbers for objects.
 *
 * The recorder may keep no reference, and the address of a dead object is soon used again.  So the
 * destructors of the builtin types are wrapped, and an object that dies is forgotten.  An instance of a
 * Python class reaches the destructor of its builtin base (`object`, `list`, an exception, ...) when it
 * really dies; not if its finaliser revives it.  Objects of other types have *probable* numbers: an object
 * with the same address and type is taken for the same one.
 *
 * A destructor that can recurse deeply has to use the interpreter's trashcan itself: the original one does
 * so only while it is in its type's slot.
 */
#include "identity.h"

#include "arrays.h"
#include "encode.h"
#include "fields.h"
#include "layout.h"

static uint32_t next_number = 1;
static int is_listening;

/* --- destructors */

#define WITH_TRASHCAN(name) \
    static destructor name##_original; \
    static void \
    name##_dies(PyObject *self) \
    { \
        PyObject_GC_UnTrack(self); \
        Py_TRASHCAN_BEGIN(self, name##_dies) \
        known_remove(self); \
        name##_original(self); \
        Py_TRASHCAN_END \
    }

#define SIMPLE(name) \
    static destructor name##_original; \
    static void \
    name##_dies(PyObject *self) \
    { \
        known_remove(self); \
        name##_original(self); \
    }

WITH_TRASHCAN(list)
WITH_TRASHCAN(tuple)
WITH_TRASHCAN(dict)
WITH_TRASHCAN(set)
SIMPLE(object)
SIMPLE(bytearray)
SIMPLE(deque)
SIMPLE(array)
SIMPLE(cell)

static destructor class_original;
static void forget_deques(PyTypeObject *type);

static void
class_dies(PyObject *self)
{
    encode_forget_type((PyTypeObject *)self);
    fields_forget_type((PyTypeObject *)self);
    forget_deques((PyTypeObject *)self);
    known_remove(self);
    class_original(self);
}

/* Exceptions have some twenty destructors: the original one is looked up by type. */
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
    known_remove(self);
    PyObject_GC_Track(self);   /* some of the originals expect it to be tracked */
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
    for (Py_ssize_t i = 0; subclasses && PyList_CheckExact(subclasses) && i < PyList_GET_SIZE(subclasses); i++) {
        wrap_exceptions((PyTypeObject *)PyList_GET_ITEM(subclasses, i));
    }
    Py_XDECREF(subclasses);
    PyErr_Clear();
}

static PyTypeObject *deque_type;
static destructor python_dealloc;   /* the destructor of all classes written in Python */

static struct { PyTypeObject *type; destructor ours, *original; } wrapped[] = {
    {&PyList_Type, list_dies, &list_original},
    {&PyTuple_Type, tuple_dies, &tuple_original},
    {&PyDict_Type, dict_dies, &dict_original},
    {&PySet_Type, set_dies, &set_original},
    {&PyFrozenSet_Type, set_dies, &set_original},
    {&PyBaseObject_Type, object_dies, &object_original},
    {&PyByteArray_Type, bytearray_dies, &bytearray_original},
    {&PyCell_Type, cell_dies, &cell_original},
    {&PyType_Type, class_dies, &class_original},
    {NULL, array_dies, &array_original},   /* numpy's ndarray, once numpy is loaded */
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

/* A type dies; that of deques does with its module, at the interpreter's end. */
static void
forget_deques(PyTypeObject *type)
{
    if (type == deque_type) {
        deque_type = wrapped[WRAPPED - 1].type = NULL;
    }
    layout_forget_type(type);
}

void
identity_listen_to_deques(PyTypeObject *type)
{
    if (is_listening && !deque_type) {
        deque_type = wrapped[WRAPPED - 1].type = type;
        wrap(WRAPPED - 1);
    }
}

/* Wrap the destructor of numpy's arrays; 0: the type is another one. */
static int
listen_to_arrays(PyTypeObject *type)
{
    if (!is_listening || type != arrays_type()) {
        return 0;
    }
    wrapped[WRAPPED - 2].type = type;
    wrap(WRAPPED - 2);
    return 1;
}

int
identity_start(void)
{
    if (known_start() < 0) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *importlib = PyImport_ImportModule("_frozen_importlib");
    PyObject *class = importlib ? PyObject_GetAttrString(importlib, "ModuleSpec") : NULL;
    if (!class || !PyType_Check(class)) {
        Py_XDECREF(class);
        Py_XDECREF(importlib);
        return -1;
    }
    python_dealloc = ((PyTypeObject *)class)->tp_dealloc;
    Py_DECREF(class);
    Py_DECREF(importlib);
    for (size_t i = 0; i < WRAPPED; i++) {
        wrap(i);
    }
    wrap_exceptions((PyTypeObject *)PyExc_BaseException);
    fields_listen();
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
    fields_stop();
    /* Known objects may die unnoticed from now on. */
    known_clear();
}

void
identity_begin_anew(void)
{
    known_clear();
    next_number = 1;
}

/* --- numbers */

PyTypeObject *
identity_base(PyTypeObject *type)
{
    while (type->tp_base && type->tp_dealloc == python_dealloc) {
        type = type->tp_base;
    }
    return type;
}

/* Tell whether a type is a dict of `collections`: their destructors call that of dict. */
static int
is_kind_of_dict(PyTypeObject *type)
{
    return strcmp(type->tp_name, "collections.OrderedDict") == 0
        || strcmp(type->tp_name, "collections.defaultdict") == 0;
}

/* Tell whether the death of an object of this type is noticed. */
static int
is_told(PyTypeObject *type)
{
    for (PyTypeObject *each = type; each && !deque_type; each = each->tp_base) {
        if (strcmp(each->tp_name, "collections.deque") == 0) {
            identity_listen_to_deques(each);
        }
    }
    if (fields_layout(type)) {
        return 1;
    }
    /* An instance of a Python class dies in the destructor of its builtin base. */
    while (type && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && type != deque_type && !is_kind_of_dict(type)) {
        if (type->tp_dealloc != python_dealloc) {
            return 0;   /* made by C code, with a destructor of its own */
        }
        type = type->tp_base;
    }
    if (!type) {
        return 0;
    }
    if (is_kind_of_dict(type)) {
        type = &PyDict_Type;
    }
    for (size_t i = 0; i < WRAPPED; i++) {
        if (wrapped[i].type == type) {
            return type->tp_dealloc == wrapped[i].ours;
        }
    }
    return type->tp_dealloc == exception_dies || listen_to_arrays(type);
}

Known *
identity_known(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    Known *known = known_find(object);
    if (known && !(known->is_probable && known->size != known_tag(type))) {
        return known;
    }
    int is_probable = !is_told(type);
    if (known) {
        known_remove(object);   /* another object: the old one at this address died unnoticed */
    }
    known = known_add(object);
    if (known) {
        known->number = next_number++;
        known->is_probable = (uint16_t)is_probable;
        known->size = is_probable ? known_tag(type) : 0;
    }
    return known;
}

uint64_t
identity_of(PyObject *object)
{
    Known *known = identity_known(object);
    return known ? identity_id(known) : 0;
}
