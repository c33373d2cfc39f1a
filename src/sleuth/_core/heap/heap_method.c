/* Builtin methods of lists and sets with a certain effect: only the effect is written, not all contents. */
#include "heap_inside.h"

#define MOST_SPLICED 1000

/* Write that `removed` items of a list are replaced by `count` others, MOST_SPLICED at most. */
static void
splice(PyObject *list, uint64_t place, Py_ssize_t start, Py_ssize_t removed, PyObject *const *items,
       Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        heap_meet(items[i]);
    }
    heap_note_write(list);
    Known *known = identity_find(list);
    if (!known) {
        return;
    }
    uint64_t id = identity_id(known);
    Py_ssize_t size = PyList_GET_SIZE(list);
    WRITE(64 + MOST_SPLICED * SMALL_VALUE, {
        *p++ = KIND_SPLICED;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, place);
        p = put_varint(p, (uint64_t)start);
        p = put_varint(p, (uint64_t)removed);
        p = put_varint(p, (uint64_t)count);
        for (Py_ssize_t i = 0; i < count && p; i++) {
            p = encode(p, items[i]);
        }
    });
    if (start + removed != size) {
        heap_make_stale(list);   /* the items behind them move */
    }
    else if (!(known->flags & FLAG_STALE)) {
        for (Py_ssize_t i = start; i < size; i++) {
            known->hash -= (uint32_t)mixed((uint64_t)i, value_hash(PyList_GET_ITEM(list, i)));
        }
        for (Py_ssize_t i = 0; i < count; i++) {
            known->hash += (uint32_t)mixed((uint64_t)(start + i), value_hash(items[i]));
        }
    }
    set_size(known, size - removed + count);
}

static int
before_pop(PyObject *list, PyObject *const *args, int count, uint64_t place)
{
    Py_ssize_t size = PyList_GET_SIZE(list);
    Py_ssize_t index = count == 0 ? size - 1 : count == 1 ? list_index(list, args[0]) : -1;
    if (index < 0 || size == 0) {
        return 0;
    }
    splice(list, place, index, 1, NULL, 0);
    return 1;
}

static int
before_insert(PyObject *list, PyObject *const *args, uint64_t place)
{
    if (!PyLong_CheckExact(args[0]) || !LONG_IS_COMPACT(args[0])) {
        return 0;
    }
    Py_ssize_t index = LONG_COMPACT_VALUE(args[0]), size = PyList_GET_SIZE(list);
    index = index < 0 ? index + size : index;
    splice(list, place, index < 0 ? 0 : index > size ? size : index, 0, args + 1, 1);
    return 1;
}

static int
before_extend(PyObject *list, PyObject *more, uint64_t place)
{
    if (!PyList_CheckExact(more) && !PyTuple_CheckExact(more)) {
        return 0;
    }
    Py_ssize_t count = Py_SIZE(more);
    if (more == list || count > MOST_SPLICED) {
        return 0;
    }
    splice(list, place, PyList_GET_SIZE(list), 0, PySequence_Fast_ITEMS(more), count);
    return 1;
}

int
heap_before_list_method(PyObject *list, const char *name, PyObject *const *args, int count,
                        uint64_t place)
{
    heap_meet(list);
    if (strcmp(name, "append") == 0 && count == 1) {
        splice(list, place, PyList_GET_SIZE(list), 0, args, 1);
        return 1;
    }
    if (strcmp(name, "pop") == 0) {
        return before_pop(list, args, count, place);
    }
    if (strcmp(name, "insert") == 0 && count == 2) {
        return before_insert(list, args, place);
    }
    if (strcmp(name, "extend") == 0 && count == 1) {
        return before_extend(list, args[0], place);
    }
    if (strcmp(name, "clear") == 0 && count == 0) {
        splice(list, place, 0, PyList_GET_SIZE(list), NULL, 0);
        return 1;
    }
    return strcmp(name, "index") == 0 || strcmp(name, "count") == 0 || strcmp(name, "copy") == 0;
}

static void
write_put(Known *known, PyObject *key, PyObject *value, uint64_t place)
{
    uint64_t id = identity_id(known);
    WRITE(640, {
        *p++ = KIND_PUT;
        p = put_varint(p, id);
        *p++ = CAUSE_CALL;
        p = put_varint(p, place);
        VALUE(key);
        VALUE(value);
    });
}

int
heap_grown(PyObject *object, PyObject *item, uint64_t place)
{
    Known *known = identity_find(object);
    if (!known || known->is_probable || (known->flags & (FLAG_STALE | FLAG_UNSURE))
        || !PyAnySet_CheckExact(object)
        || !has_size(known, ((PySetObject *)object)->used - 1)) {
        return 0;
    }
    /* The item was just added, so it is alive. */
    heap_meet(item);
    known = identity_find(object);
    write_put(known, item, item, place);
    known->hash += (uint32_t)mixed(3, value_hash(item));
    set_size(known, known->size + 1);
    known->world = heap_world;
    heap_note_write(object);   /* (the item is there already) */
    return 1;
}
