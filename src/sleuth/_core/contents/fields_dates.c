/* Readers of dates, times and time zones. */
#include "fields_read.h"

#include <datetime.h>

typedef struct { PyObject_HEAD PyObject *offset, *name; } TimeZone;   /* as in _datetimemodule.c */

#define CHECK(type, size) _Static_assert(sizeof(type) == (size), "not the " #type " of this interpreter")
CHECK(PyDateTime_Date, SIZE_OF_DATE);
CHECK(PyDateTime_DateTime, SIZE_OF_DATETIME);
CHECK(PyDateTime_Time, SIZE_OF_TIME);
CHECK(PyDateTime_Delta, SIZE_OF_TIMEDELTA);
CHECK(TimeZone, SIZE_OF_TIMEZONE);

typedef struct { const char *name; long value; } Number;

static int
visit_numbers(const Number *numbers, LayoutVisit visit, void *context)
{
    for (; numbers->name; numbers++) {
        if (visit_new(PyLong_FromLong(numbers->value), numbers->name, visit, context)) {
            return 1;
        }
    }
    return 0;
}

/* Visit the time zone if there is one, and `fold` if it is not 0. */
static int
visit_zone(int fold, PyObject *zone, LayoutVisit visit, void *context)
{
    if (fold && visit_new(PyLong_FromLong(fold), "fold", visit, context)) {
        return 1;
    }
    return zone ? visit(context, NULL, "tzinfo", zone) : 0;
}

int
read_date(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"year", PyDateTime_GET_YEAR(object)}, {"month", PyDateTime_GET_MONTH(object)},
                        {"day", PyDateTime_GET_DAY(object)}, {NULL}};
    return visit_numbers(numbers, visit, context);
}

int
read_datetime(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"hour", PyDateTime_DATE_GET_HOUR(object)},
                        {"minute", PyDateTime_DATE_GET_MINUTE(object)},
                        {"second", PyDateTime_DATE_GET_SECOND(object)},
                        {"microsecond", PyDateTime_DATE_GET_MICROSECOND(object)}, {NULL}};
    PyDateTime_DateTime *moment = (PyDateTime_DateTime *)object;
    return read_date(object, type, visit, context)
        || visit_numbers(numbers, visit, context)
        || visit_zone(moment->fold, moment->hastzinfo ? moment->tzinfo : NULL, visit, context);
}

int
read_time(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"hour", PyDateTime_TIME_GET_HOUR(object)},
                        {"minute", PyDateTime_TIME_GET_MINUTE(object)},
                        {"second", PyDateTime_TIME_GET_SECOND(object)},
                        {"microsecond", PyDateTime_TIME_GET_MICROSECOND(object)}, {NULL}};
    PyDateTime_Time *time = (PyDateTime_Time *)object;
    return visit_numbers(numbers, visit, context)
        || visit_zone(time->fold, time->hastzinfo ? time->tzinfo : NULL, visit, context);
}

int
read_timedelta(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    Number numbers[] = {{"days", PyDateTime_DELTA_GET_DAYS(object)},
                        {"seconds", PyDateTime_DELTA_GET_SECONDS(object)},
                        {"microseconds", PyDateTime_DELTA_GET_MICROSECONDS(object)}, {NULL}};
    return visit_numbers(numbers, visit, context);
}

int
read_timezone(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    const TimeZone *zone = (const TimeZone *)object;
    (void)PyDateTimeAPI;   /* a variable of the header; its functions are not needed */
    return (zone->offset && visit(context, NULL, "offset", zone->offset))
        || (zone->name && visit(context, NULL, "name", zone->name));
}
