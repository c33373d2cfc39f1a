/* How near the operations of a run are to a value: the steps from it back to each of them. */
#include "graph.h"

#include <string.h>

#define FAR UINT16_MAX

typedef struct {
    const Graph *graph;
    uint16_t *steps;  /* of nodes: FAR if it is not in the slice */
    uint16_t *asked;  /* of objects: the steps at which all their parts were taken */
    uint32_t *inner;  /* objects whose parts are taken next */
    size_t inner_count, inner_room;
    uint32_t risk;    /* link + 1 of the next decision that is not taken yet */
    int is_wrong;
} Near;

static void
come(Near *near, uint32_t node, unsigned steps)
{
    if (node && node <= near->graph->count && steps < near->steps[node]) {
        near->steps[node] = (uint16_t)(steps < FAR ? steps : FAR - 1);
    }
}

static void
want(Near *near, uint32_t object, unsigned steps, int is_shallow)
{
    if (object >= near->graph->object_count || near->asked[object] <= steps) {
        return;
    }
    near->asked[object] = (uint16_t)steps;
    if (graph_room((void **)&near->inner, &near->inner_room, near->inner_count, sizeof(uint32_t)) < 0) {
        near->is_wrong = 1;
        return;
    }
    near->inner[near->inner_count++] = object | (is_shallow ? EDGE_SHALLOW : 0);
}

/* Take all writes of an object before a node, and what is in it.  An object that was taken from a later node
 * with no more steps has taken them all already. */
static void
take(Near *near, uint32_t object, uint32_t when, unsigned steps, int is_shallow)
{
    const Graph *graph = near->graph;
    want(near, object, steps, is_shallow);
    while (near->inner_count && !near->is_wrong) {
        uint32_t next = near->inner[--near->inner_count];
        const Obj *about = &graph->objects[next & ~EDGE_SHALLOW];
        if (about->base < when) {
            come(near, about->base, steps);
        }
        for (uint32_t at = about->chain; at; at = graph->links[at - 1].before) {
            const Link *link = &graph->links[at - 1];
            if (link->when >= when) {
                continue;
            }
            come(near, link->node, steps);
            if (link->inner && !(next & EDGE_SHALLOW)) {
                want(near, link->inner - 1, steps, 0);
            }
        }
    }
}

static void
take_risks(Near *near, uint32_t when, uint32_t low, unsigned steps)
{
    while (near->risk) {
        const Link *link = &near->graph->links[near->risk - 1];
        if (link->node < when) {
            if (link->node <= low) {
                return;
            }
            come(near, link->node, steps);
        }
        near->risk = link->before;
    }
}

/* Go on from a node to those it depends on.  Copies take no step; what decided it, and what could have changed
 * it, takes one more. */
static void
pass(Near *near, uint32_t node)
{
    const Graph *graph = near->graph;
    size_t start = graph->edges_at[node];
    size_t end = node < graph->count ? graph->edges_at[node + 1] : graph->edge_count;
    unsigned steps = near->steps[node] + !(graph->ops[node] & NODE_IS_COPY);
    for (size_t i = start; i < end; i++) {
        uint32_t edge = graph->edges[i], to = edge & ~EDGE_TAG;
        switch (edge & EDGE_TAG) {
        case 0:
            come(near, to, steps + (i == start));
            break;
        case EDGE_CODE:
            break;
        case EDGE_RELEVANT:
            if (to == 0 && ++i < end) {
                take_risks(near, node, graph->edges[i] & ~EDGE_TAG, steps + 2);
            } else {
                come(near, to, steps + 2);
            }
            break;
        default:
            take(near, to & ~EDGE_SHALLOW, node, steps, (to & EDGE_SHALLOW) != 0);
            break;
        }
    }
}

static int
begin(Near *near, PyObject *nodes, PyObject *objects)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i++) {
        unsigned long node = PyLong_AsUnsignedLong(PyList_GET_ITEM(nodes, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        come(near, node <= near->graph->count ? (uint32_t)node : 0, 0);
    }
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(objects); i++) {
        unsigned long object = PyLong_AsUnsignedLong(PyList_GET_ITEM(objects, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        take(near, (uint32_t)object, (uint32_t)near->graph->count + 1, 0, 0);
    }
    return 0;
}

/* A row for each run of nodes of one call between two of its events that is in the slice. */
static PyObject *
rows(const Near *near)
{
    const Graph *graph = near->graph;
    PyObject *made = NULL;
    uint64_t *at = NULL;
    for (int is_counted = 0; is_counted < 2; is_counted++) {
        size_t count = 0;
        for (size_t r = 0; r < graph->run_count; r++) {
            size_t stop = r + 1 < graph->run_count ? graph->runs[r + 1].node : graph->count + 1;
            uint64_t least = FAR, ran = 0;
            for (size_t node = graph->runs[r].node; node < stop; node++) {
                if (near->steps[node] < FAR && !(graph->ops[node] & NODE_IS_COPY)) {
                    least = near->steps[node] < least ? near->steps[node] : least;
                    ran++;
                }
            }
            if (ran && at) {
                uint64_t row[4] = {graph->runs[r].call, graph->runs[r].moment, least, ran};
                memcpy(at + 4 * count, row, sizeof row);
            }
            count += ran > 0;
        }
        if (!is_counted) {
            made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * 4 * sizeof(uint64_t)));
            if (made == NULL) {
                return NULL;
            }
            at = (uint64_t *)PyBytes_AS_STRING(made);
        }
    }
    return made;
}

const char near_rows_doc[] = PyDoc_STR("near(nodes, objects) -> bytes\n\n"
"How many steps lead from some nodes and objects back to each part of the relevant slice. A row of four numbers of\n"
"64 bits for each run of operations of one call: the call, the moment of the event before, the least number of steps,\n"
"and how many operations are in the slice. Copies are not counted.");

PyObject *
near_rows(Graph *graph, PyObject *args)
{
    PyObject *nodes, *objects, *made = NULL;
    Near near = {.graph = graph};
    if (!PyArg_ParseTuple(args, "O!O!:near", &PyList_Type, &nodes, &PyList_Type, &objects)) {
        return NULL;
    }
    near.steps = PyMem_RawMalloc((graph->count + 1) * sizeof(uint16_t));
    near.asked = PyMem_RawMalloc((graph->object_count + 1) * sizeof(uint16_t));
    if (near.steps == NULL || near.asked == NULL) {
        PyErr_NoMemory();
    } else {
        memset(near.steps, 0xFF, (graph->count + 1) * sizeof(uint16_t));
        memset(near.asked, 0xFF, (graph->object_count + 1) * sizeof(uint16_t));
        uint32_t risks = heap_object(graph, RISKS_TOKEN, NULL);
        near.risk = risks && risks <= graph->object_count ? graph->objects[risks - 1].chain : 0;
        if (begin(&near, nodes, objects) == 0) {
            for (size_t node = graph->count; node && !near.is_wrong; node--) {
                if (near.steps[node] < FAR) {
                    pass(&near, (uint32_t)node);
                }
            }
            made = near.is_wrong ? NULL : rows(&near);
        }
    }
    PyMem_RawFree(near.steps);
    PyMem_RawFree(near.asked);
    PyMem_RawFree(near.inner);
    return made;
}
