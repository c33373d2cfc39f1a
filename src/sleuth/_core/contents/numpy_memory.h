/* The structures of numpy's objects in memory. */
#ifndef SLEUTH_NUMPY_MEMORY_H
#define SLEUTH_NUMPY_MEMORY_H

#include "compat.h"

/* numpy's numbers of its item types */
enum {
    T_BOOLEAN, T_INT8, T_UINT8, T_INT16, T_UINT16, T_INTC, T_UINTC, T_LONG_, T_ULONG_, T_LONGLONG_,
    T_ULONGLONG_, T_FLOAT32, T_FLOAT64, T_LONGDOUBLE, T_COMPLEX64, T_COMPLEX128, T_CLONGDOUBLE,
    T_OBJECTS, T_BYTES, T_TEXT, T_VOID, T_DATETIME, T_TIMEDELTA, T_FLOAT16, T_COUNT
};

/* Their names, and their sizes in bytes; 0: it differs. */
typedef struct { const char *name; uint8_t size; } ItemType;
extern const ItemType item_types[T_COUNT];

/* As in numpy's ndarraytypes.h. */
typedef struct {
    PyObject_HEAD
    char *data;
    int nd;
    Py_ssize_t *dimensions, *strides;
    PyObject *base, *descr;
    int flags;
} ArrayObject;

typedef struct {
    PyObject_HEAD
    PyTypeObject *scalar_type;
    char kind, type, byteorder, flags;
    int type_num;
} Descr;
/* The descriptor of an item type in numpy 1. */
typedef struct {
    Descr head;
    int elsize, alignment;
    void *subarray;
    PyObject *fields, *names;
    void *functions;
    PyObject *metadata;
    void *c_metadata;
    Py_hash_t hash;
} Descr1;
/* The descriptor of an item type in numpy 2. */
typedef struct {
    Descr head;
    uint64_t flags;
    Py_ssize_t elsize, alignment;
    PyObject *metadata;
    Py_hash_t hash;
    void *reserved[2];
    void *subarray;
    PyObject *fields, *names;
    void *c_metadata;
} Descr2;
typedef struct { void *functions[4]; int unit, count; } DateMetadata;

static inline int
is_first_form(PyObject *descr)
{
    return Py_TYPE(descr)->tp_basicsize == (Py_ssize_t)sizeof(Descr1);
}

/* (Descriptors of newer item types have another size, and are not read.) */
static inline int
is_second_form(PyObject *descr)
{
    return Py_TYPE(descr)->tp_basicsize == (Py_ssize_t)sizeof(Descr2);
}

#endif
