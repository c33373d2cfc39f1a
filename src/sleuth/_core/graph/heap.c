/* What objects contain while the graph is made: which node wrote each part last. */
#include "graph.h"

#include <string.h>

int
graph_room(void **array, size_t *room, size_t wanted, size_t size)
{
    if (wanted < *room) {
        return 0;
    }
    size_t larger = *room ? *room : 64;
    while (larger <= wanted) {
        larger *= 2;
    }
    char *made = PyMem_RawRealloc(*array, larger * size);
    if (made == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memset(made + *room * size, 0, (larger - *room) * size);
    *array = made;
    *room = larger;
    return 0;
}

static size_t
spread(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15u;
    return (size_t)(key ^ key >> 32);
}

/* --- Objects ----------------------------------------------------------------------------------- */

static size_t
object_slot(const Graph *graph, uint64_t id)
{
    size_t mask = graph->object_slots_room - 1, slot = spread(id) & mask;
    while (graph->object_slots[slot] && graph->objects[graph->object_slots[slot] - 1].id != id) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen_objects(Graph *graph)
{
    size_t room = graph->object_slots_room ? graph->object_slots_room * 2 : 1024;
    uint32_t *slots = PyMem_RawCalloc(room, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_RawFree(graph->object_slots);
    graph->object_slots = slots;
    graph->object_slots_room = room;
    for (size_t i = 0; i < graph->object_count; i++) {
        slots[object_slot(graph, graph->objects[i].id)] = (uint32_t)i + 1;
    }
    return 0;
}

static int
ends(const Token *told, const char *text)
{
    size_t length = strlen(text);
    return told->type_length >= length &&
           !memcmp(told->type + told->type_length - length, text, length);
}

static int
begins(const Token *told, const char *text)
{
    size_t length = strlen(text);
    return told->type_length >= length && !memcmp(told->type, text, length);
}

/* Objects whose state is not recorded: code that is given one may change it. */
static uint32_t
kind_of(const Token *told)
{
    static const char *const opaque[] = {"enumerate", "zip", "map", "filter", "reversed", "generator"};
    if (told == NULL || told->type == NULL) {
        return 0;
    }
    if (ends(told, "module") && told->type_length == 6) {
        return OBJ_IS_MODULE;
    }
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        if (told->type_length == strlen(opaque[i]) && ends(told, opaque[i])) {
            return OBJ_IS_OPAQUE;
        }
    }
    return ends(told, "iterator") || begins(told, "itertools.") || begins(told, "_io.") ||
           begins(told, "random.") ? OBJ_IS_OPAQUE : 0;
}

uint32_t
heap_object(Graph *graph, uint64_t token, const Token *told)
{
    if (graph->object_count * 2 >= graph->object_slots_room && widen_objects(graph) < 0) {
        return 0;
    }
    uint64_t id = token >> 2;
    size_t slot = object_slot(graph, id);
    if (graph->object_slots[slot] == 0) {
        if (graph->object_count >= MOST_NODES) {
            PyErr_SetString(PyExc_OverflowError, "the run has too many objects");
            return 0;
        }
        if (graph_room((void **)&graph->objects, &graph->object_room, graph->object_count,
                       sizeof(Obj)) < 0) {
            return 0;
        }
        graph->objects[graph->object_count++] = (Obj){.id = id, .length = -1};
        graph->object_slots[slot] = (uint32_t)graph->object_count;
    }
    Obj *about = &graph->objects[graph->object_slots[slot] - 1];
    if (told && told->type && !(about->flags & OBJ_IS_TYPED)) {
        about->flags |= OBJ_IS_TYPED | kind_of(told);
    }
    return graph->object_slots[slot];
}

/* --- Parts ------------------------------------------------------------------------------------- */

static size_t
cell_slot(const Graph *graph, uint32_t object, uint64_t key)
{
    size_t mask = graph->cell_slots_room - 1, slot = spread(key ^ (uint64_t)object << 37) & mask;
    while (graph->cell_slots[slot]) {
        const Cell *cell = &graph->cells[graph->cell_slots[slot] - 1];
        if (cell->key == key && cell->object == object) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen_cells(Graph *graph)
{
    size_t room = graph->cell_slots_room ? graph->cell_slots_room * 2 : 1024;
    uint32_t *slots = PyMem_RawCalloc(room, sizeof *slots);
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyMem_RawFree(graph->cell_slots);
    graph->cell_slots = slots;
    graph->cell_slots_room = room;
    for (size_t i = 0; i < graph->cell_count; i++) {
        slots[cell_slot(graph, graph->cells[i].object, graph->cells[i].key)] = (uint32_t)i + 1;
    }
    return 0;
}

Cell *
heap_find(Graph *graph, uint32_t object, uint64_t key)
{
    if (graph->cell_slots_room == 0) {
        return NULL;
    }
    uint32_t found = graph->cell_slots[cell_slot(graph, object, key)];
    return found ? &graph->cells[found - 1] : NULL;
}

int
heap_put(Graph *graph, uint32_t object, uint64_t key, uint64_t token, uint32_t node)
{
    if (graph->cell_count * 2 >= graph->cell_slots_room && widen_cells(graph) < 0) {
        return -1;
    }
    size_t slot = cell_slot(graph, object, key);
    if (graph->cell_slots[slot] == 0) {
        if (graph->cell_count >= UINT32_MAX / 4 ||
            graph_room((void **)&graph->cells, &graph->cell_room, graph->cell_count, sizeof(Cell)) < 0) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_OverflowError, "objects of the run have too many parts");
            }
            return -1;
        }
        graph->cells[graph->cell_count++] = (Cell){.key = key, .object = object};
        graph->cell_slots[slot] = (uint32_t)graph->cell_count;
    }
    Cell *cell = &graph->cells[graph->cell_slots[slot] - 1];
    cell->token = token;
    cell->node = node;
    return 0;
}

int
heap_link(Graph *graph, uint32_t object, uint32_t node, uint64_t token)
{
    uint32_t inner = 0;
    if (is_object(token) && (inner = heap_object(graph, token, NULL)) == 0) {
        return -1;
    }
    if (graph->link_count >= UINT32_MAX - 2 ||
        graph_room((void **)&graph->links, &graph->link_room, graph->link_count, sizeof(Link)) < 0) {
        return -1;
    }
    Obj *about = &graph->objects[object - 1];
    graph->links[graph->link_count++] = (Link){.before = about->chain, .node = node,
                                               .when = (uint32_t)graph->count, .inner = inner};
    about->chain = (uint32_t)graph->link_count;
    return 0;
}
