/* Reads the memory of pandas' data frames, series and indices.
 *
 * A data frame has a manager, which has blocks: arrays with a row for each of some columns, and the numbers
 * of these columns.  Managers and blocks are written in C, so their fields are found by tp_traverse, as the
 * garbage collector does.
 */
#include "frames.h"

#include "layout.h"

static int
is_named(PyTypeObject *type, const char *const *names)
{
    for (; *names; names++) {
        if (strcmp(type->tp_name, *names) == 0) {
            return 1;
        }
    }
    return 0;
}

static int
is_of_pandas(PyTypeObject *type)
{
    PyObject *module = type->tp_dict ? PyDict_GetItemString(type->tp_dict, "__module__") : NULL;
    return module && PyUnicode_CheckExact(module) && PyUnicode_IS_COMPACT_ASCII(module)
        && strncmp(PyUnicode_DATA(module), "pandas", 6) == 0;
}

static PyTypeObject *
known_base(PyTypeObject *type)
{
    static const char *const names[] = {"DataFrame", "Series", "Index", NULL};
    PyObject *order = type->tp_mro;
    for (Py_ssize_t i = 0; order && i < PyTuple_GET_SIZE(order); i++) {
        PyTypeObject *each = (PyTypeObject *)PyTuple_GET_ITEM(order, i);
        if ((each->tp_flags & Py_TPFLAGS_HEAPTYPE) && is_named(each, names) && is_of_pandas(each)) {
            return each;
        }
    }
    return NULL;
}

int
frames_has(PyTypeObject *type)
{
    return arrays_type() && (type->tp_flags & Py_TPFLAGS_HEAPTYPE) && known_base(type) != NULL;
}

int
frames_is_own(PyTypeObject *type)
{
    return is_of_pandas(type);
}

/* --- what objects refer to */

#define MOST_REFERENTS 64
typedef struct { PyObject *objects[MOST_REFERENTS]; int count; } Referents;

static int
add_referent(PyObject *object, void *context)
{
    Referents *referents = context;
    if (referents->count < MOST_REFERENTS) {
        referents->objects[referents->count++] = object;
    }
    return 0;
}

static void
refer(PyObject *object, Referents *referents)
{
    referents->count = 0;
    if (Py_TYPE(object)->tp_traverse && PyObject_IS_GC(object)) {
        Py_TYPE(object)->tp_traverse(object, add_referent, referents);
    }
}

static PyObject *
attribute(PyObject *object, const char *name)
{
    if (!(Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        return NULL;
    }
    PyObject *text = PyUnicode_InternFromString(name);
    PyObject *found = text ? layout_attribute(object, text) : NULL;
    Py_XDECREF(text);
    PyErr_Clear();
    return found;
}

static int
is_array(PyObject *object)
{
    return object && PyType_IsSubtype(Py_TYPE(object), arrays_type());
}

static int
ends_with(PyTypeObject *type, const char *end)
{
    size_t size = strlen(type->tp_name), wanted = strlen(end);
    return size >= wanted && strcmp(type->tp_name + size - wanted, end) == 0;
}

/* Return a hash of the arrays that an object of pandas leads to in a few steps. */
#define MOST_STEPS 96
static uint64_t
deep_hash(PyObject *object)
{
    PyObject *reached[MOST_STEPS] = {object};
    int count = 1;
    uint64_t hash = 0;
    for (int at = 0; at < count; at++) {
        Referents referents;
        refer(reached[at], &referents);
        for (int i = 0; i < referents.count && count < MOST_STEPS; i++) {
            PyObject *each = referents.objects[i];
            Array array;
            if (is_array(each)) {
                arrays_read(each, &array);
                hash = hash * 31 + arrays_hash(&array);
            }
            else if (PyTuple_CheckExact(each) || PyList_CheckExact(each) || PyDict_CheckExact(each)
                     || (!PyType_Check(each) && !PyModule_Check(each) && !PyFunction_Check(each)
                         && PyObject_IS_GC(each) && is_of_pandas(Py_TYPE(each)))) {
                int is_new = 1;
                for (int j = 0; j < count; j++) {
                    is_new &= reached[j] != each;
                }
                if (is_new) {
                    reached[count++] = each;
                }
            }
        }
    }
    return hash;
}

/* --- columns */

/* Read an array type of pandas: most wrap an array of numpy, some with a mask of the missing items. */
static int
read_extension(PyObject *object, Column *column)
{
    static const char *const plain[] = {"DatetimeArray", "TimedeltaArray", "StringArray",
                                        "StringArrayNumpySemantics", "NumpyExtensionArray", "PandasArray",
                                        "IntegerArray", "FloatingArray", "BooleanArray", NULL};
    PyObject *array = attribute(object, "_ndarray"), *mask = attribute(object, "_mask");
    array = array ? array : attribute(object, "_data");
    Referents referents;
    refer(object, &referents);
    for (int i = 0; i < referents.count && !is_array(array); i++) {
        array = referents.objects[i];
    }
    *column = (Column){.type_name = Py_TYPE(object)->tp_name};
    if (!is_array(array)) {
        /* Data of Arrow never change in place: other contents are another object. */
        PyObject *arrow = attribute(object, "_pa_array");
        column->also = (uint64_t)(uintptr_t)arrow + deep_hash(object);
        column->not_kept = "items that are not numpy's";
        return column->also != 0;
    }
    arrays_read(array, &column->array);
    if (is_array(mask)) {
        arrays_read(mask, &column->mask);
        column->has_mask = 1;
    }
    column->not_kept = is_named(Py_TYPE(object), plain) ? NULL : "items of an array of pandas' own";
    column->also = column->not_kept ? deep_hash(object) : 0;
    if (!column->not_kept && !column->has_mask) {
        column->type_name = NULL;
    }
    return 1;
}

static int
read_column(PyObject *values, Column *column)
{
    if (!is_array(values)) {
        return read_extension(values, column);
    }
    *column = (Column){.has_mask = 0};
    arrays_read(values, &column->array);
    return 1;
}

static Py_ssize_t
length_of(PyObject *index)
{
    Column column;
    PyObject *range = attribute(index, "_range");
    if (range && PyRange_Check(range)) {
        Py_ssize_t length = PyObject_Size(range);
        PyErr_Clear();   /* its length can exceed Py_ssize_t */
        return length;
    }
    if (frames_labels(index, &column) && column.array.nd == 1) {
        return column.array.size;
    }
    return -1;
}

int
frames_labels(PyObject *index, Column *column)
{
    PyObject *values = attribute(index, "_data");
    return values && read_column(values, column);
}

uint64_t
frames_index_hash(PyObject *index)
{
    Column column;
    if (attribute(index, "_range")) {
        return (uint64_t)length_of(index);
    }
    if (!frames_labels(index, &column)) {
        return deep_hash(index);   /* an index of several levels */
    }
    return arrays_hash(&column.array) + column.also;
}

/* --- blocks */

/* The numbers of a block's columns: a slice, or an array. */
typedef struct { Py_ssize_t start, step; Array numbers; int has_numbers; } Placement;

static int
read_placement(PyObject *object, Placement *placement)
{
    Referents referents;
    refer(object, &referents);
    *placement = (Placement){0, 1};
    for (int i = 0; i < referents.count; i++) {
        PyObject *each = referents.objects[i];
        if (PySlice_Check(each)) {
            PySliceObject *slice = (PySliceObject *)each;
            if (PyLong_CheckExact(slice->start)) {
                placement->start = PyLong_AsSsize_t(slice->start);
                placement->step = PyLong_CheckExact(slice->step) ? PyLong_AsSsize_t(slice->step) : 1;
                int is_read = !PyErr_Occurred();
                PyErr_Clear();
                return is_read;
            }
        }
        if (is_array(each)) {
            arrays_read(each, &placement->numbers);
            placement->has_numbers = placement->numbers.nd == 1 && placement->numbers.item_size == 8;
        }
    }
    return placement->has_numbers;
}

static Py_ssize_t
column_number(const Placement *placement, Py_ssize_t at)
{
    if (!placement->has_numbers) {
        return placement->start + at * placement->step;
    }
    int64_t number = -1;
    if (at < placement->numbers.size && !placement->numbers.unreadable) {
        memcpy(&number, placement->numbers.data + at * placement->numbers.strides[0], 8);
    }
    return (Py_ssize_t)number;
}

static int
read_block(PyObject *block, Placement *placement, Column *column)
{
    Referents referents;
    PyObject *values = NULL;
    int has_place = 0;
    refer(block, &referents);
    for (int i = 0; i < referents.count; i++) {
        PyObject *each = referents.objects[i];
        if (is_array(each) && !values) {
            values = each;
        }
        else if (ends_with(Py_TYPE(each), "BlockPlacement")) {
            has_place = read_placement(each, placement);
        }
        else if (!values && (Py_TYPE(each)->tp_flags & Py_TPFLAGS_HEAPTYPE) && !PyType_Check(each)
                 && !ends_with(Py_TYPE(each), "Refs") && (ends_with(Py_TYPE(each), "Array")
                                                          || ends_with(Py_TYPE(each), "Categorical"))) {
            values = each;
        }
    }
    return has_place && values && read_column(values, column);
}

/* Return one row of a block's array: a column of the data frame. */
static Array
row_of(const Array *array, Py_ssize_t at)
{
    Array row = *array;
    row.data += at * array->strides[0];
    row.size = array->dimensions[0] ? array->size / array->dimensions[0] : 0;
    row.nd--;
    row.dimensions++;
    row.strides++;
    return row;
}

static void
visit_block(const Table *table, PyObject *block, ColumnVisit visit, void *context)
{
    Placement placement;
    Column column;
    if (!read_block(block, &placement, &column)) {
        column = (Column){.not_kept = "a block of an unknown form",
                          .also = (uint64_t)(uintptr_t)block};
        visit(context, -1, &column);
        return;
    }
    if (table->nd == 1 || column.array.nd != 2) {
        visit(context, table->nd == 1 ? 0 : column_number(&placement, 0), &column);
        return;
    }
    for (Py_ssize_t i = 0; i < column.array.dimensions[0]; i++) {
        Column one = column;
        one.array = row_of(&column.array, i);
        if (column.has_mask && column.mask.nd == 2) {
            one.mask = row_of(&column.mask, i);
        }
        visit(context, column_number(&placement, i), &one);
    }
}

void
frames_visit(const Table *table, ColumnVisit visit, void *context)
{
    Column column;
    if (table->unreadable) {
        return;
    }
    if (table->values) {
        if (read_column(table->values, &column)) {
            visit(context, 0, &column);
        }
        return;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(table->blocks); i++) {
        visit_block(table, PyTuple_GET_ITEM(table->blocks, i), visit, context);
    }
}

/* --- frames */

/* Find rows and width in the blocks; an index of several levels does not give them. */
static void
measure_blocks(Table *table)
{
    Py_ssize_t rows = 0, width = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(table->blocks); i++) {
        Placement placement;
        Column column;
        if (!read_block(PyTuple_GET_ITEM(table->blocks, i), &placement, &column) || column.array.nd < 1) {
            return;
        }
        rows = column.array.dimensions[column.array.nd - 1];
        width += column.array.nd == 2 ? column.array.dimensions[0] : 1;
    }
    table->rows = table->rows < 0 ? rows : table->rows;
    table->width = table->width < 0 ? width : table->width;
}

static void
read_manager(PyObject *manager, Table *table)
{
    Referents referents;
    PyObject *axes = NULL;
    refer(manager, &referents);
    for (int i = 0; i < referents.count; i++) {
        PyObject *each = referents.objects[i];
        if (PyTuple_CheckExact(each) && (!table->blocks || !PyTuple_GET_SIZE(table->blocks))
            && (!PyTuple_GET_SIZE(each) || ends_with(Py_TYPE(PyTuple_GET_ITEM(each, 0)), "Block"))) {
            table->blocks = each;
        }
        else if (PyList_CheckExact(each) && !axes && PyList_GET_SIZE(each) == table->nd) {
            axes = each;
        }
    }
    if (!table->blocks || !axes) {
        return;
    }
    table->index = PyList_GET_ITEM(axes, table->nd - 1);
    table->rows = length_of(table->index);
    if (table->nd == 2) {
        table->labels = PyList_GET_ITEM(axes, 0);
        table->width = length_of(table->labels);
    }
    if (table->rows < 0 || table->width < 0) {
        measure_blocks(table);
    }
    table->unreadable = table->rows < 0 || table->width < 0 ? "an index of an unknown form" : NULL;
}

void
frames_read(PyObject *object, Table *table)
{
    PyTypeObject *base = known_base(Py_TYPE(object));
    *table = (Table){.width = 1, .nd = 1, .unreadable = "a table of an unknown form"};
    if (base && strcmp(base->tp_name, "Index") == 0) {
        table->is_index = 1;
        table->values = attribute(object, "_data");
        table->rows = length_of(object);
        table->unreadable = table->values && table->rows >= 0 ? NULL : "an index that is computed";
        return;
    }
    table->nd = base && strcmp(base->tp_name, "DataFrame") == 0 ? 2 : 1;
    PyObject *manager = attribute(object, "_mgr");
    if (manager) {
        read_manager(manager, table);
    }
}
