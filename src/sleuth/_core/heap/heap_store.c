/* Stores of recorded code with a certain effect.  The store itself is an event; here only the hash of the
 * receiver's contents is updated. */
#include "heap_inside.h"

#include "arrays.h"

#include <structmember.h>

static void
rehash(PyObject *object, uint64_t position, PyObject *old, PyObject *value)
{
    Known *known = identity_find(object);
    if (known && !(known->flags & FLAG_STALE)) {
        if (old) {
            known->hash -= (uint32_t)mixed(position, value_hash(old));
        }
        if (value) {
            known->hash += (uint32_t)mixed(position, value_hash(value));
        }
    }
}

int
heap_set_item(PyObject *receiver, PyObject *key, PyObject *value)
{
    heap_note_write(receiver);
    Py_ssize_t index = list_index(receiver, key);
    if (index >= 0) {
        rehash(receiver, (uint64_t)index, PyList_GET_ITEM(receiver, index), value);
        return 1;
    }
    if (!PyDict_CheckExact(receiver) || !heap_is_atom(key)) {
        if (Py_IS_TYPE(receiver, arrays_type())) {
            heap_expect_stored(receiver, key, value);
        }
        return 0;
    }
    if (!is_text_dict(receiver, key)) {
        heap_make_stale(receiver);
        return 1;
    }
    PyObject *old = PyDict_GetItemWithError(receiver, key);
    rehash(receiver, value_hash(key), old, value);
    Known *known = old ? NULL : identity_find(receiver);
    if (known) {
        set_size(known, known->size + 1);
    }
    return 1;
}

int
heap_delete_item(PyObject *receiver, PyObject *key)
{
    heap_note_write(receiver);
    Py_ssize_t index = list_index(receiver, key);
    if (index >= 0) {
        Known *known = identity_find(receiver);
        if (index == PyList_GET_SIZE(receiver) - 1) {
            rehash(receiver, (uint64_t)index, PyList_GET_ITEM(receiver, index), NULL);
        }
        else {
            heap_make_stale(receiver);
        }
        if (known) {
            set_size(known, known->size - 1);
        }
        return 1;
    }
    if (PyDict_CheckExact(receiver) && is_text_dict(receiver, key)) {
        PyObject *old = PyDict_GetItemWithError(receiver, key);
        if (old) {
            rehash(receiver, value_hash(key), old, NULL);
            Known *known = identity_find(receiver);
            if (known) {
                set_size(known, known->size - 1);
            }
            return 1;
        }
    }
    return 0;
}

/* An attribute of a class is about to be set.  (Not all attributes count as its contents.) */
static void
set_class_attribute(PyTypeObject *type, PyObject *name, PyObject *value)
{
    PyObject *old = type->tp_dict && is_text_dict(type->tp_dict, name)
        ? PyDict_GetItemWithError(type->tp_dict, name) : NULL;
    rehash((PyObject *)type, value_hash(name), layout_is_of_class(name, old) ? old : NULL,
           layout_is_of_class(name, value) ? value : NULL);
}

/* A member is about to be set; only slots of Python classes count as contents. */
static void
set_slot(PyObject *receiver, const PyMemberDef *member, PyObject *value)
{
    if (layout_is_slot(member)) {
        rehash(receiver, heap_name_hash(NULL, member->name),
               *(PyObject **)((char *)receiver + member->offset), value);
    }
}

int
heap_set_attribute(PyObject *receiver, PyObject *name, PyObject *value)
{
    PyTypeObject *type = Py_TYPE(receiver);
    heap_note_write(receiver);
    if (type == &PyType_Type) {
        set_class_attribute((PyTypeObject *)receiver, name, value);
        return 1;
    }
    if (type->tp_setattro != PyObject_GenericSetAttr) {
        return 0;
    }
    PyObject *descriptor = _PyType_Lookup(type, name);
    if (descriptor && Py_TYPE(descriptor)->tp_descr_set) {
        if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type)) {
            return 0;
        }
        set_slot(receiver, ((PyMemberDescrObject *)descriptor)->d_member, value);
        return 1;
    }
    PyObject *old = layout_attribute(receiver, name);
    int has_dict = (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) || type->tp_dictoffset != 0;
    if (!has_dict || (!value && !old)) {
        return 0;
    }
    rehash(receiver, value_hash(name), old, value);
    return 1;
}

void
heap_set_cell(PyObject *cell, PyObject *value, int is_secret)
{
    Known *known = cell && PyCell_Check(cell) ? identity_find(cell) : NULL;
    if (!known || is_secret) {
        return;
    }
    uint64_t id = identity_id(known);
    DEFINE(512, {
        *p++ = KIND_CONTENTS;
        p = put_varint(p, id);
        *p++ = PART_CELL;
        *p++ = PART_IS_WHOLE;
        *p++ = value != NULL;
        *p++ = value != NULL;
        if (value) {
            p = encode(p, value);
        }
    });
    known->hash = value ? (uint32_t)mixed(0, value_hash(value)) : 0;
    set_size(known, value != NULL);
    known->world = heap_world;
}
