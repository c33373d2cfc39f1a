/* The sums of a segment, for the tree of calls: the numbers of calls below each host, by function, and the
 * calls that go on in later segments. */
#ifndef SLEUTH_SUMS_H
#define SLEUTH_SUMS_H

#include "packed.h"

/* Return the sums as bytes (new reference), or NULL with MemoryError; see `sums` in
 * docs/reference/trace-format.md. */
PyObject *pack_sums(const PackedCall *calls, size_t count, uint32_t first_call);

#endif
