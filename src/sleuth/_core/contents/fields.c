/* The fields of some builtin objects: ranges, views, iterators, dates, decimals.
 *
 * They are read as members, from memory, or as the first objects that tp_traverse visits: none of this runs
 * code of the program.  How far an iterator has gone is not recorded: not all versions have a field for it.
 * Instances of classes derived from these types have the fields, too.
 */
#include "fields.h"

#include "fields_read.h"
#include "identity.h"

typedef struct {
    const char *name;       /* of a type that belongs to a module; found when an object of it is met */
    PyTypeObject *type;
    Read *read;
    const char *names[2];   /* without a reader: names for the objects that tp_traverse visits */
    size_t size;            /* expected size of an object, if its memory is read; 0: any */
    int is_fixed;           /* objects of exactly this type can't change */
    int layout;             /* 0: its contents are attributes */
    destructor original;
} FieldType;

static FieldType types[] = {
    {NULL, &PyListIter_Type, NULL, {"over"}},
    {NULL, &PySlice_Type, read_members, .is_fixed = 1},
    {NULL, &PyTupleIter_Type, NULL, {"over"}},
    {NULL, &PyEnum_Type, NULL, {"over"}},
    {NULL, &PyZip_Type, NULL, {"over"}},
    {NULL, &PyMap_Type, NULL, {"over", "function"}},
    {NULL, &PyFilter_Type, NULL, {"over", "function"}},
    {NULL, &PyReversed_Type, NULL, {"over"}},
    {NULL, &PyListRevIter_Type, NULL, {"over"}},
    {NULL, &PyUnicodeIter_Type, NULL, {"over"}},
    {NULL, &PyDictIterKey_Type, NULL, {"over"}},
    {NULL, &PyDictIterValue_Type, NULL, {"over"}},
    {NULL, &PyDictIterItem_Type, NULL, {"over"}},
    {NULL, &PyDictKeys_Type, NULL, {"of"}},
    {NULL, &PyDictValues_Type, NULL, {"of"}},
    {NULL, &PyDictItems_Type, NULL, {"of"}},
    {NULL, &PyDictProxy_Type, NULL, {"of"}},
    {NULL, &PyRange_Type, read_members, .is_fixed = 1},
    {NULL, &PyMemoryView_Type, .layout = LAYOUT_ARRAY},
    {"types.SimpleNamespace"},   /* has attributes like instances of Python classes */
    {"functools.partial", NULL, read_members},
    {"re.Pattern", NULL, read_members, .is_fixed = 1},
    {"re.Match", NULL, read_match, .size = SIZE_OF_MATCH, .is_fixed = 1},
    {"decimal.Decimal", NULL, read_decimal, .size = SIZE_OF_DECIMAL, .is_fixed = 1},
    {"operator.itemgetter", NULL, NULL, {"item"}},
    {"operator.attrgetter", NULL, NULL, {"attr"}},
    {"array.array", .size = SIZE_OF_ARRAY, .layout = LAYOUT_ARRAY},
    {"datetime.datetime", NULL, read_datetime, .size = SIZE_OF_DATETIME, .is_fixed = 1},
    {"datetime.date", NULL, read_date, .size = SIZE_OF_DATE, .is_fixed = 1},
    {"datetime.time", NULL, read_time, .size = SIZE_OF_TIME, .is_fixed = 1},
    {"datetime.timedelta", NULL, read_timedelta, .size = SIZE_OF_TIMEDELTA, .is_fixed = 1},
    {"datetime.timezone", NULL, read_timezone, .size = SIZE_OF_TIMEZONE, .is_fixed = 1},
    {"zoneinfo.ZoneInfo", NULL, read_members, .is_fixed = 1},
};
#define TYPES (sizeof(types) / sizeof(types[0]))
static int is_listening;

/* --- finding */

static void dies(PyObject *self);

static void
wrap(FieldType *each)
{
    if (each->type && each->type->tp_dealloc != dies) {
        each->original = each->type->tp_dealloc;
        each->type->tp_dealloc = dies;
    }
}

/* Find the row of a type that belongs to a module and is met for the first time; NULL: there is none. */
static FieldType *
found_now(PyTypeObject *type)
{
    if (!is_listening || !strchr(type->tp_name, '.')) {
        return NULL;
    }
    for (size_t i = 0; i < TYPES; i++) {
        FieldType *each = &types[i];
        if (each->name && !each->type && strcmp(type->tp_name, each->name) == 0
            && (!each->size || type->tp_basicsize == (Py_ssize_t)each->size)) {
            each->type = type;
            wrap(each);
            return each;
        }
    }
    return NULL;
}

static FieldType *
find(PyTypeObject *type)
{
    static FieldType *cache[64];
    FieldType **slot = &cache[((uintptr_t)type >> 5) % 64];
    if (*slot && (*slot)->type == type) {
        return *slot;
    }
    for (size_t i = 0; i < TYPES; i++) {
        if (types[i].type == type) {
            return *slot = &types[i];
        }
    }
    return NULL;
}

/* Return the row of a type's builtin base; NULL: there is none.  (Classes written in Python are skipped,
 * since they may have any name.  Most objects have the base `object`, so that is checked first.) */
static FieldType *
made_of(PyTypeObject *type)
{
    PyTypeObject *base = identity_base(type);
    return base == &PyBaseObject_Type ? NULL : base->tp_dealloc == dies ? find(base) : found_now(base);
}

/* --- objects that die */

static void
dies(PyObject *self)
{
    /* (An instance of a Python class comes to the destructor of its builtin base.) */
    FieldType *found = NULL;
    for (PyTypeObject *type = Py_TYPE(self); !found; type = type->tp_base) {
        found = find(type);
    }
    known_remove(self);
    found->original(self);
}

void
fields_listen(void)
{
    is_listening = 1;
    for (size_t i = 0; i < TYPES; i++) {
        wrap(&types[i]);
    }
}

void
fields_stop(void)
{
    is_listening = 0;
    for (size_t i = 0; i < TYPES; i++) {
        if (types[i].type && types[i].type->tp_dealloc == dies) {
            types[i].type->tp_dealloc = types[i].original;
        }
    }
}

void
fields_forget_type(PyTypeObject *type)
{
    for (size_t i = 0; i < TYPES && (type->tp_flags & Py_TPFLAGS_HEAPTYPE); i++) {
        if (types[i].type == type) {
            types[i].type = NULL;
        }
    }
}

/* --- reading */

int
fields_layout(PyTypeObject *type)
{
    FieldType *found = made_of(type);
    return !found ? 0 : found->layout ? found->layout : LAYOUT_ATTRIBUTES;
}

int
fields_are_fixed(PyTypeObject *type)
{
    FieldType *found = type->tp_dealloc == dies ? find(type) : NULL;
    return found && found->is_fixed;
}

typedef struct {
    LayoutVisit visit;
    void *context;
    const FieldType *type;
    int count;
} Reading;

static int
visit_next(PyObject *value, void *context)
{
    Reading *reading = context;
    if (value == (PyObject *)reading->type->type) {
        return 0;   /* (objects of a heap type visit their type, too) */
    }
    if (reading->count == 2 || !reading->type->names[reading->count]) {
        return 1;
    }
    return reading->visit(reading->context, NULL, reading->type->names[reading->count++], value);
}

int
fields_visit(PyObject *object, LayoutVisit visit, void *context)
{
    FieldType *found = made_of(Py_TYPE(object));
    if (!found) {
        return 0;
    }
    if (!found->read && !found->names[0]) {
        return 0;
    }
    if (Py_TYPE(object) != found->type
        && visit_new(PyUnicode_FromString(found->type->tp_name), "made from", visit, context)) {
        return 1;
    }
    if (found->read) {
        return found->read(object, found->type, visit, context);
    }
    Reading reading = {visit, context, found, 0};
    if (found->type->tp_traverse) {
        found->type->tp_traverse(object, visit_next, &reading);
    }
    return 0;
}
