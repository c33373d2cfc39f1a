/* Finds the parents in the tree of calls that ran elsewhere, since they can end later than their
 * starters.
 *
 * * Each node has a link to the nearest node above it that ended later.  Along this chain the ends only
 * grow, so with jumps over many nodes (chosen as in a skew-binary list) a place in the chain is found in
 * logarithmic time, however deep the tree is.
 */
#include "hang.h"

const char hang_doc[] = PyDoc_STR("hang(parents, ends, is_elsewhere, above)\n\n"
"Write to `above` the parent of each node in the tree: its own parent; for a node that ran elsewhere\n"
"the nearest node above it that ended no earlier. Buffers of int32, int64 (last moments), bool,\n"
"int32. parents[i] < i (-1 only for i = 0), and no node ends after node 0.");

typedef struct {
    int32_t next, jump, depth;
} Later;

/* Return the first node of the chain, from `node` on, that ends at `moment` or later. */
static int32_t
reaching(const Later *later, const int64_t *ends, int32_t node, int64_t moment)
{
    while (ends[node] < moment) {
        int32_t far = later[node].jump;
        node = ends[far] < moment ? far : later[node].next;
    }
    return node;
}

/* Add a node to the chain behind `next`, and choose its jump. */
static void
note(Later *later, int32_t node, int32_t next)
{
    const Later *above = &later[next], *far = &later[above->jump];
    int is_even = above->depth - far->depth == far->depth - later[far->jump].depth;
    later[node] = (Later){next, is_even ? far->jump : next, above->depth + 1};
}

static int
hang_all(const int32_t *parents, const int64_t *ends, const uint8_t *is_elsewhere, int32_t *above,
         Py_ssize_t n, Later *later)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        if (i == 0 ? parents[i] != -1 : parents[i] < 0 || parents[i] >= i || ends[i] > ends[0]) {
            return -1;
        }
        above[i] = parents[i];
        if (i == 0) {
            continue;   /* the chain ends with the root */
        }
        if (is_elsewhere[i]) {
            above[i] = reaching(later, ends, parents[i], ends[i]);
        }
        int32_t next = ends[i] < ends[0] ? reaching(later, ends, parents[i], ends[i] + 1) : 0;
        note(later, (int32_t)i, next);
    }
    return 0;
}

PyObject *
hang(PyObject *module, PyObject *args)
{
    Py_buffer parents, ends, is_elsewhere, above;
    if (!PyArg_ParseTuple(args, "y*y*y*w*:hang", &parents, &ends, &is_elsewhere, &above)) {
        return NULL;
    }
    Py_ssize_t n = is_elsewhere.len;
    Later *later = PyMem_Calloc((size_t)n + 1, sizeof(Later));
    int failed = 1;
    if (later == NULL) {
        PyErr_NoMemory();
    } else if (parents.len != 4 * n || ends.len != 8 * n || above.len != 4 * n) {
        PyErr_SetString(PyExc_ValueError, "the buffers differ in length");
    } else if (hang_all(parents.buf, ends.buf, is_elsewhere.buf, above.buf, n, later) < 0) {
        PyErr_SetString(PyExc_ValueError, "a parent stands behind its child");
    } else {
        failed = 0;
    }
    PyMem_Free(later);
    PyBuffer_Release(&parents);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&is_elsewhere);
    PyBuffer_Release(&above);
    if (failed) {
        return NULL;
    }
    Py_RETURN_NONE;
}
