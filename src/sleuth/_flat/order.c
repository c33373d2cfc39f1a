/* Numbers the nodes of a tree in preorder. */
#include "order.h"

#include <string.h>

const char preorder_doc[] = PyDoc_STR("preorder(parents, numbers, ends, depths)\n\n"
"Number the nodes of a tree in preorder, siblings in their given order. All are buffers of int32,\n"
"filled in the given order: parents[i] < i is given (-1 only for i = 0), the rest is written.");

/* Fill numbers, ends and depths; -1: a parent stands behind its child.  `ends` first holds the sizes of the
 * subtrees, and `depths` the next free number in each subtree. */
static int
number_all(const int32_t *parents, int32_t *numbers, int32_t *ends, int32_t *depths, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i == 0 ? parents[i] != -1 : parents[i] < 0 || parents[i] >= i) {
            return -1;
        }
        ends[i] = 1;
    }
    for (Py_ssize_t i = n - 1; i > 0; i--) {
        ends[parents[i]] += ends[i];
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        int32_t number = 0;
        if (i > 0) {
            number = depths[parents[i]];
            depths[parents[i]] += ends[i];
        }
        numbers[i] = number;
        depths[i] = number + 1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        ends[i] += numbers[i];
        depths[i] = i == 0 ? 0 : depths[parents[i]] + 1;
    }
    return 0;
}

PyObject *
preorder(PyObject *module, PyObject *args)
{
    Py_buffer parents, numbers, ends, depths;
    if (!PyArg_ParseTuple(args, "y*w*w*w*:preorder", &parents, &numbers, &ends, &depths)) {
        return NULL;
    }
    int failed = 1;
    if (parents.len % 4 || numbers.len != parents.len || ends.len != parents.len ||
        depths.len != parents.len) {
        PyErr_SetString(PyExc_ValueError, "the buffers differ in length");
    } else if (number_all(parents.buf, numbers.buf, ends.buf, depths.buf, parents.len / 4) < 0) {
        PyErr_SetString(PyExc_ValueError, "a parent stands behind its child");
    } else {
        failed = 0;
    }
    PyBuffer_Release(&parents);
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&depths);
    if (failed) {
        return NULL;
    }
    Py_RETURN_NONE;
}
