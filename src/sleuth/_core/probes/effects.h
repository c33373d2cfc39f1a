/* What code that is not recorded may change. */
#ifndef SLEUTH_EFFECTS_H
#define SLEUTH_EFFECTS_H

#include "thread.h"

/* A call is about to be made: of what lies in these slots, with so many arguments, or with those that a
 * tuple there holds. */
void effects_of_call(Thread *thread, PyObject **slots, int count, int unpacks);
/* Somebody else is about to change an object, or the globals of a module. */
void effects_on(Thread *thread, Activation *activation, PyObject *object);
void effects_on_globals(Thread *thread, PyObject *globals);
/* It has come back: look. */
void effects_settle(Thread *thread, Activation *activation);

#endif
