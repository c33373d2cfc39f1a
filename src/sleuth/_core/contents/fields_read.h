/* Readers: functions that visit the fields of a builtin object as attributes.  Nonzero: the visitor has
 * stopped. */
#ifndef SLEUTH_FIELDS_READ_H
#define SLEUTH_FIELDS_READ_H

#include "layout.h"

typedef int Read(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context);

/* fields_read.c */
Read read_members, read_match;
/* fields_dates.c */
Read read_date, read_datetime, read_time, read_timedelta, read_timezone;
/* fields_decimal.c */
Read read_decimal;

/* The sizes of objects whose memory is read, compared with the type's when it is found.  (The size of the
 * type is that with a time zone; objects without one are smaller.) */
enum { SIZE_OF_MATCH = 88, SIZE_OF_DECIMAL = 104, SIZE_OF_DATE = 32, SIZE_OF_DATETIME = 48,
       SIZE_OF_TIME = 40, SIZE_OF_TIMEDELTA = 40, SIZE_OF_TIMEZONE = 32, SIZE_OF_ARRAY = 64 };

/* Visit a number or a text that was made for this, and release it: takes the reference.  NULL: no memory, and
 * nothing is visited. */
int visit_new(PyObject *value, const char *name, LayoutVisit visit, void *context);

#endif
