/* Which names say that a value is a secret. */
#ifndef SLEUTH_SECRET_NAMES_H
#define SLEUTH_SECRET_NAMES_H

#include "compat.h"

typedef struct { int kind; const void *data; Py_ssize_t length; } Name;   /* as PyUnicode_READ takes it */

int secret_names_has(Name name);
int secret_names_has_utf8(const char *text, size_t size);
Py_ssize_t secret_names_shortest(void);   /* no shorter name is a secret */

int secret_names_init(PyObject *module);  /* the function `hides`, for the collector */

#endif
