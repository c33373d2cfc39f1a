/* The fields of some builtin objects: ranges, views, iterators, dates, decimals. */
#ifndef SLEUTH_FIELDS_H
#define SLEUTH_FIELDS_H

#include "layout.h"

/* Return the layout of objects of this type or a derived one; 0: it has no such fields.  If it has, the death
 * of its objects is noticed. */
int fields_layout(PyTypeObject *type);
/* Tell whether objects of exactly this type never change. */
int fields_are_fixed(PyTypeObject *type);
/* Visit the fields of an object as attributes, with names as C strings.  Nonzero: the visitor has stopped. */
int fields_visit(PyObject *object, LayoutVisit visit, void *context);

void fields_listen(void);   /* wrap the destructors of these types */
void fields_stop(void);     /* restore them */
void fields_forget_type(PyTypeObject *type);   /* a type dies; another one may get its name */

#endif
