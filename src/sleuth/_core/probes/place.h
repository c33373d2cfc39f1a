/* Replaces the placeholders in rewritten code by probes. */
#ifndef SLEUTH_PLACE_H
#define SLEUTH_PLACE_H

#include "compat.h"

/* Make the code of a module from the collector's answer to "how shall this module run?".
 * Return the code with its probes (new reference).  NULL without an exception: the module runs plain.
 * NULL with an exception: no memory, or a damaged answer. */
PyObject *place_module(const uint8_t *answer, size_t size);

#endif
