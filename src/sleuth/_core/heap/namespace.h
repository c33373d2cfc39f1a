/* The globals of recorded modules, which anybody may set. */
#ifndef SLEUTH_NAMESPACE_H
#define SLEUTH_NAMESPACE_H

#include "compat.h"

/* A module's body begins: from now on its globals are watched, and are those of this module.  One that
 * is modest leaves them to the module that has them.  Modules are told apart by their first function. */
void namespace_begin(PyObject *globals, uint32_t module, int is_modest);
/* Its object id, 0 if these are not the globals of a recorded module. */
uint64_t namespace_id(PyObject *globals);
/* Whether they are those of this module. */
int namespace_is_of(PyObject *globals, uint32_t module);
/* A call begins or ends: write what others have set since. */
void namespace_check(PyObject *globals);
/* Code that is not recorded was given the module or its globals; they are alive.  False: no module's. */
int namespace_look(PyObject *globals, uint64_t place);
/* Recorded code of a module is about to set a global (NULL: delete it); check first. */
void namespace_store(PyObject *globals, PyObject *name, PyObject *value, uint32_t module);
/* Recorded code is about to set a name there, and tells nothing of it: it is found by comparing. */
void namespace_note_set(PyObject *globals);
/* Before code that is not recorded may run: what has changed so far was the store. */
void namespace_settle(void);
/* All are told again, each when a call of its module begins. */
void namespaces_begin_anew(void);

#endif
