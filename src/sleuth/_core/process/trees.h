/* Packs syntax trees that the program has compiled, and finds the source of a file in linecache. */
#ifndef SLEUTH_TREES_H
#define SLEUTH_TREES_H

#include "compat.h"

/* Return a tree as bytes for `record/trees.py` (new reference).  NULL without an exception: it is no
 * tree, has nodes of the program's own classes, or is too large. */
PyObject *trees_packed(PyObject *tree);
/* Return the text of a file in `linecache` (new reference); NULL without an exception: it is not there. */
PyObject *trees_cached_source(const char *path);

#endif
