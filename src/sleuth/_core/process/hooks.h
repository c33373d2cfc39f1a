/* Where the recorder listens in: imports, output, children, the end.  Nothing visible changes. */
#ifndef SLEUTH_HOOKS_H
#define SLEUTH_HOOKS_H

#include "compat.h"

int hooks_install(int is_quiet);
/* Put ours in the place of a C function of a module or type, if it has these flags; the original is
 * stored where none is yet. */
void hooks_exchange(PyObject *owner, const char *name, int flags, PyCFunction *original,
                    PyCFunction ours);
/* The code to run for a module (new reference): recorded if it can be.  NULL without an error: plain. */
PyObject *hooks_recorded_code(const char *name, const char *path, const char *source, size_t size);
/* The program is done: tell the collector of all modules, also those that no hook has seen. */
void hooks_list_modules(void);
/* The run ends: tell the collector, wait until the trace is whole, say so on stderr. */
void hooks_finish(int ending, int status);
/* Something runs unrecorded: note its name, its file and why. */
void hooks_say_plain(const char *name, const char *path, const char *why);
/* Put our function in the place of one in C with these flags; the object that is called stays. */
void hooks_exchange(PyObject *owner, const char *name, int flags, PyCFunction *original,
                    PyCFunction ours);

#endif
