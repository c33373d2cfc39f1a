/* What a segment says of the tree of calls without its calls: how many there are below whom, and which
 * of them go on. */
#ifndef SLEUTH_SUMS_H
#define SLEUTH_SUMS_H

#include "packed.h"

/* New bytes: see `sums` in docs/reference/trace-format.md. */
PyObject *pack_sums(const PackedCall *calls, size_t count, uint32_t first_call);

#endif
