/* Code that the program compiles while it runs. */
#ifndef SLEUTH_DYNAMIC_H
#define SLEUTH_DYNAMIC_H

#include "compat.h"

int dynamic_install(void);

/* A loader is about to be asked for a module's code; `name` is NULL if what it has compiled is asked
 * about elsewhere.  Gives what was said before, for `dynamic_loaded`. */
typedef struct { PyThreadState *state; const char *name; } Loading;
Loading dynamic_loading(const char *name);
void dynamic_loaded(Loading before);

#endif
