/* The hooks of the recorder: imports, output, children, the end.  The program sees no difference. */
#ifndef SLEUTH_HOOKS_H
#define SLEUTH_HOOKS_H

#include "compat.h"

int hooks_install(int is_quiet);   /* 0, or -1 with an exception */
/* Replace a C function of a module or type, if it has these flags and `*original` is still NULL.  The
 * function object that the program sees stays the same. */
void hooks_exchange(PyObject *owner, const char *name, int flags, PyCFunction *original,
                    PyCFunction ours);
/* Return the recorded code of a module (new reference).  NULL: it runs plain; there may be an exception,
 * which the caller clears. */
PyObject *hooks_recorded_code(const char *name, const char *path, const char *source, size_t size);
/* The program has ended: tell the collector all loaded modules, also those that no hook has seen.  A pending
 * exception is kept. */
void hooks_list_modules(void);
/* The run ends: tell the collector, wait until the trace is written, print its lines on stderr. */
void hooks_finish(int ending, int status);
/* Tell the collector that a module or function runs unrecorded, and why. */
void hooks_say_plain(const char *name, const char *path, const char *why);

#endif
