/* Builtin objects that stand for others or are plain values: ranges, views, iterators, dates. */
#ifndef SLEUTH_FIELDS_H
#define SLEUTH_FIELDS_H

#include "layout.h"

/* Whether objects of exactly this type have fields to read; we are told when one of them dies. */
int fields_has(PyTypeObject *type);
/* Visit its fields, as attributes: names as C strings.  Nonzero: that was enough. */
int fields_visit(PyObject *object, LayoutVisit visit, void *context);

void fields_listen(void);   /* for objects that die */
void fields_stop(void);

#endif
