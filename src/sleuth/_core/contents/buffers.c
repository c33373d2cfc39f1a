/* Reads the memory of array.array and memoryview in place: while a buffer is taken, the program can't change
 * the size of its owner. */
#include "buffers.h"

#include "fields_read.h"
#include "identity.h"
#include "numpy_memory.h"

/* As in arraymodule.c; the same from 3.11 to 3.13. */
typedef struct { char code; int item_size; } ItemDescription;
typedef struct {
    PyObject_VAR_HEAD
    char *items;
    Py_ssize_t allocated;
    const ItemDescription *description;
    PyObject *weak_references;
    Py_ssize_t exports;
} ArrayMemory;
_Static_assert(sizeof(ArrayMemory) == SIZE_OF_ARRAY, "not the array of this interpreter");

static const Py_ssize_t strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
#define LONGEST_ITEM 16

static int
is_array(PyTypeObject *base)
{
    return base->tp_basicsize == SIZE_OF_ARRAY && strcmp(base->tp_name, "array.array") == 0;
}

int
buffers_has(PyTypeObject *type)
{
    PyTypeObject *base = identity_base(type);
    return base == &PyMemoryView_Type || is_array(base);
}

/* Return the item type for a format letter of the struct module; T_COUNT: another letter. */
static int
item_type(char code)
{
    switch (code) {
    case '?': return T_BOOLEAN;
    case 'b': return T_INT8;
    case 'B': return T_UINT8;
    case 'h': return T_INT16;
    case 'H': return T_UINT16;
    case 'i': return T_INTC;
    case 'I': return T_UINTC;
    case 'l': case 'n': return T_LONG_;
    case 'L': case 'N': return T_ULONG_;
    case 'q': return T_LONGLONG_;
    case 'Q': return T_ULONGLONG_;
    case 'e': return T_FLOAT16;
    case 'f': return T_FLOAT32;
    case 'd': return T_FLOAT64;
    case 'u': case 'w': return T_TEXT;   /* a character of four bytes */
    case 'c': return T_BYTES;
    default: return T_COUNT;
    }
}

static void
set_item_type(Array *array, char code)
{
    array->type = item_type(code);
    if (array->type == T_COUNT || array->item_size <= 0 || array->item_size > LONGEST_ITEM
        || (item_types[array->type].size && item_types[array->type].size != array->item_size)
        || (array->type == T_TEXT && array->item_size != 4)) {
        array->type = T_COUNT;
        array->unreadable = "items of an unknown form";
    }
}

static void
read_array(PyObject *object, Array *array)
{
    const ArrayMemory *memory = (const ArrayMemory *)object;
    array->data = memory->items ? memory->items : "";
    array->nd = 1;
    array->size = Py_SIZE(object);
    array->dimensions = &((PyVarObject *)object)->ob_size;
    array->item_size = memory->description->item_size;
    set_item_type(array, memory->description->code);
    array->strides = &strides[array->unreadable ? 0 : array->item_size];
}

/* Tell whether memory is valid as long as its owner lives.  (A mapped file can become shorter, and memory
 * from C code may be freed.) */
static int
is_safe(PyObject *owner)
{
    return owner && (PyBytes_Check(owner) || PyByteArray_Check(owner)
                     || is_array(identity_base(Py_TYPE(owner))));
}

static void
read_view(PyObject *object, Array *array)
{
    const PyMemoryViewObject *memory = (const PyMemoryViewObject *)object;
    const Py_buffer *view = &memory->view;
    const char *format = view->format ? view->format : "B";
    if ((memory->flags & _Py_MEMORYVIEW_RELEASED) || !memory->mbuf
        || (memory->mbuf->flags & _Py_MANAGED_BUFFER_RELEASED)) {
        array->unreadable = "a view that was released";
        return;
    }
    array->data = view->buf;
    array->item_size = view->itemsize;
    array->size = view->itemsize ? view->len / view->itemsize : 0;
    array->base = memory->mbuf->master.obj;
    format += *format == '@';
    set_item_type(array, format[0] && !format[1] ? format[0] : 0);
    if (view->ndim < 1 || !view->shape || !view->strides || view->suboffsets || !view->buf) {
        array->unreadable = "a view of another form";
        return;
    }
    array->nd = view->ndim;
    array->dimensions = view->shape;
    array->strides = view->strides;
    if (!is_safe(array->base)) {
        array->unreadable = "memory of another kind";
    }
}

void
buffers_read(PyObject *object, Array *array)
{
    *array = (Array){.data = "", .type = T_COUNT};
    if (PyMemoryView_Check(object)) {
        read_view(object, array);
    }
    else {
        read_array(object, array);
    }
}
