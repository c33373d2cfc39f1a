/* Reads the memory of pandas' data frames, series and indices, without running any of their code.  All
 * pointers are borrowed, and good until other code runs. */
#ifndef SLEUTH_FRAMES_H
#define SLEUTH_FRAMES_H

#include "arrays.h"

/* Tell whether this type is a data frame, series or index, or a class derived from one. */
int frames_has(PyTypeObject *type);
int frames_is_own(PyTypeObject *type);   /* whether pandas defines it, and not the program */

typedef struct {
    PyObject *blocks;         /* a tuple of blocks; NULL: an index, which has `values` */
    PyObject *values;         /* the array of an index */
    PyObject *labels;         /* the index with the names of the columns; NULL: none */
    PyObject *index;          /* the index of the rows; NULL: none */
    Py_ssize_t rows, width;
    int nd, is_index;
    const char *unreadable;   /* why the table can't be read; NULL: it can */
} Table;

typedef struct {
    Array array, mask;
    int has_mask;             /* items where the mask is true are missing */
    uint64_t also;            /* a hash of contents outside of the array */
    const char *not_kept;     /* why its items are not recorded; NULL: they are */
    const char *type_name;    /* the name of its type; NULL: that of the array's items */
} Column;

void frames_read(PyObject *object, Table *table);   /* sets `unreadable` if it can't */
/* Call `visit` for each column, in no order; number -1: a block of an unknown form. */
typedef void (*ColumnVisit)(void *context, Py_ssize_t number, const Column *column);
void frames_visit(const Table *table, ColumnVisit visit, void *context);
/* Read the items of an index as a column; 0: they are not known. */
int frames_labels(PyObject *index, Column *column);
uint64_t frames_index_hash(PyObject *index);   /* objects in it don't count */

#endif
