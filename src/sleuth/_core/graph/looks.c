/* What nodes of a dependence graph read of objects, and how calls ended. */
#include "graph.h"

#include <string.h>

int
look_note(Graph *graph, uint32_t object, uint64_t key)
{
    if (graph_room((void **)&graph->looks, &graph->look_room, graph->look_count, sizeof(Look)) < 0) {
        return -1;
    }
    graph->looks[graph->look_count++] = (Look){.key = key, .node = (uint32_t)graph->count, .object = object};
    return 0;
}

int
look_end(Graph *graph, uint32_t call, uint32_t result)
{
    if (call >= MOST_IDS) {
        return 0;
    }
    if (graph_room((void **)&graph->ends, &graph->end_room, call, sizeof(Ended)) < 0) {
        return -1;
    }
    graph->ends[call] = (Ended){.last = (uint32_t)graph->count, .result = result};
    return 0;
}

const char look_reads_doc[] = PyDoc_STR("reads(marks) -> bytes\n\n"
"What marked nodes read of objects: node, object and key, as three numbers of 64 bits. Of a global the\n"
"object is its slot, and the key 0; where it is not known what was read, the object has all bits.");

PyObject *
look_reads(Graph *graph, PyObject *args)
{
    const uint8_t *marks;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:reads", &marks, &size)) {
        return NULL;
    }
    if ((size_t)size != graph->count + 1) {
        PyErr_SetString(PyExc_ValueError, "these are marks of another graph");
        return NULL;
    }
    size_t count = 0;
    for (size_t i = 0; i < graph->look_count; i++) {
        count += marks[graph->looks[i].node] & 1;
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * 3 * sizeof(uint64_t)));
    if (made == NULL) {
        return NULL;
    }
    char *at = PyBytes_AS_STRING(made);
    for (size_t i = 0; i < graph->look_count; i++) {
        const Look *look = &graph->looks[i];
        if (marks[look->node] & 1) {
            uint64_t object = look->object == 0 ? UINT64_MAX
                            : look->key ? graph->objects[look->object - 1].id : look->object - 1;
            uint64_t row[3] = {look->node, object, look->key};
            memcpy(at, row, sizeof row);
            at += sizeof row;
        }
    }
    return made;
}

const char look_ended_doc[] = PyDoc_STR("ended(call) -> (last, result)\n\n"
"The last node before a call ended, and the node of its result or exception; 0: it did not, or none.");

PyObject *
look_ended(Graph *graph, PyObject *args)
{
    unsigned call;
    if (!PyArg_ParseTuple(args, "I:ended", &call)) {
        return NULL;
    }
    Ended end = call < graph->end_room ? graph->ends[call] : (Ended){0, 0};
    return Py_BuildValue("(II)", end.last, end.result);
}
