/* Hides values under names like `password` when they are recorded. */
#ifndef SLEUTH_SECRETS_H
#define SLEUTH_SECRETS_H

#include "compat.h"

/* Tell whether a name means a secret: a text or bytes (other objects never do), or a C string. */
int secret_name(PyObject *name);
int secret_text(const char *name);
/* Write what may be known of a hidden value: its type, its length, and a tag that equal values share.
 * Return the end; NULL: there is no room. */
uint8_t *encode_hidden(uint8_t *p, PyObject *value);

#endif
