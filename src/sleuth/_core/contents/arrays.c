/* Reads the memory of numpy's arrays.
 *
 * The fields of an array have been the same since numpy 1.7 and are part of its binary interface, so they are
 * read directly.  The buffer protocol would serve for the common item types, but it makes numpy store a
 * description with the array, it does not support dates, and it sets errors.  Of the descriptors of item
 * types, numpy 1 and 2 have different forms: they are told apart by their size.
 */
#include "arrays.h"

#include "numpy_memory.h"

#include <float.h>

#define MOST_DIMENSIONS 64

const ItemType item_types[T_COUNT] = {
    {"bool", 1}, {"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}, {"uint32", 4},
    {"int64", sizeof(long)}, {"uint64", sizeof(long)}, {"int64", 8}, {"uint64", 8}, {"float32", 4},
    {"float64", 8}, {"longdouble", sizeof(long double)}, {"complex64", 8}, {"complex128", 16},
    {"clongdouble", 2 * sizeof(long double)}, {"object", sizeof(void *)}, {"bytes", 0}, {"str", 0},
    {"void", 0}, {"datetime64", 8}, {"timedelta64", 8}, {"float16", 2},
};

/* --- finding numpy */

PyTypeObject *
arrays_type(void)
{
    static PyTypeObject *found;
    static Py_ssize_t looked_at;
    if (found) {
        return found;
    }
    PyObject *modules = loaded_modules();
    if (!modules || PyDict_GET_SIZE(modules) == looked_at) {
        return NULL;
    }
    looked_at = PyDict_GET_SIZE(modules);
    PyObject *module = loaded_module("numpy");
    PyObject *type = module
        ? PyDict_GetItemString(PyModule_GetDict(module), "ndarray") : NULL;
    /* A class that the program defines is not numpy's, whatever its name. */
    if (type && PyType_Check(type) && !(((PyTypeObject *)type)->tp_flags & Py_TPFLAGS_HEAPTYPE)
        && strcmp(((PyTypeObject *)type)->tp_name, "numpy.ndarray") == 0
        && ((PyTypeObject *)type)->tp_basicsize >= (Py_ssize_t)sizeof(ArrayObject)) {
        found = (PyTypeObject *)type;
    }
    return found;
}

/* --- fields */

/* Tell whether memory belongs to a mapped file: it can become shorter than the array, and other processes can
 * write to it. */
static int
is_mapped(PyObject *base)
{
    for (int depth = 0; base && depth < 32; depth++) {
        if (PyType_IsSubtype(Py_TYPE(base), arrays_type())) {
            base = ((ArrayObject *)base)->base;
        }
        else if (PyMemoryView_Check(base)) {
            base = PyMemoryView_GET_BASE(base);
        }
        else {
            return strcmp(Py_TYPE(base)->tp_name, "mmap.mmap") == 0;
        }
    }
    return base != NULL;
}

static void
read_item_type(Array *array)
{
    const Descr *descr = (const Descr *)array->descr;
    array->type = descr->type_num;
    array->is_swapped = descr->byteorder == (PY_LITTLE_ENDIAN ? '>' : '<');
    int first = is_first_form(array->descr), second = is_second_form(array->descr);
    if (first || second) {
        array->item_size = first ? ((Descr1 *)descr)->elsize : ((Descr2 *)descr)->elsize;
    }
    if ((!first && !second) || array->type < 0 || array->type >= T_COUNT) {
        array->type = T_COUNT;
        array->unreadable = "items of a type that is not numpy's own";
    }
    else if (item_types[array->type].size && item_types[array->type].size != array->item_size) {
        array->unreadable = "items of an unknown form";
    }
}

void
arrays_read(PyObject *object, Array *array)
{
    ArrayObject *fields = (ArrayObject *)object;
    *array = (Array){fields->data, fields->nd, fields->dimensions, fields->strides, 1, 0,
                     fields->descr, fields->base, T_COUNT, 0, NULL};
    if (!array->descr || array->nd < 0 || array->nd > MOST_DIMENSIONS) {
        array->nd = array->size = 0;
        array->unreadable = "an array that is being made";
        return;
    }
    for (int i = 0; i < array->nd; i++) {
        array->size *= array->dimensions[i];
    }
    read_item_type(array);
    if (!array->data) {
        array->unreadable = "an array that is being made";
    }
    else if (array->base && is_mapped(array->base)) {
        array->unreadable = "memory that is shared with a file or another process";
    }
}

int
arrays_field(const Array *array, Py_ssize_t number, Array *field, PyObject **name)
{
    if (array->type != T_VOID || array->unreadable) {
        return 0;
    }
    int first = is_first_form(array->descr);
    PyObject *names = first ? ((Descr1 *)array->descr)->names : ((Descr2 *)array->descr)->names;
    PyObject *fields = first ? ((Descr1 *)array->descr)->fields : ((Descr2 *)array->descr)->fields;
    if (!names || !PyTuple_CheckExact(names) || number >= PyTuple_GET_SIZE(names) || !fields
        || !PyDict_CheckExact(fields)) {
        return 0;
    }
    *name = PyTuple_GET_ITEM(names, number);
    PyObject *place = PyUnicode_CheckExact(*name) ? PyDict_GetItemWithError(fields, *name) : NULL;
    if (!place || !PyTuple_CheckExact(place) || PyTuple_GET_SIZE(place) < 2
        || !PyLong_CheckExact(PyTuple_GET_ITEM(place, 1))) {
        PyErr_Clear();
        return 0;
    }
    Py_ssize_t offset = PyLong_AsSsize_t(PyTuple_GET_ITEM(place, 1));
    if (offset < 0) {
        PyErr_Clear();
        return 0;
    }
    *field = *array;
    field->descr = PyTuple_GET_ITEM(place, 0);
    field->data += offset;
    read_item_type(field);
    return 1;
}

int
arrays_holds_objects(const Array *array)
{
    return array->type == T_OBJECTS && !array->unreadable;
}

PyObject *
arrays_object(const char *item)
{
    PyObject *object;
    memcpy(&object, item, sizeof(object));
    return object ? object : Py_None;
}

/* --- going through the items */

typedef struct { Py_ssize_t count, stride; int outer; } Run;

/* Return the longest run of items at the same distance, and how many dimensions are outside of it. */
static Run
innermost(const Array *array)
{
    Run run = {1, array->item_size, array->nd};
    while (run.outer > 0) {
        Py_ssize_t count = array->dimensions[run.outer - 1], stride = array->strides[run.outer - 1];
        if (run.count > 1 && stride != run.stride * run.count && count > 1) {
            break;
        }
        run.stride = count > 1 && run.count == 1 ? stride : run.stride;
        run.count *= count;
        run.outer--;
    }
    return run;
}

/* Go to the next run; 0: there is none. */
static int
next_run(const Array *array, int outer, Py_ssize_t *index, const char **data)
{
    for (int i = outer - 1; i >= 0; i--) {
        *data += array->strides[i];
        if (++index[i] < array->dimensions[i]) {
            return 1;
        }
        *data -= array->strides[i] * array->dimensions[i];
        index[i] = 0;
    }
    return 0;
}

void
arrays_visit(const Array *array, ArrayVisit visit, void *context)
{
    Py_ssize_t index[MOST_DIMENSIONS] = {0};
    const char *data = array->data;
    if (array->size <= 0 || array->unreadable) {
        return;
    }
    Run run = innermost(array);
    do {
        for (Py_ssize_t i = 0; i < run.count; i++) {
            if (visit(context, array, data + i * run.stride)) {
                return;
            }
        }
    } while (next_run(array, run.outer, index, &data));
}

/* --- hashes */

static inline uint64_t
mixed(uint64_t a, uint64_t b)
{
    uint64_t h = (b ^ a * 0x9E3779B97F4A7C15ULL) * 0xBF58476D1CE4E5B9ULL;
    return h ^ h >> 32;
}

/* Hash the bytes of an item, without the padding of a long double. */
static uint64_t
item_hash(const Array *array, const char *item)
{
    uint64_t hash = 0, word;
    Py_ssize_t size = array->item_size;
    int is_long = array->type == T_LONGDOUBLE || array->type == T_CLONGDOUBLE;
    for (Py_ssize_t at = 0; at < size; at += 8) {
        size_t count = size - at < 8 ? (size_t)(size - at) : 8;
        if (is_long && LDBL_MANT_DIG == 64 && at % sizeof(long double) == 8) {
            count = 2;
        }
        word = 0;
        memcpy(&word, item + at, count);
        hash = mixed(hash + (uint64_t)at, word);
    }
    return hash;
}

#define HASH_RUN(type) \
    for (Py_ssize_t i = 0; i < run.count; i++) { \
        type word; \
        memcpy(&word, data + i * run.stride, sizeof(word)); \
        hash += mixed(number++, word); \
    }

uint64_t
arrays_hash(const Array *array)
{
    uint64_t hash = mixed((uint64_t)array->type, (uint64_t)array->nd), number = 0;
    hash += mixed((uint64_t)array->item_size, (uint64_t)array->is_swapped);
    for (int i = 0; i < array->nd; i++) {
        hash = mixed(hash, (uint64_t)array->dimensions[i]);
    }
    if (array->unreadable || array->size <= 0 || array->type == T_OBJECTS) {
        return hash;
    }
    Py_ssize_t index[MOST_DIMENSIONS] = {0};
    const char *data = array->data;
    Run run = innermost(array);
    do {
        switch (array->item_size) {
        case 8: HASH_RUN(uint64_t) break;
        case 4: HASH_RUN(uint32_t) break;
        case 2: HASH_RUN(uint16_t) break;
        case 1: HASH_RUN(uint8_t) break;
        default:
            for (Py_ssize_t i = 0; i < run.count; i++) {
                hash += mixed(number++, item_hash(array, data + i * run.stride));
            }
        }
    } while (next_run(array, run.outer, index, &data));
    return hash;
}

uint64_t
arrays_item_hash(const Array *array, Py_ssize_t number, const char *item)
{
    uint64_t word = 0;
    if (array->item_size == 8 || array->item_size == 4 || array->item_size == 2 || array->item_size == 1) {
        memcpy(&word, item, (size_t)array->item_size);   /* (right on little-endian machines only) */
    }
    else {
        word = item_hash(array, item);
    }
    return mixed((uint64_t)number, word);
}

/* --- one item */

static int
index_of(PyObject *key, Py_ssize_t length, Py_ssize_t *index)
{
    if (!PyLong_CheckExact(key) || !LONG_IS_COMPACT(key)) {
        return 0;
    }
    *index = LONG_COMPACT_VALUE(key);
    *index += *index < 0 ? length : 0;
    return *index >= 0 && *index < length;
}

const char *
arrays_find(const Array *array, PyObject *key, Py_ssize_t *number)
{
    int is_tuple = PyTuple_CheckExact(key);
    const char *item = array->data;
    if (array->unreadable || array->nd < 1 || (is_tuple ? PyTuple_GET_SIZE(key) : 1) != array->nd) {
        return NULL;
    }
    *number = 0;
    for (int i = 0; i < array->nd; i++) {
        Py_ssize_t index;
        if (!index_of(is_tuple ? PyTuple_GET_ITEM(key, i) : key, array->dimensions[i], &index)) {
            return NULL;
        }
        *number = *number * array->dimensions[i] + index;
        item += index * array->strides[i];
    }
    return item;
}

const char *
arrays_item(const Array *array, Py_ssize_t number)
{
    const char *item = array->data;
    if (array->unreadable || number < 0 || number >= array->size) {
        return NULL;
    }
    for (int i = array->nd - 1; i >= 0; i--) {
        item += number % array->dimensions[i] * array->strides[i];
        number /= array->dimensions[i];
    }
    return item;
}

int
arrays_is_flat(const Array *array)
{
    for (int i = 0; i < array->nd; i++) {
        if (array->strides[i] == 0 && array->dimensions[i] > 1) {
            return 0;   /* several items share their memory */
        }
    }
    return array->type != T_VOID;
}

int
arrays_is_scalar(PyObject *value)
{
    PyTypeObject *type = Py_TYPE(value);
    return type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type
        || type == &PyUnicode_Type || type == &PyBytes_Type || type == &PyComplex_Type
        || (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) && strncmp(type->tp_name, "numpy.", 6) == 0
            && type != arrays_type());
}
