/* Changes that are made by code that is not recorded. */
#ifndef SLEUTH_EFFECTS_H
#define SLEUTH_EFFECTS_H

#include "thread.h"

/* The topmost call is about to call something: the slots hold the callee and `count` arguments; `unpacks`: a
 * tuple with the arguments.  Write the changes that are certain, and list the objects that may change. */
void effects_of_call(Thread *thread, PyObject **slots, int count, int unpacks);
/* Code that is not recorded may change this object, or these globals of a module, before the next event. */
void effects_on(Thread *thread, Activation *activation, PyObject *object);
void effects_on_globals(Thread *thread, PyObject *globals);
/* That code has returned: compare the listed objects, and write what has changed. */
void effects_settle(Thread *thread, Activation *activation);

#endif
