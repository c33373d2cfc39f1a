/* The rule by which a name means a secret. */
#ifndef SLEUTH_SECRET_NAMES_H
#define SLEUTH_SECRET_NAMES_H

#include "compat.h"

typedef struct { int kind; const void *data; Py_ssize_t length; } Name;   /* as PyUnicode_READ takes it */

/* Tell whether a name means a secret; true as well if there is no memory to find out. */
int secret_names_has(Name name);
int secret_names_has_utf8(const char *text, size_t size);
Py_ssize_t secret_names_shortest(void);   /* the length of the shortest listed name; loads the list */

int secret_names_init(PyObject *module);  /* add the function `hides`, for the collector; 0, or -1 */

#endif
