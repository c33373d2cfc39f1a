/* Builtin objects that stand for others or are plain values: ranges, views, iterators, dates, numbers. */
#ifndef SLEUTH_FIELDS_H
#define SLEUTH_FIELDS_H

#include "layout.h"

/* How objects of this type, or of a class made from one, are read, 0: they have no such fields.  We are
 * told when one of them dies. */
int fields_layout(PyTypeObject *type);
/* Can objects of exactly this type never change? */
int fields_are_fixed(PyTypeObject *type);
/* Visit its fields, as attributes: names as C strings.  Nonzero: that was enough. */
int fields_visit(PyObject *object, LayoutVisit visit, void *context);

void fields_listen(void);   /* for objects that die */
void fields_stop(void);
void fields_forget_type(PyTypeObject *type);   /* it dies; another one may get its name */

#endif
