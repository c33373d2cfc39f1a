/* Summaries of arrays and tables: facts, and items. */
#include "summary.h"

#include "arrays.h"
#include "buffers.h"
#include "encode.h"
#include "frames.h"
#include "secrets.h"

#define SAMPLE 8             /* how many items of a large array or table are recorded */
#define MOST_COLUMNS 32      /* how many columns of a table are recorded */
#define PRICE 4              /* comparing this many numbers costs as much as comparing an item of a list */

static int
is_numpys(PyTypeObject *type)
{
    return arrays_type() && PyType_IsSubtype(type, arrays_type());
}

static int
is_array(PyTypeObject *type)
{
    return is_numpys(type) || buffers_has(type);
}

static void
read_array(PyObject *object, Array *array)
{
    if (is_numpys(Py_TYPE(object))) {
        arrays_read(object, array);
    }
    else {
        buffers_read(object, array);
    }
}

int
summary_layout(PyTypeObject *type)
{
    int is_class = (type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0;
    if (is_numpys(type)) {
        return LAYOUT_ARRAY | (is_class ? LAYOUT_ATTRIBUTES : 0);
    }
    /* Attributes that pandas sets in its own tables are not recorded. */
    return !is_class || !frames_has(type) ? 0
        : frames_is_own(type) ? LAYOUT_ARRAY : LAYOUT_ARRAY | LAYOUT_ATTRIBUTES;
}

/* --- columns: those of a table, the fields of a structured array, or a plain array as the only one */

typedef struct {
    Py_ssize_t rows, width;
    int nd, is_plain;
    const char *unreadable;
    Array array;       /* of an array */
    Table table;       /* of a table */
    int is_table;
} Whole;

static void
read_whole(PyObject *object, Whole *whole)
{
    *whole = (Whole){.width = 1, .nd = 1};
    if (!is_array(Py_TYPE(object))) {
        whole->is_table = 1;
        frames_read(object, &whole->table);
        whole->rows = whole->table.rows;
        whole->width = whole->table.width;
        whole->nd = whole->table.nd;
        whole->unreadable = whole->table.unreadable;
        return;
    }
    Array field;
    PyObject *name;
    read_array(object, &whole->array);
    whole->unreadable = whole->array.unreadable;
    whole->rows = whole->array.size;
    if (whole->array.nd == 1 && arrays_field(&whole->array, 0, &field, &name)) {
        whole->nd = 2;
        while (arrays_field(&whole->array, whole->width, &field, &name)) {
            whole->width++;
        }
    }
    else {
        whole->is_plain = 1;
    }
}

static void
visit_columns(const Whole *whole, ColumnVisit visit, void *context)
{
    if (whole->is_table) {
        frames_visit(&whole->table, visit, context);
        return;
    }
    Column column = {.array = whole->array};
    if (whole->is_plain) {
        visit(context, 0, &column);
        return;
    }
    PyObject *name;
    for (Py_ssize_t i = 0; arrays_field(&whole->array, i, &column.array, &name); i++) {
        visit(context, i, &column);
    }
}

static PyObject *
column_name(const Whole *whole, Py_ssize_t number)
{
    Column labels;
    Array field;
    PyObject *name;
    if (!whole->is_table) {
        return arrays_field(&whole->array, number, &field, &name) ? name : NULL;
    }
    if (!whole->table.labels || !frames_labels(whole->table.labels, &labels) || labels.not_kept
        || number >= labels.array.size || !arrays_holds_objects(&labels.array)) {
        return NULL;
    }
    return arrays_object(labels.array.data + number * labels.array.strides[0]);
}

static int
is_secret(const Whole *whole, Py_ssize_t number)
{
    PyObject *name = column_name(whole, number);
    return name && secret_name(name);
}

/* --- sizes and hashes */

Py_ssize_t
summary_size(PyObject *object)
{
    Whole whole;
    read_whole(object, &whole);
    return whole.rows > 0 ? whole.rows * whole.width : 0;
}

Py_ssize_t
summary_price(PyObject *object)
{
    Whole whole;
    read_whole(object, &whole);
    Py_ssize_t bytes = whole.is_table ? 0 : whole.array.item_size / 8;
    int is_costly = whole.is_table || arrays_holds_objects(&whole.array);
    if (whole.rows <= 0) {
        return whole.is_table && whole.width > 0 ? whole.width + 1 : 1;   /* (columns have names) */
    }
    return whole.rows * (whole.width + bytes) / (is_costly ? 1 : PRICE) + 1;
}

int
summary_is_readable(PyObject *object)
{
    Whole whole;
    read_whole(object, &whole);
    /* (An index never changes, so it needn't be read again.) */
    return !whole.unreadable || (whole.is_table && whole.table.is_index);
}

static void
hash_column(void *context, Py_ssize_t number, const Column *column)
{
    uint64_t *hash = context;
    uint64_t own = arrays_hash(&column->array) + (column->has_mask ? 3 * arrays_hash(&column->mask) : 0)
        + column->also;
    *hash += (own ^ (uint64_t)(number + 1)) * (2 * (uint64_t)(number + 2) + 0x9E3779B97F4A7C15ULL);
}

uint64_t
summary_hash(PyObject *object)
{
    Whole whole;
    read_whole(object, &whole);
    uint64_t hash = (uint64_t)whole.rows * 31 + (uint64_t)whole.width;
    if (whole.is_plain) {
        return arrays_hash(&whole.array);
    }
    visit_columns(&whole, hash_column, &hash);
    if (whole.is_table && whole.table.index) {
        hash += 7 * frames_index_hash(whole.table.index);
    }
    if (whole.is_table && whole.table.labels) {
        hash += 11 * frames_index_hash(whole.table.labels);
    }
    return hash;
}

/* --- objects */

typedef struct { LayoutVisit visit; void *context; int is_over; } Visiting;

static int
visit_item(void *context, const Array *array, const char *item)
{
    Visiting *visiting = context;
    return visiting->is_over |= visiting->visit(visiting->context, NULL, NULL, arrays_object(item));
}

static void
visit_column(void *context, Py_ssize_t number, const Column *column)
{
    Visiting *visiting = context;
    if (!visiting->is_over && arrays_holds_objects(&column->array)) {
        arrays_visit(&column->array, visit_item, visiting);
    }
}

PyObject *
summary_base(PyObject *object)
{
    Array array;
    if (!is_array(Py_TYPE(object))) {
        return NULL;
    }
    read_array(object, &array);
    return array.base && (is_array(Py_TYPE(array.base)) || PyByteArray_Check(array.base)) ? array.base
        : NULL;
}

void
summary_visit(PyObject *object, LayoutVisit visit, void *context)
{
    Whole whole;
    Visiting visiting = {visit, context, 0};
    read_whole(object, &whole);
    PyObject *base = summary_base(object);
    if (base && visit(context, NULL, NULL, base)) {
        return;
    }
    visit_columns(&whole, visit_column, &visiting);
    Column labels;
    if (whole.is_table && whole.table.labels && frames_labels(whole.table.labels, &labels)) {
        visit_column(&visiting, 0, &labels);
    }
    if (whole.is_table && whole.table.index && frames_labels(whole.table.index, &labels)) {
        visit_column(&visiting, 0, &labels);
    }
}

/* --- facts
 *
 * They take SUMMARY_ROOM bytes at most; the caller has checked that there is room.  A column is written only
 * if there is room for the longest column, and for the facts behind the columns. */

#define FACT_NAME (40 + UTF8_HEAD)       /* `dtype 12` */
#define FACT_TEXT (120 + UTF8_HEAD)      /* a label, an item type, why items are not recorded */
#define SHAPE_ROOM 400
#define COLUMN_ROOM (3 * (FACT_NAME + FACT_TEXT) + 2 * (FACT_NAME + ARRAYS_ITEM_ROOM) + FACT_NAME + 11)
#define ENDING_ROOM (2 * (FACT_NAME + FACT_TEXT))
_Static_assert(FACT_NAME + SHAPE_ROOM + COLUMN_ROOM + ENDING_ROOM < SUMMARY_ROOM, "room for one column");

typedef struct { uint8_t *p, *end; uint32_t count; const Whole *whole; int is_read; } Telling;

static void
tell_name(Telling *telling, const char *name, Py_ssize_t column)
{
    char text[40];
    int size = column < 0 ? snprintf(text, sizeof(text), "%s", name)
                          : snprintf(text, sizeof(text), "%s %zd", name, column);
    telling->p = encode_utf8(telling->p, text, (size_t)size);
    telling->count++;
}

static void
tell_text(Telling *telling, const char *name, Py_ssize_t column, const char *text)
{
    tell_name(telling, name, column);
    telling->p = encode_utf8(telling->p, text, strnlen(text, SHAPE_ROOM));
}

static void
tell_not_kept(Telling *telling, const char *name, Py_ssize_t column, const char *why)
{
    tell_name(telling, name, column);
    telling->p = encode_not_kept(telling->p, why);
}

static void
tell_item(Telling *telling, const char *name, Py_ssize_t column, const Array *array, const char *item)
{
    tell_name(telling, name, column);
    telling->p = arrays_put_item(telling->p, array, item);
}

static void
tell_range(Telling *telling, Py_ssize_t number, const Column *column)
{
    ArrayRange range;
    if (column->has_mask) {
        return;   /* masked items have any value in the array */
    }
    arrays_range(&column->array, &range);
    if (range.least) {
        tell_item(telling, "least", number, &column->array, range.least);
        tell_item(telling, "greatest", number, &column->array, range.greatest);
    }
    if (range.nan) {
        tell_name(telling, "nan", number);
        *telling->p++ = TAG_INT;
        telling->p = put_varint(telling->p, (uint64_t)range.nan << 1);
    }
}

/* Write the label of a column if it is short; columns with other labels have only their number. */
static void
tell_label(Telling *telling, Py_ssize_t number, PyObject *label)
{
    int is_short = label && (PyUnicode_CheckExact(label)
        ? UNICODE_IS_READY(label) && PyUnicode_GET_LENGTH(label) * PyUnicode_KIND(label) <= 40
        : PyLong_CheckExact(label) && LONG_IS_COMPACT(label));
    uint8_t *before = telling->p;
    if (is_short) {
        tell_name(telling, "column", number);
        telling->p = encode(telling->p, label);
        if (!telling->p) {
            telling->p = before;
            telling->count--;
        }
    }
}

static void
tell_column(void *context, Py_ssize_t number, const Column *column)
{
    Telling *telling = context;
    char name[120];
    int has_name = telling->whole->nd == 2;
    if (number < 0 || number >= MOST_COLUMNS || telling->end - telling->p < COLUMN_ROOM + ENDING_ROOM) {
        return;
    }
    tell_label(telling, number, has_name ? column_name(telling->whole, number) : NULL);
    Py_ssize_t shown = has_name ? number : -1;
    arrays_type_name(&column->array, name, sizeof(name));
    if (column->type_name) {
        snprintf(name, sizeof(name), "%.100s", column->type_name);
    }
    tell_text(telling, "dtype", shown, name);
    if (column->not_kept) {
        tell_not_kept(telling, "items", shown, column->not_kept);
    }
    else if (has_name && is_secret(telling->whole, number)) {
        tell_not_kept(telling, "items", shown, "hidden");
    }
    else if (telling->is_read) {
        tell_range(telling, shown, column);
    }
}

static void
tell_shape(Telling *telling)
{
    char text[SHAPE_ROOM] = "(";
    const Whole *whole = telling->whole;
    size_t size = 1;
    if (whole->is_table && whole->nd == 2) {
        snprintf(text, sizeof(text), "(%zd, %zd)", whole->rows, whole->width);
    }
    else if (whole->is_table) {
        snprintf(text, sizeof(text), "(%zd,)", whole->rows);
    }
    else {
        int count = whole->array.nd;
        for (int i = 0; i < count && size < sizeof(text) - 40; i++) {
            size += (size_t)snprintf(text + size, sizeof(text) - size, i ? ", %zd" : "%zd",
                                     whole->array.dimensions[i]);
        }
        snprintf(text + size, sizeof(text) - size, count == 1 ? ",)" : ")");
    }
    tell_text(telling, "shape", -1, text);
}

uint8_t *
summary_put_facts(uint8_t *p, PyObject *object, const uint64_t *hash, uint32_t *count)
{
    Whole whole;
    read_whole(object, &whole);
    Telling telling = {p, p + SUMMARY_ROOM, 0, &whole, hash && !whole.unreadable};
    if (whole.rows >= 0 && !(whole.is_table && whole.unreadable)) {
        tell_shape(&telling);
    }
    if (!whole.is_table || !whole.unreadable) {
        visit_columns(&whole, tell_column, &telling);
    }
    if (whole.unreadable) {
        tell_not_kept(&telling, "items", -1, whole.unreadable);
    }
    else if (hash) {
        tell_name(&telling, "hash", -1);
        *telling.p++ = TAG_INT;
        telling.p = put_varint(telling.p, (*hash & 0xFFFFFFFF) << 1);
    }
    else {
        tell_not_kept(&telling, "hash", -1, "too much to look at then");
    }
    *count = telling.count;
    return telling.p;
}

/* --- items */

typedef struct { uint8_t *p; uint32_t count, most; int has_no_room; } Keeping;

static int
keep_item(void *context, const Array *array, const char *item)
{
    Keeping *keeping = context;
    if (keeping->count == keeping->most) {
        return 1;
    }
    uint8_t *p = arrays_put_item(keeping->p, array, item);
    if (!p) {
        keeping->has_no_room = 1;
        return 1;
    }
    keeping->p = p;
    keeping->count++;
    return 0;
}

typedef struct { Column columns[MOST_COLUMNS]; int is_there[MOST_COLUMNS]; } Collected;

static void
collect(void *context, Py_ssize_t number, const Column *column)
{
    Collected *collected = context;
    if (number >= 0 && number < MOST_COLUMNS) {
        collected->columns[number] = *column;
        collected->is_there[number] = 1;
    }
}

static uint8_t *
put_cell(uint8_t *p, const Whole *whole, const Column *column, int number, Py_ssize_t row)
{
    if (!ring_fits(p, ARRAYS_ITEM_ROOM)) {
        return NULL;
    }
    if (column->not_kept || column->array.unreadable || column->array.nd != 1 || row >= column->array.size) {
        return encode_not_kept(p, "not numpy's");
    }
    if (is_secret(whole, number)) {
        return encode_not_kept(p, "hidden");
    }
    if (column->has_mask && column->mask.nd == 1 && row < column->mask.size
        && column->mask.data[row * column->mask.strides[0]]) {
        return encode_none(p);
    }
    return arrays_put_item(p, &column->array, column->array.data + row * column->array.strides[0]);
}

/* Write the items of a table row by row. */
static uint8_t *
put_cells(uint8_t *p, const Whole *whole, uint32_t most, uint32_t *count, int *has_no_room)
{
    static Collected collected;   /* (too large for the stack of a small thread) */
    memset(collected.is_there, 0, sizeof(collected.is_there));
    visit_columns(whole, collect, &collected);
    for (Py_ssize_t row = 0; row < whole->rows; row++) {
        for (int i = 0; i < whole->width; i++) {
            if (*count == most || i >= MOST_COLUMNS || !collected.is_there[i]) {
                return p;
            }
            uint8_t *next = put_cell(p, whole, &collected.columns[i], i, row);
            if (!next) {
                *has_no_room = 1;
                return p;
            }
            p = next;
            ++*count;
        }
    }
    return p;
}

uint8_t *
summary_put_items(uint8_t *p, PyObject *object, uint32_t *count, int *has_no_room)
{
    Whole whole;
    read_whole(object, &whole);
    uint32_t most = ring.control->most_numbers;
    if (whole.rows * whole.width > (Py_ssize_t)most) {
        most = SAMPLE;
    }
    if (!whole.is_plain) {
        return whole.unreadable ? p : put_cells(p, &whole, most, count, has_no_room);
    }
    Keeping keeping = {p, 0, most, 0};
    arrays_visit(&whole.array, keep_item, &keeping);
    *count = keeping.count;
    *has_no_room = keeping.has_no_room;
    return keeping.p;
}
