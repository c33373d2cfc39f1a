/* Values under names like `password` are hidden when they are recorded. */
#ifndef SLEUTH_SECRETS_H
#define SLEUTH_SECRETS_H

#include "compat.h"

/* Does this name say that its value is a secret?  A text or bytes; nothing else is a name. */
int secret_name(PyObject *name);
int secret_text(const char *name);
/* Write what may be known of a hidden value: type, length, a tag that equal values share. */
uint8_t *encode_hidden(uint8_t *p, PyObject *value);

#endif
