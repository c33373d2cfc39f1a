/* Events as columns: for whoever needs a million of them. */
#ifndef SLEUTH_COLUMNS_H
#define SLEUTH_COLUMNS_H

#include "scan.h"

extern PyMethodDef columns_functions[];

#endif
