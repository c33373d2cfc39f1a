/* Makes `marshal` write plain code, since it leaves the process. */
#ifndef SLEUTH_TWINS_MARSHAL_H
#define SLEUTH_TWINS_MARSHAL_H

#include "compat.h"

void twins_marshal_start(void);   /* hook marshal.dump and marshal.dumps */

#endif
