/* Builtin objects that stand for others or are plain values: ranges, views, iterators, dates.
 *
 * Their fields are read as members, as memory, or are the first objects that the garbage collector
 * would visit: none of it runs code of the program.  How far an iterator has gone is told by no field
 * that all versions have.
 */
#include "fields.h"

#include "identity.h"

#include <datetime.h>
#include <structmember.h>

typedef int (*Read)(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context);
typedef struct {
    const char *name;       /* of a type that a module brings, found when one of it is seen */
    PyTypeObject *type;
    Read read;
    const char *names[2];   /* without a reader: of what is visited, in order */
    size_t size;            /* of such an object, where its memory is read; 0: any */
    destructor original;
} FieldType;

/* --- reading */

static int
visit_new(PyObject *value, const char *name, LayoutVisit visit, void *context)
{
    if (!value) {
        PyErr_Clear();
        return 0;
    }
    int is_enough = visit(context, NULL, name, value);   /* (numbers and texts are never kept) */
    Py_DECREF(value);
    return is_enough;
}

static int
read_members(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    for (PyMemberDef *member = type->tp_members; member && member->name; member++) {
        void *place = (char *)object + member->offset;
        if (member->type == T_OBJECT_EX || member->type == T_OBJECT) {
            PyObject *value = *(PyObject **)place;
            if (value && visit(context, NULL, member->name, value)) {
                return 1;
            }
        }
        else if (member->type == T_INT
                 && visit_new(PyLong_FromLong(*(int *)place), member->name, visit, context)) {
            return 1;
        }
    }
    return 0;
}

typedef struct { const char *name; long value; } Number;

static int
visit_numbers(const Number *numbers, PyObject *zone, LayoutVisit visit, void *context)
{
    for (; numbers->name; numbers++) {
        if (visit_new(PyLong_FromLong(numbers->value), numbers->name, visit, context)) {
            return 1;
        }
    }
    return zone ? visit(context, NULL, "tzinfo", zone) : 0;
}

static int
read_date(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"year", PyDateTime_GET_YEAR(object)}, {"month", PyDateTime_GET_MONTH(object)},
                        {"day", PyDateTime_GET_DAY(object)}, {NULL}};
    return visit_numbers(numbers, NULL, visit, context);
}

static int
read_datetime(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"hour", PyDateTime_DATE_GET_HOUR(object)},
                        {"minute", PyDateTime_DATE_GET_MINUTE(object)},
                        {"second", PyDateTime_DATE_GET_SECOND(object)},
                        {"microsecond", PyDateTime_DATE_GET_MICROSECOND(object)}, {NULL}};
    PyDateTime_DateTime *moment = (PyDateTime_DateTime *)object;
    return read_date(object, type, visit, context)
        || visit_numbers(numbers, moment->hastzinfo ? moment->tzinfo : NULL, visit, context);
}

static int
read_time(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"hour", PyDateTime_TIME_GET_HOUR(object)},
                        {"minute", PyDateTime_TIME_GET_MINUTE(object)},
                        {"second", PyDateTime_TIME_GET_SECOND(object)},
                        {"microsecond", PyDateTime_TIME_GET_MICROSECOND(object)}, {NULL}};
    PyDateTime_Time *time = (PyDateTime_Time *)object;
    return visit_numbers(numbers, time->hastzinfo ? time->tzinfo : NULL, visit, context);
}

static int
read_timedelta(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"days", PyDateTime_DELTA_GET_DAYS(object)},
                        {"seconds", PyDateTime_DELTA_GET_SECONDS(object)},
                        {"microseconds", PyDateTime_DELTA_GET_MICROSECONDS(object)}, {NULL}};
    return visit_numbers(numbers, NULL, visit, context);
}

/* --- the types */

static FieldType types[] = {
    {NULL, &PyListIter_Type, NULL, {"over"}},
    {NULL, &PySlice_Type, read_members},
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
    {NULL, &PyRange_Type, read_members},
    {"functools.partial", NULL, read_members},
    {"re.Pattern", NULL, read_members},
    /* (Those without a time zone are shorter: the size of the type is that of one with it.) */
    {"datetime.datetime", NULL, read_datetime, .size = sizeof(PyDateTime_DateTime)},
    {"datetime.date", NULL, read_date, .size = sizeof(PyDateTime_Date)},
    {"datetime.time", NULL, read_time, .size = sizeof(PyDateTime_Time)},
    {"datetime.timedelta", NULL, read_timedelta, .size = sizeof(PyDateTime_Delta)},
};
#define TYPES (sizeof(types) / sizeof(types[0]))
static int is_listening;

static void dies(PyObject *self);

static void
wrap(FieldType *each)
{
    if (each->type && each->type->tp_dealloc != dies) {
        each->original = each->type->tp_dealloc;
        each->type->tp_dealloc = dies;
    }
}

/* A type that a module brings, seen for the first time.  (A class that is written in Python may have
 * any name; most objects are of one, so that is looked at first.) */
static FieldType *
found_now(PyTypeObject *type)
{
    if (!is_listening || identity_base(type) != type || !strchr(type->tp_name, '.')) {
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
    for (size_t i = 0; i < TYPES; i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

static void
dies(PyObject *self)
{
    /* (An instance of a Python class comes to the destructor of what it is made of.) */
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
    (void)PyDateTimeAPI;   /* a variable of the header; its functions are not needed */
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

int
fields_has(PyTypeObject *type)
{
    return (type->tp_dealloc == dies ? find(type) : found_now(type)) != NULL;
}

typedef struct { LayoutVisit visit; void *context; const char *const *names; int count; } Reading;

static int
visit_next(PyObject *value, void *context)
{
    Reading *reading = context;
    if (reading->count == 2 || !reading->names[reading->count]) {
        return 1;
    }
    return reading->visit(reading->context, NULL, reading->names[reading->count++], value);
}

int
fields_visit(PyObject *object, LayoutVisit visit, void *context)
{
    FieldType *found = Py_TYPE(object)->tp_dealloc == dies ? find(Py_TYPE(object)) : NULL;
    if (!found) {
        return 0;
    }
    if (found->read) {
        return found->read(object, found->type, visit, context);
    }
    Reading reading = {visit, context, found->names, 0};
    found->type->tp_traverse(object, visit_next, &reading);
    return 0;
}
