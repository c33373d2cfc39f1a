/* Names that are looked up often: each text object is made once and kept until the process ends. */
#ifndef SLEUTH_NAMES_H
#define SLEUTH_NAMES_H

#include "compat.h"

/* Return the text object for a name, borrowed; it is kept in `*kept`.  NULL: no memory. */
static inline PyObject *
kept_name(PyObject **kept, const char *text)
{
    if (!*kept && !(*kept = PyUnicode_InternFromString(text))) {
        PyErr_Clear();
    }
    return *kept;
}

/* Return the attribute of a type or its bases with this name, borrowed, without calling descriptors; NULL:
 * there is none. */
static inline PyObject *
find_in_type(PyTypeObject *type, PyObject **kept, const char *text)
{
    PyObject *name = kept_name(kept, text);
    return name ? _PyType_Lookup(type, name) : NULL;
}

#endif
