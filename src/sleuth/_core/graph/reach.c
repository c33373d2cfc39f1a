/* Questions to a dependence graph: what nodes depend on, and what depends on them. */
#include "graph.h"

#include <string.h>

#define MARK_DATA 1
#define MARK_CODE 2

/* --- Where a search begins ----------------------------------------------------------------------- */

const char reach_flush_doc[] = PyDoc_STR("flush(call)\n\n"
"Run the store whose event was the last one of a call, if it is alive.");

PyObject *
reach_flush(Graph *graph, PyObject *args)
{
    unsigned call;
    if (!PyArg_ParseTuple(args, "I:flush", &call)) {
        return NULL;
    }
    Live *live = work_live(graph, call);
    if (live && work_follow(graph, live, LABEL_FLUSH, 0, UINT32_MAX) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

const char reach_variable_doc[] = PyDoc_STR("variable(call, scope, index) -> (node, token, decisions)\n\n"
"The node that set a variable last, its value, and the decisions since that could have set it;\n"
"0: there is none. Scope 1: a slot, 2: a cell,\n"
"3: a global, of any call.");

PyObject *
reach_variable(Graph *graph, PyObject *args)
{
    unsigned call, scope, index;
    if (!PyArg_ParseTuple(args, "III:variable", &call, &scope, &index)) {
        return NULL;
    }
    const Live *live = work_live(graph, call);
    uint32_t node = 0;
    uint64_t token = 0;
    if (scope == SCOPE_GLOBAL && index < graph->globals_room) {
        node = graph->globals[index];
        token = graph->global_tokens[index];
    } else if (scope == SCOPE_SLOT && live && index < live->code->slots) {
        node = live->defined[index];
        token = live->held[index];
    } else if (scope == SCOPE_CELL && live && index < live->code->cells && is_object(live->cells[index])) {
        uint32_t object = heap_object(graph, live->cells[index], NULL);
        const Cell *cell = object ? heap_find(graph, object, KEY_CELL) : NULL;
        node = cell ? cell->node : 0;
        token = cell ? cell->token : 0;
    }
    PyObject *risks = PyList_New(0);
    for (uint32_t i = 0; risks && scope == SCOPE_SLOT && live && index < live->code->slots; i++) {
        uint32_t at = live->code->risks_of[index] + i;
        if (at >= live->code->risks_of[index + 1]) {
            break;
        }
        uint32_t decision = live->last[live->code->risks[at]];
        PyObject *number = PyLong_FromUnsignedLong(decision > node ? decision : 0);
        if (number == NULL || PyList_Append(risks, number) < 0) {
            Py_CLEAR(risks);
        }
        Py_XDECREF(number);
    }
    return risks ? Py_BuildValue("(IKN)", node, (unsigned long long)token, risks) : NULL;
}

const char reach_part_doc[] = PyDoc_STR("part(object, key, back) -> (node, token, is_whole)\n\n"
"The node that wrote a part of an object last; key 0: not known, back: index from the end. is_whole: all parts count.");

PyObject *
reach_part(Graph *graph, PyObject *args)
{
    unsigned long long id, key;
    unsigned back;
    if (!PyArg_ParseTuple(args, "KKI:part", &id, &key, &back)) {
        return NULL;
    }
    uint32_t object = heap_object(graph, id << 2 | 1, NULL);
    if (object == 0) {
        return NULL;
    }
    const Obj *about = &graph->objects[object - 1];
    if (back) {
        key = about->length >= (int64_t)back ? key_of_index(about->length - back) : 0;
    }
    const Cell *cell = key ? heap_find(graph, object, key) : NULL;
    uint32_t since = about->reset > about->base ? about->reset : about->base;
    uint32_t node = cell && cell->node > about->reset ? cell->node : since;
    int is_whole = cell == NULL || about->vague > node;
    return Py_BuildValue("(IKNI)", node, (unsigned long long)(cell ? cell->token : 0), PyBool_FromLong(is_whole),
                         object - 1);
}

const char reach_cell_doc[] = PyDoc_STR("cell(object) -> index\n\nThe index of an object, for `back`.");

PyObject *
reach_cell(Graph *graph, PyObject *args)
{
    unsigned long long id;
    if (!PyArg_ParseTuple(args, "K:cell", &id)) {
        return NULL;
    }
    uint32_t object = heap_object(graph, id << 2 | 1, NULL);
    return object ? PyLong_FromUnsignedLong(object - 1) : NULL;
}

const char reach_result_doc[] = PyDoc_STR("result() -> (call, node)\n\n"
"The call that ended or gave a value last, and the node of its result or exception.");

PyObject *
reach_result(Graph *graph, PyObject *unused)
{
    return Py_BuildValue("(II)", graph->result_call, graph->result);
}

const char reach_outputs_doc[] = PyDoc_STR("outputs() -> list\n\nMoment and node of each output.");

PyObject *
reach_outputs(Graph *graph, PyObject *unused)
{
    PyObject *found = PyList_New(0);
    for (size_t i = 0; found && i < graph->output_count; i++) {
        PyObject *pair = Py_BuildValue("(KI)", (unsigned long long)graph->outputs[i].moment, graph->outputs[i].node);
        if (pair == NULL || PyList_Append(found, pair) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(pair);
    }
    return found;
}

const char reach_size_doc[] = PyDoc_STR("size() -> (nodes, edges, bytes)");

PyObject *
reach_size(Graph *graph, PyObject *unused)
{
    size_t bytes = (graph->ops_room + graph->at_room + graph->edge_room) * 4 +
                   graph->run_room * sizeof(Mark) + graph->link_room * sizeof(Link) +
                   graph->cell_room * sizeof(Cell) + graph->cell_slots_room * 4 +
                   graph->object_room * sizeof(Obj) + graph->live_room * sizeof(Live *);
    return Py_BuildValue("(nnn)", (Py_ssize_t)graph->count, (Py_ssize_t)graph->edge_count, (Py_ssize_t)bytes);
}

/* --- Backwards ----------------------------------------------------------------------------------- */

typedef struct {
    uint32_t when, object, low; /* object: with EDGE_SHALLOW */
} Demand;

typedef struct {
    Graph *graph;
    uint8_t *marks, *asked; /* of nodes; of objects: 1 its own parts, 2 all within it */
    uint32_t *stack;
    size_t depth, stack_room;
    Demand *demands; /* a heap, the latest first */
    size_t demand_count, demand_room;
    uint32_t risk; /* link + 1 of the next decision that is not taken yet */
    int is_relevant;
    int is_wrong;
} Search;

static void
push(Search *search, uint32_t node, uint8_t mark)
{
    if (node == 0 || node > search->graph->count || search->marks[node] & mark || search->marks[node] & MARK_DATA) {
        return;
    }
    search->marks[node] |= mark;
    if (graph_room((void **)&search->stack, &search->stack_room, search->depth, sizeof(uint32_t)) < 0) {
        search->is_wrong = 1;
        return;
    }
    search->stack[search->depth++] = node | (mark == MARK_CODE ? 0x80000000u : 0);
}

static void
demand(Search *search, uint32_t when, uint32_t object, uint32_t low)
{
    if (object != UINT32_MAX) {
        uint32_t index = object & ~EDGE_SHALLOW;
        uint8_t level = object & EDGE_SHALLOW ? 1 : 2;
        if (index >= search->graph->object_count || search->asked[index] >= level) {
            return;
        }
    }
    if (graph_room((void **)&search->demands, &search->demand_room, search->demand_count, sizeof(Demand)) < 0) {
        search->is_wrong = 1;
        return;
    }
    size_t at = search->demand_count++;
    while (at && search->demands[(at - 1) / 2].when < when) {
        search->demands[at] = search->demands[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    search->demands[at] = (Demand){when, object, low};
}

static Demand
latest(Search *search)
{
    Demand found = search->demands[0], last = search->demands[--search->demand_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= search->demand_count) {
            break;
        }
        if (child + 1 < search->demand_count && search->demands[child + 1].when > search->demands[child].when) {
            child++;
        }
        if (search->demands[child].when <= last.when) {
            break;
        }
        search->demands[at] = search->demands[child];
        at = child;
    }
    search->demands[at] = last;
    return found;
}

static size_t
edges_end(const Graph *graph, uint32_t node)
{
    return node < graph->count ? graph->edges_at[node + 1] : graph->edge_count;
}

static void
visit(Search *search, uint32_t node, int is_code)
{
    const Graph *graph = search->graph;
    uint32_t kind = graph->ops[node];
    if (is_code && !(kind & (NODE_IS_COPY | NODE_IS_CODE))) {
        search->marks[node] |= MARK_DATA;
        is_code = 0;
    }
    size_t start = graph->edges_at[node];
    for (size_t i = start; i < edges_end(graph, node); i++) {
        uint32_t edge = graph->edges[i], to = edge & ~EDGE_TAG;
        switch (edge & EDGE_TAG) {
        case 0:
            if (is_code && i != start && kind & NODE_IS_CODE) {
                break;
            }
            push(search, to, is_code && i != start ? MARK_CODE : MARK_DATA);
            break;
        case EDGE_CODE:
            push(search, to, MARK_CODE);
            break;
        case EDGE_RELEVANT:
            if (to == 0) {
                i++;
                if (search->is_relevant && i < graph->edge_count) {
                    demand(search, node, UINT32_MAX, graph->edges[i] & ~EDGE_TAG);
                }
            } else if (search->is_relevant) {
                push(search, to, MARK_DATA);
            }
            break;
        default:
            demand(search, node, to, 0);
            break;
        }
    }
}

/* Take all decisions between two nodes whose other way might have written anything. */
static void
take_risks(Search *search, Demand wanted)
{
    const Graph *graph = search->graph;
    while (search->risk) {
        const Link *link = &graph->links[search->risk - 1];
        if (link->node < wanted.when) {
            if (link->node <= wanted.low) {
                return;
            }
            push(search, link->node, MARK_DATA);
        }
        search->risk = link->before;
    }
}

/* Take all writes of an object before a node, and what is in it. */
static void
take_object(Search *search, Demand wanted)
{
    const Graph *graph = search->graph;
    uint32_t index = wanted.object & ~EDGE_SHALLOW;
    uint8_t level = wanted.object & EDGE_SHALLOW ? 1 : 2;
    if (search->asked[index] >= level) {
        return;
    }
    search->asked[index] = level;
    const Obj *about = &graph->objects[index];
    if (about->base < wanted.when) {
        push(search, about->base, MARK_DATA);
    }
    for (uint32_t at = about->chain; at; at = graph->links[at - 1].before) {
        const Link *link = &graph->links[at - 1];
        if (link->when >= wanted.when) {
            continue;
        }
        push(search, link->node, MARK_DATA);
        if (link->inner && level == 2) {
            demand(search, wanted.when, link->inner - 1, 0);
        }
    }
}

const char reach_back_doc[] = PyDoc_STR("back(nodes, objects, is_relevant) -> bytes\n\n"
"What some nodes, and all that some objects contain, depend on: a byte for each node, bit 0: it belongs\n"
"to the slice. is_relevant: with decisions whose other way might have changed it.");

static int
begin(Search *search, PyObject *nodes, PyObject *objects)
{
    Py_ssize_t count = PyList_GET_SIZE(nodes);
    uint32_t low = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long node = PyLong_AsUnsignedLong(PyList_GET_ITEM(nodes, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        push(search, node <= search->graph->count ? (uint32_t)node : 0, MARK_DATA);
        low = node > low && node <= search->graph->count ? (uint32_t)node : low;
    }
    count = PyList_GET_SIZE(objects);
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long object = PyLong_AsUnsignedLong(PyList_GET_ITEM(objects, i));
        if (PyErr_Occurred()) {
            return -1;
        }
        demand(search, (uint32_t)search->graph->count + 1, (uint32_t)object, 0);
    }
    if (search->is_relevant) {
        demand(search, (uint32_t)search->graph->count + 1, UINT32_MAX, low);
    }
    return 0;
}

PyObject *
reach_back(Graph *graph, PyObject *args)
{
    PyObject *nodes, *objects;
    Search search = {.graph = graph};
    if (!PyArg_ParseTuple(args, "O!O!p:back", &PyList_Type, &nodes, &PyList_Type, &objects, &search.is_relevant)) {
        return NULL;
    }
    PyObject *marks = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)graph->count + 1);
    search.asked = PyMem_RawCalloc(graph->object_count + 1, 1);
    if (marks == NULL || search.asked == NULL) {
        Py_XDECREF(marks);
        PyMem_RawFree(search.asked);
        return PyErr_NoMemory();
    }
    search.marks = (uint8_t *)PyBytes_AS_STRING(marks);
    memset(search.marks, 0, graph->count + 1);
    uint32_t risks = heap_object(graph, RISKS_TOKEN, NULL);
    search.risk = risks && risks <= graph->object_count ? graph->objects[risks - 1].chain : 0;
    int failed = begin(&search, nodes, objects) < 0;
    while (!failed && !search.is_wrong && (search.depth || search.demand_count)) {
        if (search.depth) {
            uint32_t node = search.stack[--search.depth];
            visit(&search, node & 0x7FFFFFFFu, (node & 0x80000000u) != 0 && !(search.marks[node & 0x7FFFFFFFu] & MARK_DATA));
            continue;
        }
        Demand next = latest(&search);
        if (next.object == UINT32_MAX) {
            take_risks(&search, next);
        } else {
            take_object(&search, next);
        }
    }
    PyMem_RawFree(search.asked);
    PyMem_RawFree(search.stack);
    PyMem_RawFree(search.demands);
    if (failed || search.is_wrong) {
        Py_DECREF(marks);
        return NULL;
    }
    return marks;
}

const char reach_looked_doc[] = PyDoc_STR("looked(marks) -> bytes\n\n"
"For each object the last marked node that looked at all its parts, as a number of 32 bits; 0: none.");

PyObject *
reach_looked(Graph *graph, PyObject *args)
{
    const uint8_t *marks;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:looked", &marks, &size)) {
        return NULL;
    }
    if ((size_t)size != graph->count + 1) {
        PyErr_SetString(PyExc_ValueError, "these are marks of another graph");
        return NULL;
    }
    Search search = {.graph = graph};
    Py_ssize_t bytes = (Py_ssize_t)(graph->object_count * sizeof(uint32_t));
    PyObject *made = PyBytes_FromStringAndSize(NULL, bytes);
    search.asked = PyMem_RawCalloc(graph->object_count + 1, 1);
    if (made == NULL || search.asked == NULL) {
        Py_XDECREF(made);
        PyMem_RawFree(search.asked);
        return PyErr_NoMemory();
    }
    uint32_t *last = (uint32_t *)PyBytes_AS_STRING(made);
    memset(last, 0, (size_t)bytes);
    for (uint32_t node = 1; node <= graph->count && !search.is_wrong; node++) {
        for (size_t i = graph->edges_at[node]; marks[node] & MARK_DATA && i < edges_end(graph, node); i++) {
            uint32_t edge = graph->edges[i];
            if ((edge & EDGE_TAG) == EDGE_WHOLE) {
                demand(&search, node, edge & ~EDGE_TAG, 0);
            } else if (edge == EDGE_RELEVANT) {
                i++;
            }
        }
    }
    while (search.demand_count && !search.is_wrong) {
        Demand next = latest(&search);
        uint32_t index = next.object & ~EDGE_SHALLOW;
        uint8_t level = next.object & EDGE_SHALLOW ? 1 : 2;
        if (search.asked[index] >= level) {
            continue;
        }
        search.asked[index] = level;
        last[index] = next.when > last[index] ? next.when : last[index];
        for (uint32_t at = level == 2 ? graph->objects[index].chain : 0; at; at = graph->links[at - 1].before) {
            const Link *link = &graph->links[at - 1];
            if (link->when < next.when && link->inner) {
                demand(&search, next.when, link->inner - 1, 0);
            }
        }
    }
    PyMem_RawFree(search.asked);
    PyMem_RawFree(search.demands);
    if (search.is_wrong) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}

/* --- Forwards ------------------------------------------------------------------------------------ */

static uint32_t
group(uint32_t *groups, uint32_t at)
{
    while (groups[at] != at) {
        groups[at] = groups[groups[at]];
        at = groups[at];
    }
    return at;
}

const char reach_forth_doc[] = PyDoc_STR("forth(nodes, marks) -> bytes\n\n"
"The nodes of a slice that depend on some nodes, in the form of `back`.");

PyObject *
reach_forth(Graph *graph, PyObject *args)
{
    PyObject *nodes;
    const char *within;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "O!y#:forth", &PyList_Type, &nodes, &within, &size)) {
        return NULL;
    }
    if ((size_t)size != graph->count + 1) {
        PyErr_SetString(PyExc_ValueError, "these are marks of another graph");
        return NULL;
    }
    PyObject *made = PyBytes_FromStringAndSize(NULL, size);
    uint32_t *groups = PyMem_RawMalloc((graph->object_count + 1) * sizeof(uint32_t));
    uint8_t *touched = PyMem_RawCalloc(graph->object_count + 1, 1);
    if (made == NULL || groups == NULL || touched == NULL) {
        Py_XDECREF(made);
        PyMem_RawFree(groups);
        PyMem_RawFree(touched);
        return PyErr_NoMemory();
    }
    uint8_t *marks = (uint8_t *)PyBytes_AS_STRING(made);
    memset(marks, 0, (size_t)size);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(nodes); i++) {
        unsigned long node = PyLong_AsUnsignedLong(PyList_GET_ITEM(nodes, i));
        if (!PyErr_Occurred() && node && node <= graph->count) {
            marks[node] = MARK_DATA;
        }
        PyErr_Clear();
    }
    for (size_t i = 0; i < graph->object_count; i++) {
        groups[i] = (uint32_t)i;
    }
    /* Objects within one another count as one: which of them was written is not followed here. */
    uint32_t *owners = PyMem_RawCalloc(graph->link_count + 1, sizeof(uint32_t));
    if (owners == NULL) {
        Py_DECREF(made);
        PyMem_RawFree(groups);
        PyMem_RawFree(touched);
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < graph->object_count; i++) {
        for (uint32_t at = graph->objects[i].chain; at; at = graph->links[at - 1].before) {
            owners[at - 1] = (uint32_t)i;
            if (graph->links[at - 1].inner) {
                groups[group(groups, (uint32_t)i)] = group(groups, graph->links[at - 1].inner - 1);
            }
        }
    }
    size_t link = 0;
    for (uint32_t node = 1; node <= graph->count; node++) {
        for (; link < graph->link_count && graph->links[link].when < node; link++) {
            if (marks[graph->links[link].node]) {
                touched[group(groups, owners[link])] = 1;
            }
        }
        for (size_t i = graph->edges_at[node]; i < edges_end(graph, node) && !marks[node]; i++) {
            uint32_t edge = graph->edges[i], to = edge & ~EDGE_TAG;
            if ((edge & EDGE_TAG) == EDGE_RELEVANT) {
                i += to == 0;
            } else if ((edge & EDGE_TAG) == EDGE_WHOLE) {
                uint32_t object = to & ~EDGE_SHALLOW;
                marks[node] = object < graph->object_count &&
                              (touched[group(groups, object)] || marks[graph->objects[object].base]);
            } else {
                marks[node] = marks[to] != 0;
            }
        }
    }
    for (size_t i = 0; i <= graph->count; i++) {
        marks[i] = marks[i] && within[i] & MARK_DATA ? MARK_DATA : 0;
    }
    PyMem_RawFree(groups);
    PyMem_RawFree(touched);
    PyMem_RawFree(owners);
    return made;
}

/* --- Results ------------------------------------------------------------------------------------- */

const char reach_show_doc[] = PyDoc_STR("show(marks, call=none) -> (ops, calls, unknown)\n\n"
"The operations and the calls of the marked nodes, as bytes: one for each operation or call, 1: it has\n"
"one. Unknown: pairs of the reason and the operation, each once. With a call: only its own nodes.");

PyObject *
reach_show(Graph *graph, PyObject *args)
{
    const uint8_t *marks;
    Py_ssize_t size;
    unsigned only = NO_CALL;
    if (!PyArg_ParseTuple(args, "y#|I:show", &marks, &size, &only)) {
        return NULL;
    }
    if ((size_t)size != graph->count + 1) {
        PyErr_SetString(PyExc_ValueError, "these are marks of another graph");
        return NULL;
    }
    uint32_t most = 0;
    for (size_t i = 0; i < graph->code_room; i++) {
        const Code *code = graph->codes[i];
        if (code && code->ops != UINT32_MAX && code->base + code->ops > most) {
            most = code->base + code->ops;
        }
    }
    PyObject *ops = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)most);
    PyObject *calls = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)graph->next_call);
    PyObject *unknown = PySet_New(NULL);
    int failed = ops == NULL || calls == NULL || unknown == NULL;
    if (!failed) {
        char *op = PyBytes_AS_STRING(ops), *call = PyBytes_AS_STRING(calls);
        memset(op, 0, most);
        memset(call, 0, (size_t)graph->next_call);
        for (size_t r = 0; r < graph->run_count; r++) {
            size_t stop = r + 1 < graph->run_count ? graph->runs[r + 1].node : graph->count + 1;
            if (only != NO_CALL && graph->runs[r].call != only) {
                continue;
            }
            for (size_t node = graph->runs[r].node; node < stop; node++) {
                uint32_t number = graph->ops[node] & OP_OF_NODE;
                if (marks[node] & MARK_DATA && number != NO_OP && number < most) {
                    op[number] = 1;
                    if (graph->runs[r].call < graph->next_call) {
                        call[graph->runs[r].call] = 1;
                    }
                }
            }
        }
        for (size_t i = 0; i < graph->unknown_count && !failed; i++) {
            const Mark *mark = &graph->unknown[i];
            if (marks[mark->node] & MARK_DATA) {
                PyObject *pair = Py_BuildValue("(II)", mark->call, graph->ops[mark->node] & OP_OF_NODE);
                failed = pair == NULL || PySet_Add(unknown, pair) < 0;
                Py_XDECREF(pair);
            }
        }
    }
    if (failed) {
        Py_XDECREF(ops);
        Py_XDECREF(calls);
        Py_XDECREF(unknown);
        return NULL;
    }
    return Py_BuildValue("(NNN)", ops, calls, unknown);
}
