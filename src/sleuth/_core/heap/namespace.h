/* The globals of recorded modules, which any code may set. */
#ifndef SLEUTH_NAMESPACE_H
#define SLEUTH_NAMESPACE_H

#include "compat.h"

/* A module's body begins: watch its globals from now on, as those of this module (the number of its first
 * function), and write them.  `is_modest`: not if they are those of another module already. */
void namespace_begin(PyObject *globals, uint32_t module, int is_modest);
/* Return the object id of these globals; 0: they are not those of a recorded module. */
uint64_t namespace_id(PyObject *globals);
/* Tell whether these are the globals of this module. */
int namespace_is_of(PyObject *globals, uint32_t module);
/* A call begins or ends: if other code has set globals since, write them. */
void namespace_check(PyObject *globals);
/* Code that is not recorded got the module or its globals, which are alive: if it has set globals, write
 * them.  False: they are not those of a recorded module. */
int namespace_look(PyObject *globals, uint64_t place);
/* Recorded code of a module is about to set a global (NULL: delete it); namespace_check comes first. */
void namespace_store(PyObject *globals, PyObject *name, PyObject *value, uint32_t module);
/* Recorded code is about to set a name there without an event: the next check compares. */
void namespace_note_set(PyObject *globals);
/* Before other code may run: the latest namespace_store is done, so the new version is due to it. */
void namespace_settle(void);
/* Begin another trace: write the globals of each module again when one of its calls begins. */
void namespaces_begin_anew(void);

#endif
