/* The globals of recorded modules, which anybody may set. */
#ifndef SLEUTH_NAMESPACE_H
#define SLEUTH_NAMESPACE_H

#include "compat.h"

/* A module's body begins: from now on its globals are watched. */
void namespace_begin(PyObject *globals);
/* Its object id, 0 if these are not the globals of a recorded module. */
uint64_t namespace_id(PyObject *globals);
/* A call begins or ends: write what others have set since. */
void namespace_check(PyObject *globals);
/* Code that is not recorded was given the module or its globals; they are alive.  False: no module's. */
int namespace_look(PyObject *globals, uint64_t place);
/* Recorded code is about to set a global (NULL: delete it); check first. */
void namespace_store(PyObject *globals, PyObject *name, PyObject *value);
/* Before code that is not recorded may run: what has changed so far was the store. */
void namespace_settle(void);
/* All are told again, each when a call of its module begins. */
void namespaces_begin_anew(void);

#endif
