/* The plain twins of recorded code: the same code without probes, which readers are shown. */
#ifndef SLEUTH_TWINS_H
#define SLEUTH_TWINS_H

#include "compat.h"

/* The unit of plain code for a unit of recorded code; `is_own` is 0 for an inserted instruction. */
typedef struct { int unit, is_own; } PlainUnit;

int twins_start(void);   /* 0, or -1: no extra data is available */
/* Give a code object the twin that is packed at `at`; return where the next one begins.  NULL: the data is
 * damaged, or there is no memory (with an exception). */
const uint8_t *twins_attach(PyCodeObject *code, const uint8_t *at, const uint8_t *end);
/* Tell whether a code object has a twin: it is recorded. */
int twins_has(PyObject *code);
/* Return the code that readers are shown, borrowed: the twin, or the code itself if it has none.  NULL
 * with an exception. */
PyObject *twins_plain(PyObject *code);
/* Return the same with plain code inside it, too (new reference), or NULL with an exception. */
PyObject *twins_plain_throughout(PyObject *code);
/* Make code with the probes of `code` and the twin `plain` (new reference), or NULL with an exception. */
PyObject *twins_like(PyObject *code, PyObject *plain);
/* Map a unit of the code that runs to the twin, and the reverse. */
PlainUnit twins_seen(PyObject *code, int unit);
int twins_running(PyObject *code, int unit);
/* Return the bytes of the twin's instructions, specialised as they are in the code that runs (new reference).
 * `running` and `seen` are the bytes of both codes; their references are taken.  NULL with an exception. */
PyObject *twins_specialised(PyObject *code, PyObject *running, PyObject *seen);
/* For code that the program has made itself: replace recorded comprehensions in it by plain ones, since
 * they can only be recorded inside recorded code.  Takes the reference and returns it, or NULL with an
 * exception. */
PyObject *twins_made_by_program(PyObject *code);
/* Return true the first time it is called for recorded code. */
int twins_is_first_change(PyObject *code);

#endif
