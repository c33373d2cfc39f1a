/* Reads the contents of objects from memory.
 *
 * Asking an object for its `__dict__` would make its attributes slower for the rest of its life, so values
 * that are stored in the object itself are read there.
 */
#include "layout.h"

#include "atoms.h"
#include "fields.h"
#include "identity.h"
#include "names.h"
#include "summary.h"

#include <structmember.h>

#include "internal/pycore_dict.h"
#include "internal/pycore_object.h"
#if PY_VERSION_HEX >= 0x030D0000
#include "internal/pycore_setobject.h"
#endif

/* The definitions of a class's slots are behind its type object. */
#define TYPE_MEMBERS(type) ((PyMemberDef *)((char *)(type) + Py_TYPE(type)->tp_basicsize))

static PyTypeObject *deque_type;

/* As in _collectionsmodule.c; the same from 3.11 to 3.13. */
typedef struct Block {
    struct Block *left;
    PyObject *data[64];
    struct Block *right;
} Block;
typedef struct {
    PyObject_VAR_HEAD
    Block *leftblock, *rightblock;
    Py_ssize_t leftindex, rightindex;
} Deque;

static PyTypeObject *
find_deque(void)
{
    if (!deque_type) {
        PyObject *module = loaded_module("_collections");
        PyObject *type = module
            ? PyDict_GetItemString(PyModule_GetDict(module), "deque") : NULL;
        deque_type = type && PyType_Check(type) ? (PyTypeObject *)type : NULL;
        PyErr_Clear();
    }
    return deque_type;
}

/* Tell whether a type is a dictionary that adds missing items: reading may change it. */
static int
is_restless(PyTypeObject *type)
{
    static PyObject *missing;
    return type != &PyDict_Type && find_in_type(type, &missing, "__missing__");
}

void
layout_forget_type(PyTypeObject *type)
{
    if (type == deque_type) {
        deque_type = NULL;
    }
}

int
layout_of(PyTypeObject *type)
{
    int layout = 0;
    if (type->tp_flags & Py_TPFLAGS_TYPE_SUBCLASS) {
        return LAYOUT_CLASS | LAYOUT_ATTRIBUTES;
    }
    if (type->tp_flags & Py_TPFLAGS_LIST_SUBCLASS) {
        layout = LAYOUT_LIST;
    }
    else if (type->tp_flags & Py_TPFLAGS_TUPLE_SUBCLASS) {
        layout = LAYOUT_TUPLE;
    }
    else if (type->tp_flags & Py_TPFLAGS_DICT_SUBCLASS) {
        layout = LAYOUT_DICT | (is_restless(type) ? LAYOUT_RESTLESS : 0);
    }
    else if (type->tp_flags & Py_TPFLAGS_BASE_EXC_SUBCLASS) {
        return LAYOUT_EXCEPTION | LAYOUT_ATTRIBUTES;
    }
    else if (type == &PySet_Type || PyType_IsSubtype(type, &PySet_Type)) {
        layout = LAYOUT_SET;
    }
    else if (type == &PyFrozenSet_Type || PyType_IsSubtype(type, &PyFrozenSet_Type)) {
        layout = LAYOUT_SET;
    }
    else if (type == &PyByteArray_Type || PyType_IsSubtype(type, &PyByteArray_Type)) {
        layout = LAYOUT_BYTES;
    }
    else if (type == &PyCell_Type) {
        return LAYOUT_CELL;
    }
    else if (find_deque() && PyType_IsSubtype(type, deque_type)) {
        layout = LAYOUT_DEQUE;
        if (type == deque_type) {
            return layout;
        }
    }
    else if (atoms_has(type)) {
        layout = LAYOUT_ATOM;
    }
    else if ((layout = fields_layout(type)) != 0) {
        if (identity_base(type) == type) {
            return layout;
        }
    }
    else if (summary_layout(type)) {
        return summary_layout(type);
    }
    if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
        /* The globals of modules are recorded by namespace.c. */
        if (!PyType_IsSubtype(type, &PyModule_Type)) {
            layout |= LAYOUT_ATTRIBUTES;
        }
    }
    return layout;
}

int
layout_part(int layout)
{
    return layout & (LAYOUT_LIST | LAYOUT_TUPLE | LAYOUT_DEQUE) ? PART_SEQUENCE
        : layout & LAYOUT_DICT ? PART_MAPPING
        : layout & LAYOUT_SET ? PART_SET
        : layout & LAYOUT_BYTES ? PART_BYTES
        : (layout & LAYOUT_ATOM) == LAYOUT_ATOM ? PART_VALUE
        : layout & LAYOUT_CELL ? PART_CELL
        : layout & LAYOUT_ARRAY ? PART_SUMMARY : 0;
}

/* --- attributes */

/* Return the instance's dictionary, borrowed, if it exists already; or set `values`, if the values are stored
 * in the object. */
static PyObject *
own_dict(PyObject *object, PyDictValues **values)
{
    PyTypeObject *type = Py_TYPE(object);
    *values = NULL;
    if (type->tp_flags & Py_TPFLAGS_BASE_EXC_SUBCLASS) {
        return ((PyBaseExceptionObject *)object)->dict;
    }
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
#if PY_VERSION_HEX >= 0x030D0000
        PyObject *dict = (PyObject *)_PyObject_ManagedDictPointer(object)->dict;
        if (!dict && (type->tp_flags & Py_TPFLAGS_INLINE_VALUES)
            && _PyObject_InlineValues(object)->valid) {
            *values = _PyObject_InlineValues(object);
        }
        return dict;
#elif PY_VERSION_HEX >= 0x030C0000
        PyDictOrValues both = *_PyObject_DictOrValuesPointer(object);
        if (_PyDictOrValues_IsValues(both)) {
            *values = _PyDictOrValues_GetValues(both);
            return NULL;
        }
        return _PyDictOrValues_GetDict(both);
#else
        *values = *_PyObject_ValuesPointer(object);
        return *values ? NULL : *_PyObject_ManagedDictPointer(object);
#endif
    }
    if (type->tp_dictoffset > 0) {
        return *(PyObject **)((char *)object + type->tp_dictoffset);
    }
#if PY_VERSION_HEX < 0x030C0000
    if (type->tp_dictoffset < 0) {
        /* The dictionary is behind the items of a tuple, or the digits of a number. */
        Py_ssize_t items = Py_SIZE(object) < 0 ? -Py_SIZE(object) : Py_SIZE(object);
        return *(PyObject **)((char *)object + _PyObject_VAR_SIZE(type, items) + type->tp_dictoffset);
    }
#endif
    return NULL;
}

static int
visit_values(PyObject *object, PyDictValues *values, LayoutVisit visit, void *context)
{
    PyDictKeysObject *keys = ((PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys;
    for (Py_ssize_t i = 0; keys && i < keys->dk_nentries; i++) {
        PyObject *value = values->values[i];
        if (value && visit(context, DK_UNICODE_ENTRIES(keys)[i].me_key, NULL, value)) {
            return 1;
        }
    }
    return 0;
}

int
layout_is_slot(const PyMemberDef *member)
{
    return member->type == T_OBJECT_EX && member->flags == 0;
}

static int
visit_slots(PyObject *object, LayoutVisit visit, void *context)
{
    PyObject *order = Py_TYPE(object)->tp_mro;
    for (Py_ssize_t i = 0; order && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(order, i);
        if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
            continue;
        }
        PyMemberDef *member = TYPE_MEMBERS(type);
        for (Py_ssize_t j = 0; j < Py_SIZE(type); j++, member++) {
            if (!layout_is_slot(member)) {
                continue;
            }
            PyObject *value = *(PyObject **)((char *)object + member->offset);
            if (value && visit(context, NULL, member->name, value)) {
                return 1;
            }
        }
    }
    return 0;
}

int
layout_is_of_class(PyObject *name, PyObject *value)
{
    return value && PyUnicode_CheckExact(name) && !Py_TYPE(value)->tp_descr_get
        && !(PyUnicode_GET_LENGTH(name) > 2 && PyUnicode_READ_CHAR(name, 0) == '_'
             && PyUnicode_READ_CHAR(name, 1) == '_');
}

/* Visit the bases of a class; nothing, if the only one is `object`. */
static int
visit_bases(PyTypeObject *type, LayoutVisit visit, void *context)
{
    PyObject *bases = type->tp_bases;
    Py_ssize_t count = bases ? PyTuple_GET_SIZE(bases) : 0;
    if (count == 1 && PyTuple_GET_ITEM(bases, 0) == (PyObject *)&PyBaseObject_Type) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        char name[32];
        PyOS_snprintf(name, sizeof(name), LAYOUT_BASE "%zd", i);
        if (visit(context, NULL, name, PyTuple_GET_ITEM(bases, i))) {
            return 1;
        }
    }
    return 0;
}

/* Visit the bases and the attributes of a class; not methods, properties and the like. */
static void
visit_class(PyTypeObject *type, LayoutVisit visit, void *context)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || !type->tp_dict
        || visit_bases(type, visit, context)) {
        return;
    }
    while (PyDict_Next(type->tp_dict, &at, &key, &value)) {
        if (layout_is_of_class(key, value) && visit(context, key, NULL, value)) {
            return;
        }
    }
}

PyObject *
layout_names_of_items(PyObject *object, int layout)
{
    static PyObject *fields_name;
    if (!(layout & LAYOUT_TUPLE) || PyTuple_CheckExact(object)) {
        return NULL;
    }
    PyObject *names = find_in_type(Py_TYPE(object), &fields_name, "_fields");
    return names && PyTuple_CheckExact(names) && PyTuple_GET_SIZE(names) == Py_SIZE(object) ? names : NULL;
}

/* Visit the `_fields` of a named tuple. */
static int
visit_names_of_items(PyObject *object, int layout, LayoutVisit visit, void *context)
{
    PyObject *names = layout_names_of_items(object, layout);
    return names && visit(context, NULL, "_fields", names);
}

static void
visit_attributes(PyObject *object, int layout, LayoutVisit visit, void *context)
{
    if (layout & LAYOUT_CLASS) {
        visit_class((PyTypeObject *)object, visit, context);
        return;
    }
    if (fields_visit(object, visit, context)) {
        return;
    }
    PyDictValues *values;
    PyObject *dict = own_dict(object, &values);
    if ((layout & LAYOUT_EXCEPTION) && ((PyBaseExceptionObject *)object)->args
        && visit(context, NULL, "args", ((PyBaseExceptionObject *)object)->args)) {
        return;
    }
    if (visit_names_of_items(object, layout, visit, context)) {
        return;
    }
    if (values && visit_values(object, values, visit, context)) {
        return;
    }
    if (dict && PyDict_CheckExact(dict)) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        while (PyDict_Next(dict, &at, &key, &value)) {
            if (PyUnicode_CheckExact(key) && visit(context, key, NULL, value)) {
                return;
            }
        }
    }
    visit_slots(object, visit, context);
}

PyObject *
layout_attribute(PyObject *object, PyObject *name)
{
    PyDictValues *values;
    PyObject *dict = own_dict(object, &values);
    if (values) {
        PyDictKeysObject *keys = ((PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys;
        for (Py_ssize_t i = 0; keys && i < keys->dk_nentries; i++) {
            if (DK_UNICODE_ENTRIES(keys)[i].me_key == name) {
                return values->values[i];
            }
        }
        return NULL;
    }
    if (dict && PyDict_CheckExact(dict) && DK_IS_UNICODE(((PyDictObject *)dict)->ma_keys)) {
        return PyDict_GetItemWithError(dict, name);
    }
    return NULL;
}

/* --- all parts */

static int
count_one(void *context, PyObject *key, const char *name, PyObject *value)
{
    ++*(Py_ssize_t *)context;
    return 0;
}

Py_ssize_t
layout_size(PyObject *object, int part, int layout)
{
    if (part == PART_ATTRIBUTES) {
        Py_ssize_t count = 0;
        visit_attributes(object, layout, count_one, &count);
        return count;
    }
    if (layout & (LAYOUT_LIST | LAYOUT_TUPLE | LAYOUT_DEQUE)) {
        return Py_SIZE(object);
    }
    if (layout & LAYOUT_DICT) {
        return ((PyDictObject *)object)->ma_used;
    }
    if (layout & LAYOUT_SET) {
        return ((PySetObject *)object)->used;
    }
    if (layout & LAYOUT_BYTES) {
        return Py_SIZE(object);
    }
    if (layout & LAYOUT_ARRAY) {
        return summary_size(object);
    }
    if ((layout & LAYOUT_ATOM) == LAYOUT_ATOM) {
        return 1;
    }
    return layout & LAYOUT_CELL ? PyCell_GET(object) != NULL : 0;
}

/* --- prices */

#define GAPS 8               /* this many empty entries cost as much as an item */

/* The price of the empty entries: those of removed items stay until the dictionary is resized. */
static Py_ssize_t
dict_gaps(PyObject *dict)
{
    return (((PyDictObject *)dict)->ma_keys->dk_nentries - ((PyDictObject *)dict)->ma_used) / GAPS;
}

static Py_ssize_t
dict_price(PyObject *dict)
{
    return dict && PyDict_Check(dict) ? ((PyDictObject *)dict)->ma_used + dict_gaps(dict) : 0;
}

static Py_ssize_t
price_of_slots(PyTypeObject *type)
{
    PyObject *order = type->tp_mro;
    Py_ssize_t price = 0;
    for (Py_ssize_t i = 0; order && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *each = (PyTypeObject *)PyTuple_GET_ITEM(order, i);
        price += each->tp_flags & Py_TPFLAGS_HEAPTYPE ? Py_SIZE(each) : 0;
    }
    return price;
}

static Py_ssize_t
price_of_attributes(PyObject *object, int layout)
{
    if (layout & LAYOUT_CLASS) {
        return dict_price(((PyTypeObject *)object)->tp_dict);
    }
    PyDictValues *values;
    PyObject *dict = own_dict(object, &values);
    PyDictKeysObject *keys = values ? ((PyHeapTypeObject *)Py_TYPE(object))->ht_cached_keys : NULL;
    return dict_price(dict) + (keys ? keys->dk_nentries : 0) + price_of_slots(Py_TYPE(object));
}

Py_ssize_t
layout_price_of_gaps(PyObject *object, int layout)
{
    PyDictValues *values;
    int has_dict = (layout & LAYOUT_ATTRIBUTES) && !(layout & LAYOUT_CLASS);
    PyObject *dict = has_dict ? own_dict(object, &values) : NULL;
    return (layout & LAYOUT_DICT ? dict_gaps(object) : 0)
        + (layout & LAYOUT_SET ? (((PySetObject *)object)->mask + 1) / GAPS : 0)
        + (dict && PyDict_Check(dict) ? dict_gaps(dict) : 0);
}

static Py_ssize_t
price_of_part(PyObject *object, int part, int layout)
{
    switch (part) {
    case 0:
        return 0;
    case PART_SUMMARY:
        return summary_price(object);
    case PART_VALUE:
        return atoms_price(object);
    case PART_BYTES:
        return Py_SIZE(object) / 16 + 1;
    case PART_MAPPING:
        return dict_price(object);
    case PART_SET:
        return ((PySetObject *)object)->used + (((PySetObject *)object)->mask + 1) / GAPS;
    default:
        return layout_size(object, part, layout);
    }
}

Py_ssize_t
layout_price(PyObject *object, int layout)
{
    return price_of_part(object, layout_part(layout), layout)
        + (layout & LAYOUT_ATTRIBUTES ? price_of_attributes(object, layout) : 0);
}

/* --- visiting */

static void
visit_sequence(PyObject *object, int layout, LayoutVisit visit, void *context)
{
    Py_ssize_t size = Py_SIZE(object);
    if (layout & LAYOUT_DEQUE) {
        Deque *deque = (Deque *)object;
        Block *block = deque->leftblock;
        Py_ssize_t index = deque->leftindex;
        for (Py_ssize_t i = 0; i < size; i++) {
            if (visit(context, NULL, NULL, block->data[index])) {
                return;
            }
            if (++index == 64) {
                block = block->right;
                index = 0;
            }
        }
        return;
    }
    PyObject **items = layout & LAYOUT_LIST ? ((PyListObject *)object)->ob_item
                                            : ((PyTupleObject *)object)->ob_item;
    for (Py_ssize_t i = 0; i < size; i++) {
        /* (A tuple that C code is still filling has holes.) */
        if (items[i] && visit(context, NULL, NULL, items[i])) {
            return;
        }
    }
}

/* Visit the plain number or text of an object of a derived class. */
static void
visit_value(PyObject *object, LayoutVisit visit, void *context)
{
    PyObject *value = atoms_value(object);
    if (value) {
        visit(context, NULL, NULL, value);
        Py_DECREF(value);
    }
    else {
        PyErr_Clear();
    }
}

void
layout_visit(PyObject *object, int part, int layout, LayoutVisit visit, void *context)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    Py_hash_t hash;
    switch (part) {
    case PART_SEQUENCE:
        visit_sequence(object, layout, visit, context);
        break;
    case PART_MAPPING:
        while (PyDict_Next(object, &at, &key, &value) && !visit(context, key, NULL, value)) {
        }
        break;
    case PART_SET:
        while (_PySet_NextEntry(object, &at, &key, &hash) && !visit(context, NULL, NULL, key)) {
        }
        break;
    case PART_CELL:
        if (PyCell_GET(object)) {
            visit(context, NULL, NULL, PyCell_GET(object));
        }
        break;
    case PART_VALUE:
        visit_value(object, visit, context);
        break;
    case PART_SUMMARY:
        summary_visit(object, visit, context);
        break;
    case PART_ATTRIBUTES:
        visit_attributes(object, layout, visit, context);
        break;
    default:
        break;
    }
}
