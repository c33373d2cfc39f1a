/* Put probes where their placeholders stand in a module's code. */
#ifndef SLEUTH_PLACE_H
#define SLEUTH_PLACE_H

#include "compat.h"

/* The answer of the collector to "how shall this module run?".
 * Returns the code with its probes (new reference), or NULL: without an error it runs plain. */
PyObject *place_module(const uint8_t *answer, size_t size);

#endif
