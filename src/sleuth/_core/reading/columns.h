/* Events of a segment as columns, for readers that need very many. */
#ifndef SLEUTH_COLUMNS_H
#define SLEUTH_COLUMNS_H

#include "scan.h"

extern PyMethodDef columns_functions[];

#endif
