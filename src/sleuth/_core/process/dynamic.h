/* Code that the program compiles while it runs. */
#ifndef SLEUTH_DYNAMIC_H
#define SLEUTH_DYNAMIC_H

#include "compat.h"

/* Replace `compile`, `exec` and `eval`; 0, or -1 with an exception. */
int dynamic_install(void);

/* A loader is about to be asked for a module's code; `name` is the module's, or NULL if the code that it
 * compiles is recorded by another way.  Return the previous state, for `dynamic_loaded` afterwards. */
typedef struct { PyThreadState *state; const char *name; } Loading;
Loading dynamic_loading(const char *name);
void dynamic_loaded(Loading before);

#endif
