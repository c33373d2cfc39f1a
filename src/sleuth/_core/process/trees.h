/* Syntax trees that the program has compiled, and the source that is known of a file's name. */
#ifndef SLEUTH_TREES_H
#define SLEUTH_TREES_H

#include "compat.h"

/* A tree as bytes for `record/trees.py` (new reference); NULL without an exception: it is none, or has
 * nodes of the program's own making. */
PyObject *trees_packed(PyObject *tree);
/* What `linecache` has of a file as text (new reference); NULL without an exception: nothing. */
PyObject *trees_cached_source(const char *path);

#endif
