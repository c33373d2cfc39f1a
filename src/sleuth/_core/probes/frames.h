/* The memory of pandas' frames, series and indices: where their columns lie, found without running any of
 * their code. */
#ifndef SLEUTH_FRAMES_H
#define SLEUTH_FRAMES_H

#include "arrays.h"

/* Is this type one of them? */
int frames_has(PyTypeObject *type);
int frames_is_own(PyTypeObject *type);   /* not made of one by the program */

typedef struct {
    PyObject *blocks;         /* a tuple; NULL: there is just `values` */
    PyObject *values;         /* of an index */
    PyObject *labels;         /* the index with the names of the columns; NULL: it has none */
    PyObject *index;          /* the index of the rows; NULL: it has none */
    Py_ssize_t rows, width;
    int nd, is_index;
    const char *unreadable;   /* why nothing can be read; NULL: it can */
} Table;

typedef struct {
    Array array, mask;
    int has_mask;             /* items where the mask is true are missing */
    uint64_t also;            /* what else makes it what it is */
    const char *not_kept;     /* why its items are not kept; NULL: they are */
    const char *type_name;    /* NULL: that of the array */
} Column;

void frames_read(PyObject *object, Table *table);
/* In no order; each column with its number. */
typedef void (*ColumnVisit)(void *context, Py_ssize_t number, const Column *column);
void frames_visit(const Table *table, ColumnVisit visit, void *context);
/* What an index holds; 0: that is not known. */
int frames_labels(PyObject *index, Column *column);
uint64_t frames_index_hash(PyObject *index);   /* objects count nothing */

#endif
