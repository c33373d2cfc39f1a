/* Names that are looked up again and again: each is made once and kept for good. */
#ifndef SLEUTH_NAMES_H
#define SLEUTH_NAMES_H

#include "compat.h"

/* The name, borrowed from where it is kept; NULL: there is no memory. */
static inline PyObject *
kept_name(PyObject **kept, const char *text)
{
    if (!*kept && !(*kept = PyUnicode_InternFromString(text))) {
        PyErr_Clear();
    }
    return *kept;
}

/* What the type or its bases have under the name, borrowed; NULL: nothing. */
static inline PyObject *
find_in_type(PyTypeObject *type, PyObject **kept, const char *text)
{
    PyObject *name = kept_name(kept, text);
    return name ? _PyType_Lookup(type, name) : NULL;
}

#endif
