/* What a recorded code object looks like without its probes: its plain twin. */
#ifndef SLEUTH_TWINS_H
#define SLEUTH_TWINS_H

#include "compat.h"

/* A unit of plain code; `is_own` is 0 for an instruction that the plain code does not have. */
typedef struct { int unit, is_own; } PlainUnit;

int twins_start(void);
/* Give a code object the twin that is packed at `at`; gives where the next one begins, or NULL. */
const uint8_t *twins_attach(PyCodeObject *code, const uint8_t *at, const uint8_t *end);
/* Whether the code has probes that its readers are not shown. */
int twins_has(PyObject *code);
/* The code as its readers see it, borrowed: itself if it has no probes; NULL with an exception. */
PyObject *twins_plain(PyObject *code);
/* The same with all code inside it: nothing of it is recorded (new reference). */
PyObject *twins_plain_throughout(PyObject *code);
/* Code with the probes of `code` that looks like `plain` to its readers (new reference). */
PyObject *twins_like(PyObject *code, PyObject *plain);
/* Where an instruction of the code that runs stands in the code that is seen, and the reverse. */
PlainUnit twins_seen(PyObject *code, int unit);
int twins_running(PyObject *code, int unit);
/* The instructions of the code that is seen, in the special forms that they have where they run; the
 * two code objects say which (both stolen, or NULL with an exception). */
PyObject *twins_specialised(PyObject *code, PyObject *running, PyObject *seen);
/* Code that the program has made itself: what can only be recorded as a part of recorded code is plain
 * in it.  Gives the code (stolen) or NULL with an exception. */
PyObject *twins_made_by_program(PyObject *code);
/* Whether this is the first time that somebody asks. */
int twins_is_first_change(PyObject *code);

#endif
