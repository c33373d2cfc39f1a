/* Makes the nodes of the operations that a call ran. */
#include "graph.h"

#include <string.h>

/* --- Nodes and edges ----------------------------------------------------------------------------- */

int
work_edge(Graph *graph, uint32_t edge)
{
    if (edge == 0) {
        return 0;
    }
    if (graph->edge_count >= UINT32_MAX - 2) {
        PyErr_SetString(PyExc_OverflowError, "the run is too long for a slice");
        return -1;
    }
    if (graph_room((void **)&graph->edges, &graph->edge_room, graph->edge_count, sizeof(uint32_t)) < 0) {
        return -1;
    }
    graph->edges[graph->edge_count++] = edge;
    return 0;
}

/* An edge that is always there, even to nothing: the first one of a node tells what decided it. */
static int
first_edge(Graph *graph, uint32_t edge)
{
    return work_edge(graph, edge ? edge : EDGE_CODE);
}

int
work_node(Graph *graph, Live *live, uint32_t op)
{
    size_t node = graph->count + 1;
    if (node >= MOST_NODES) {
        PyErr_SetString(PyExc_OverflowError, "the run is too long for a slice");
        return -1;
    }
    if (graph_room((void **)&graph->ops, &graph->ops_room, node + 1, sizeof(uint32_t)) < 0 ||
        graph_room((void **)&graph->edges_at, &graph->at_room, node + 2, sizeof(uint32_t)) < 0) {
        return -1;
    }
    if (graph->run_count == 0 || graph->is_new_run || graph->runs[graph->run_count - 1].call != live->id) {
        if (graph_room((void **)&graph->runs, &graph->run_room, graph->run_count, sizeof(Mark)) < 0) {
            return -1;
        }
        graph->runs[graph->run_count++] = (Mark){.moment = live->since, .node = (uint32_t)node, .call = live->id};
        graph->is_new_run = 0;
    }
    uint32_t flag = 0;
    if (op != NO_OP) {
        uint32_t kind = live->code->op[op].kind;
        flag |= live->code->op[op].flags & OP_IS_COPY ? NODE_IS_COPY : 0;
        flag |= kind == DO_FUNCTION || kind == DO_CLASS ? NODE_IS_CODE : 0;
    }
    graph->ops[node] = op == NO_OP ? NO_OP : (live->code->base + op) | flag;
    graph->edges_at[node] = (uint32_t)graph->edge_count;
    graph->count = node;
    live->latest = (uint32_t)node;
    return 0;
}

int
work_unknown(Graph *graph, uint32_t why)
{
    if (graph_room((void **)&graph->unknown, &graph->unknown_room, graph->unknown_count,
                   sizeof(Mark)) < 0) {
        return -1;
    }
    graph->unknown[graph->unknown_count++] = (Mark){.node = (uint32_t)graph->count, .call = why};
    return why == UNKNOWN_KEY ? 0 : look_note(graph, 0, LOOK_ANY);
}

int
work_control(Graph *graph, Live *live, const Op *op)
{
    uint32_t last = 0;
    for (uint32_t i = op->controls; i < op[1].controls; i++) {
        uint32_t node = live->last[live->code->controls[i]];
        last = node > last ? node : last;
    }
    if (first_edge(graph, last ? last : live->begin) < 0) {
        return -1;
    }
    return op->flags & OP_IN_HANDLER ? work_edge(graph, live->caught) : 0;
}

int
work_whole(Graph *graph, uint64_t token, int is_shallow)
{
    if (!is_object(token)) {
        return 0;
    }
    uint32_t object = heap_object(graph, token, NULL);
    if (object == 0) {
        return -1;
    }
    return work_edge(graph, EDGE_WHOLE | (object - 1) | (is_shallow ? EDGE_SHALLOW : 0));
}

uint64_t
key_of_index(int64_t index)
{
    uint64_t number = (uint64_t)index;
    number = (number ^ number >> 31) * 0x9E3779B97F4A7C15u;
    number ^= number >> 29;
    return (number << 2 | 2) | KEY_ITEM;
}

/* --- Inputs -------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t op, node;
    uint64_t token;
} Given;

/* Find where an input came from: the last of its makers that ran. */
static Given
given(const Live *live, const In *in)
{
    Given found = {0, 0, 0};
    for (uint32_t i = in->made; i < in[1].made; i += 2) {
        uint32_t op = live->code->made[i], output = live->code->made[i + 1], node = live->last[op];
        if (node == 0 || node < found.node) {
            continue;
        }
        int is_unpack = live->code->op[op].kind == DO_UNPACK;
        found.op = op;
        found.node = is_unpack && output < live->code->op[op].arg ? node + output : node;
        found.token = is_unpack ? 0 : live->token[op];
    }
    return found;
}

static const In *
input(const Live *live, const Op *op, uint32_t role)
{
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        if (live->code->in[i].role == role) {
            return &live->code->in[i];
        }
    }
    return NULL;
}

static Given
given_as(const Live *live, const Op *op, uint32_t role)
{
    const In *in = input(live, op, role);
    return in ? given(live, in) : (Given){0, 0, 0};
}

/* A value was seen, and a node made or passed it. */
int
work_value(Graph *graph, uint64_t token, uint32_t node)
{
    if (!is_object(token) || node == 0) {
        return 0;
    }
    uint32_t object = heap_object(graph, token, NULL);
    if (object == 0) {
        return -1;
    }
    if (graph->objects[object - 1].base == 0) {
        graph->objects[object - 1].base = node;
    }
    return 0;
}

/* Say which item of a list each turn of a comprehension added.  Each has two nodes, see `work_each`. */
static int
tell_each(Graph *graph, Live *live, uint32_t object, uint32_t last)
{
    uint32_t base = live->code->base, count = 0;
    const Op *add = NULL;
    for (uint32_t at = last; at; at = graph->edges[graph->edges_at[at] + 1] & ~EDGE_TAG) {
        uint32_t number = (graph->ops[at] & OP_OF_NODE) - base;
        if (number >= live->code->ops || !(live->code->op[number].flags & OP_IS_EACH) ||
            (add && add != &live->code->op[number])) {
            break;
        }
        add = &live->code->op[number];
        count++;
    }
    for (uint32_t at = last; count--; at = graph->edges[graph->edges_at[at] + 1] & ~EDGE_TAG) {
        uint64_t key = key_of_index(count);
        Cell *cell = heap_find(graph, object, key);
        if (heap_put(graph, object, key, cell ? cell->token : 0, at - 1) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Say which value an operation had, and for a sequence that was made of its items: which items. */
static int
tell(Graph *graph, Live *live, Given from, uint64_t token)
{
    if (token == 0 || from.node == 0) {
        return 0;
    }
    const Op *op = &live->code->op[from.op];
    if (op->kind != DO_UNPACK) {
        live->token[from.op] = token;
    }
    if (!is_object(token)) {
        return 0;
    }
    uint32_t object = heap_object(graph, token, NULL);
    if (object == 0) {
        return -1;
    }
    if (op->kind == DO_CLASS) {
        graph->objects[object - 1].flags |= OBJ_IS_CLASS;
    }
    int is_new = graph->objects[object - 1].base == 0;
    if (work_value(graph, token, from.node) < 0) {
        return -1;
    }
    if (!is_new || op->kind != DO_MAKE) {
        return 0;
    }
    if (!(op->flags & OP_IS_ITEMS)) {
        return tell_each(graph, live, object, from.node);
    }
    uint32_t items = op[1].inputs - op->inputs;
    for (uint32_t i = 0; i < items && from.node > items; i++) {
        Given item = given(live, &live->code->in[op->inputs + i]);
        uint64_t key = key_of_index(i);
        Cell *cell = heap_find(graph, object, key);
        uint64_t value = cell && cell->token ? cell->token : item.token;
        if (heap_put(graph, object, key, value, from.node - items + i) < 0) {
            return -1;
        }
    }
    return 0;
}

/* --- Reads of parts ------------------------------------------------------------------------------ */

static int
risks_since(Graph *graph, uint32_t node)
{
    if (graph->risky <= node) {
        return 0;
    }
    return work_edge(graph, EDGE_RELEVANT) < 0 ? -1 : work_edge(graph, node | EDGE_RELEVANT);
}

/* Add edges to the last write of a part; found: 0: the object has no such part.  Sets its value. */
static int
read_part(Graph *graph, uint32_t object, uint64_t key, uint64_t *token, int *found)
{
    const Obj *about = &graph->objects[object - 1];
    const Cell *cell = heap_find(graph, object, key);
    *found = cell != NULL;
    *token = 0;
    if (look_note(graph, object, key) < 0) {
        return -1;
    }
    uint32_t since = about->reset > about->base ? about->reset : about->base;
    uint32_t node = cell && cell->node > about->reset ? cell->node : since;
    if (about->vague > node) {
        return work_edge(graph, EDGE_WHOLE | (object - 1) | EDGE_SHALLOW) < 0
                   ? -1 : risks_since(graph, node);
    }
    if (cell) {
        *token = cell->token;
    }
    return work_edge(graph, node) < 0 ? -1 : risks_since(graph, node);
}

static int
globals_named(Graph *graph, uint32_t name)
{
    uint32_t slot = name < graph->named_room ? graph->named[name] : 0;
    for (; slot; slot = graph->global_next[slot - 1]) {
        if (work_edge(graph, graph->globals[slot - 1]) < 0 || look_note(graph, slot, 0) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
take_handed(Graph *graph, Live *live, int is_running, uint64_t *token, int *how)
{
    for (size_t i = 0; i < live->handed_count; i++) {
        const Handed *handed = &live->handed[i];
        if (!is_running && !(handed->how & HANDED_LOOSE)) {
            continue;
        }
        if (work_edge(graph, handed->node) < 0) {
            return -1;
        }
        *how |= (int)handed->how | 256;
        if (handed->how & (HANDED_CALLED | HANDED_INIT) || !(handed->how & HANDED_LOOSE)) {
            *token = handed->token;
        }
    }
    return 0;
}

static int
read_attribute(Graph *graph, Live *live, const Op *op, int is_running, uint64_t *token)
{
    Given of = given_as(live, op, ROLE_OBJECT);
    uint64_t key = op->low | (uint64_t)op->high << 32;
    int how = 0, found = 0;
    if (work_edge(graph, of.node) < 0 || take_handed(graph, live, is_running, token, &how) < 0) {
        return -1;
    }
    if (how) {
        return 0;
    }
    if (!is_object(of.token)) {
        if (of.token != 0) {
            return 0; /* a method of a number or a text */
        }
        return work_whole(graph, NAMED_TOKEN(op->arg), 1) < 0 || globals_named(graph, op->arg) < 0 ||
               work_unknown(graph, UNKNOWN_OBJECT) < 0 ? -1 : risks_since(graph, 0);
    }
    uint32_t object = heap_object(graph, of.token, NULL);
    if (object == 0 || read_part(graph, object, key, token, &found) < 0) {
        return -1;
    }
    if (found) {
        return 0;
    }
    if (graph->objects[object - 1].flags & OBJ_IS_MODULE && globals_named(graph, op->arg) < 0) {
        return -1;
    }
    return work_whole(graph, CLASS_TOKEN(op->arg), 1);
}

static int
read_item(Graph *graph, Live *live, const Op *op, int is_running, uint64_t *token)
{
    Given of = given_as(live, op, ROLE_OBJECT), by = given_as(live, op, ROLE_KEY);
    int how = 0, found = 0;
    if (work_edge(graph, of.node) < 0 || work_edge(graph, by.node) < 0 ||
        take_handed(graph, live, is_running, token, &how) < 0) {
        return -1;
    }
    if (how) {
        return 0;
    }
    if (!is_object(of.token)) {
        return of.token ? 0 : work_unknown(graph, UNKNOWN_OBJECT);
    }
    uint32_t object = heap_object(graph, of.token, NULL);
    if (object == 0) {
        return -1;
    }
    uint64_t key = (by.token & 3) == 2 ? by.token | KEY_ITEM : 0;
    const Obj *about = &graph->objects[object - 1];
    uint32_t back = live->code->op[by.op].kind == DO_CONSTANT ? live->code->op[by.op].arg : 0;
    if (back && !(about->flags & OBJ_IS_MAPPING)) {
        key = about->length >= (int64_t)back ? key_of_index(about->length - back) : 0;
    }
    if (key && heap_find(graph, object, key)) {
        return read_part(graph, object, key, token, &found);
    }
    if (work_edge(graph, EDGE_WHOLE | (object - 1) | EDGE_SHALLOW) < 0 || risks_since(graph, 0) < 0) {
        return -1;
    }
    return key ? 0 : work_unknown(graph, UNKNOWN_KEY);
}

/* --- Calls of others ----------------------------------------------------------------------------- */

/* Add edges to all that is in an input.  Of a container that no event has named: to what is in its items. */
static int
look_into(Graph *graph, Live *live, Given from, int depth)
{
    if (is_object(from.token)) {
        return work_whole(graph, from.token, 0) < 0 || risks_since(graph, 0) < 0 ? -1 : 0;
    }
    const Op *op = &live->code->op[from.op];
    if (from.node == 0 || from.token || op->kind != DO_MAKE) {
        return 0;
    }
    for (uint32_t i = op->inputs; depth && i < op[1].inputs; i++) {
        if (look_into(graph, live, given(live, &live->code->in[i]), depth - 1) < 0) {
            return -1;
        }
    }
    return risks_since(graph, from.node);
}

/* Add edges to all inputs of an operation but what is called, and to what they contain. */
static int
all_inputs(Graph *graph, Live *live, const Op *op)
{
    int is_test = op->kind == DO_BRANCH;
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        const In *in = &live->code->in[i];
        Given from = given(live, in);
        if (in->role == ROLE_CALLEE) {
            if (from.node && work_edge(graph, from.node | EDGE_CODE) < 0) {
                return -1;
            }
            continue;
        }
        if (work_edge(graph, from.node) < 0) {
            return -1;
        }
        if (op->flags & OP_LOOKS_NOT) {
            continue;
        }
        if (!is_object(from.token)) {
            if (look_into(graph, live, from, 4) < 0) {
                return -1;
            }
            continue;
        }
        uint32_t object = heap_object(graph, from.token, NULL);
        if (object == 0) {
            return -1;
        }
        if (is_test && !(graph->objects[object - 1].flags & OBJ_IS_FULL)) {
            continue;
        }
        if (work_whole(graph, from.token, is_test) < 0 || risks_since(graph, 0) < 0) {
            return -1;
        }
    }
    return 0;
}

int
work_begin(Graph *graph, Live *live, uint32_t number)
{
    const Op *op = &live->code->op[number];
    if (live->running == number + 1) {
        return 0;
    }
    if (work_node(graph, live, number) < 0 || work_control(graph, live, op) < 0) {
        return -1;
    }
    live->running = number + 1;
    live->running_begin = (uint32_t)graph->count;
    graph->ops[graph->count] |= NODE_IS_COPY;
    if (op->kind == DO_CALL) {
        Given callee = given_as(live, op, ROLE_CALLEE);
        if (callee.node && work_edge(graph, callee.node | EDGE_CODE) < 0) {
            return -1;
        }
    }
    if (work_node(graph, live, number) < 0 || first_edge(graph, live->running_begin) < 0 ||
        all_inputs(graph, live, op) < 0) {
        return -1;
    }
    live->running_given = (uint32_t)graph->count;
    return 0;
}

/* Objects whose state is not recorded may have been changed by code that was given them. */
static int
touch_opaque(Graph *graph, Live *live, const Op *op)
{
    uint32_t node = (uint32_t)graph->count;
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        Given from = given(live, &live->code->in[i]);
        if (!is_object(from.token)) {
            continue;
        }
        uint32_t object = heap_object(graph, from.token, NULL);
        if (object == 0) {
            return -1;
        }
        if (graph->objects[object - 1].flags & OBJ_IS_OPAQUE) {
            graph->objects[object - 1].vague = node;
            if (heap_link(graph, object, node, 0) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int
work_call(Graph *graph, Live *live, uint32_t number, int is_running, uint64_t *token)
{
    const Op *op = &live->code->op[number];
    int how = 0;
    if (is_running) {
        if (first_edge(graph, live->running_begin) < 0 ||
            take_handed(graph, live, 1, token, &how) < 0) {
            return -1;
        }
        if (how & (HANDED_CALLED | HANDED_INIT | HANDED_DEFERRED)) {
            if (how & HANDED_CALLED) {
                graph->ops[graph->count] |= NODE_IS_COPY;
            }
            return 0;
        }
        return work_edge(graph, live->running_given) < 0 ? -1 : touch_opaque(graph, live, op);
    }
    return work_control(graph, live, op) < 0 || all_inputs(graph, live, op) < 0 ||
           take_handed(graph, live, 0, token, &how) < 0 ? -1 : touch_opaque(graph, live, op);
}

int
work_effect(Graph *graph, Live *live)
{
    uint64_t token;
    int how = 0;
    if (live->running == 0) {
        return work_node(graph, live, NO_OP) < 0 || first_edge(graph, live->decided) < 0 ||
               work_edge(graph, live->begin) < 0 || work_unknown(graph, UNKNOWN_ROUTE) < 0 ? -1 : 0;
    }
    return work_node(graph, live, live->running - 1) < 0 ||
           first_edge(graph, live->running_begin) < 0 ||
           work_edge(graph, live->running_given) < 0 ||
           take_handed(graph, live, 1, &token, &how) < 0 ? -1 : 0;
}

/* --- Parameters ---------------------------------------------------------------------------------- */

static int
set_parameter(Graph *graph, Live *live, uint32_t at, uint64_t token, uint32_t node)
{
    const uint32_t *told = live->code->given + 4 * at;
    if (told[2] == SCOPE_CELL) {
        if (told[3] >= live->code->cells || !is_object(live->cells[told[3]])) {
            return 0;
        }
        uint32_t object = heap_object(graph, live->cells[told[3]], NULL);
        return object == 0 || heap_put(graph, object, KEY_CELL, token, node) < 0 ? -1 : 0;
    }
    live->defined[told[3]] = node;
    live->held[told[3]] = token;
    return work_value(graph, token, node);
}

int
work_parameters(Graph *graph, Live *caller, Live *live, const uint64_t *values, uint32_t count, int flags)
{
    Code *code = live->code;
    int is_init = code->flags & CODE_IS_INIT && !(flags & (ENTER_CALLED | ENTER_INDIRECT));
    int is_exact = caller != NULL && caller->running && flags & ENTER_CALLED;
    uint32_t all = caller && caller->running ? caller->running_given : live->begin;
    const Op *op = caller && caller->running ? &caller->code->op[caller->running - 1] : NULL;
    is_exact |= is_init && op != NULL;
    is_exact &= op != NULL && op->kind == DO_CALL;
    if (is_exact && (input(caller, op, ROLE_STAR) || input(caller, op, ROLE_STARS))) {
        is_exact = 0;
    }
    uint32_t next = 0; /* the next parameter that takes a position */
    if (is_exact && is_init && code->params) {
        if (set_parameter(graph, live, next++, count ? values[0] : 0, live->begin) < 0) {
            return -1;
        }
    }
    uint32_t standard = code->number < graph->defaults_room ? graph->defaults[code->number] : 0;
    if (!is_exact) {
        if (standard) { /* some may have their defaults */
            if (work_node(graph, live, NO_OP) < 0 || first_edge(graph, live->begin) < 0 ||
                work_edge(graph, all) < 0 || work_edge(graph, standard) < 0) {
                return -1;
            }
            all = (uint32_t)graph->count;
        }
        for (uint32_t i = 0; i < code->params; i++) {
            if (set_parameter(graph, live, i, i < count ? values[i] : 0, all) < 0) {
                return -1;
            }
        }
        return 0;
    }
    const In *in = caller->code->in;
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        uint32_t role = in[i].role, at = next;
        if (role != ROLE_RECEIVER && role != ROLE_POSITION && role != ROLE_NAME) {
            continue;
        }
        Given from = given(caller, &in[i]);
        if (role == ROLE_RECEIVER && (is_init || next >= count ||
                                      (from.token && from.token != values[next]))) {
            continue; /* it is where the function was found, not its first argument */
        }
        if (role == ROLE_NAME) {
            for (at = 0; at < code->params; at++) {
                if (code->given[4 * at + 1] == in[i].name) {
                    break;
                }
            }
        } else {
            next++;
        }
        uint32_t kind = at < code->params ? code->given[4 * at] : GIVEN_POSITIONS;
        if (kind == GIVEN_POSITIONS || kind == GIVEN_NAMES || (role != ROLE_NAME && kind != GIVEN_PLAIN)) {
            continue; /* below */
        }
        uint64_t token = at < count ? values[at] : 0;
        if (from.token && token && from.token != token) {
            from.node = all; /* another value: given by what was called */
        } else if (tell(graph, caller, from, token) < 0) {
            return -1;
        }
        if (set_parameter(graph, live, at, token, from.node) < 0) {
            return -1;
        }
    }
    for (uint32_t i = is_init ? 1 : 0; i < code->params; i++) {
        const uint32_t *told = code->given + 4 * i;
        int is_set = told[2] == SCOPE_SLOT && live->defined[told[3]];
        if (told[2] == SCOPE_CELL && told[3] < code->cells && is_object(live->cells[told[3]])) {
            uint32_t object = heap_object(graph, live->cells[told[3]], NULL);
            if (object == 0) {
                return -1;
            }
            is_set = heap_find(graph, object, KEY_CELL) != NULL;
        }
        if (is_set) {
            continue;
        }
        uint32_t node = told[0] == GIVEN_PLAIN || told[0] == GIVEN_KEYWORD ? standard : all;
        if (set_parameter(graph, live, i, i < count ? values[i] : 0, node ? node : all) < 0) {
            return -1;
        }
    }
    return 0;
}

/* --- Operations ---------------------------------------------------------------------------------- */

static int
work_read(Graph *graph, Live *live, const Op *op, uint64_t *token)
{
    const Code *code = live->code;
    switch (op->scope) {
    case SCOPE_SLOT:
    case SCOPE_CLASS: {
        uint32_t node = live->defined[op->arg];
        *token = live->held[op->arg];
        for (uint32_t i = code->risks_of[op->arg]; i < code->risks_of[op->arg + 1]; i++) {
            uint32_t decision = live->last[code->risks[i]];
            if (decision > node && work_edge(graph, decision | EDGE_RELEVANT) < 0) {
                return -1;
            }
        }
        return work_edge(graph, node);
    }
    case SCOPE_CELL: {
        int found;
        if (op->arg >= code->cells || !is_object(live->cells[op->arg])) {
            return work_unknown(graph, UNKNOWN_OBJECT);
        }
        uint32_t object = heap_object(graph, live->cells[op->arg], NULL);
        return object == 0 ? -1 : read_part(graph, object, KEY_CELL, token, &found);
    }
    case SCOPE_GLOBAL:
        *token = graph->global_tokens[op->arg];
        if (look_note(graph, op->arg + 1, 0) < 0) {
            return -1;
        }
        return work_edge(graph, graph->globals[op->arg]) < 0
                   ? -1 : risks_since(graph, graph->globals[op->arg]);
    default:
        return 0;
    }
}

static int
work_store(Graph *graph, Live *live, const Op *op, int is_delete, uint64_t *token)
{
    Given from = given_as(live, op, ROLE_VALUE);
    uint32_t node = (uint32_t)graph->count;
    *token = is_delete ? 0 : live->told_count ? live->told[0] : from.token;
    live->told_count = 0;
    if (work_edge(graph, from.node) < 0 || tell(graph, live, from, *token) < 0) {
        return -1;
    }
    if (graph->is_maybe) { /* what was there before may still be there */
        uint64_t ignored;
        if (work_read(graph, live, op, &ignored) < 0) {
            return -1;
        }
        *token = 0;
    }
    if (op->scope == SCOPE_GLOBAL) {
        graph->globals[op->arg] = node;
        graph->global_tokens[op->arg] = *token;
    } else if (op->scope == SCOPE_CELL) {
        if (op->arg >= live->code->cells || !is_object(live->cells[op->arg])) {
            return 0;
        }
        uint32_t object = heap_object(graph, live->cells[op->arg], NULL);
        return object == 0 || heap_put(graph, object, KEY_CELL, *token, node) < 0 ||
               heap_link(graph, object, node, *token) < 0 ? -1 : 0;
    } else if (op->scope != SCOPE_NONE) {
        live->defined[op->arg] = node;
        live->held[op->arg] = *token;
        if (op->scope == SCOPE_CLASS) {
            uint32_t object = heap_object(graph, CLASS_TOKEN(op->low), NULL);
            return object == 0 ? -1 : heap_link(graph, object, node, 0);
        }
    }
    return 0;
}

static int
link_named(Graph *graph, uint32_t name, uint32_t node, uint64_t token, int is_class)
{
    uint32_t named = heap_object(graph, NAMED_TOKEN(name), NULL);
    if (named == 0 || heap_link(graph, named, node, token) < 0) {
        return -1;
    }
    if (!is_class) {
        return 0;
    }
    named = heap_object(graph, CLASS_TOKEN(name), NULL);
    return named == 0 ? -1 : heap_link(graph, named, node, token);
}

/* A store into an object, whose event told the object, the key and the value. */
static int
work_store_part(Graph *graph, Live *live, const Op *op)
{
    int is_attribute = op->kind == DO_STORE_ATTRIBUTE || op->kind == DO_DELETE_ATTRIBUTE;
    int is_delete = op->kind == DO_DELETE_ATTRIBUTE || op->kind == DO_DELETE_ITEM;
    uint32_t node = (uint32_t)graph->count;
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        if (work_edge(graph, given(live, &live->code->in[i]).node) < 0) {
            return -1;
        }
    }
    int count = live->told_count, is_asked = live->told_asked;
    live->told_count = 0;
    Given of = given_as(live, op, ROLE_OBJECT), value = given_as(live, op, ROLE_VALUE);
    uint64_t token = count ? live->told[0] : of.token;
    if (count && (tell(graph, live, of, live->told[0]) < 0 ||
                  (!is_delete && tell(graph, live, value, live->told[count - 1]) < 0))) {
        return -1;
    }
    if (is_asked) {
        return 0; /* what it did comes as records of its own */
    }
    uint64_t stored = is_delete ? 0 : count ? live->told[count - 1] : value.token;
    if (is_attribute && link_named(graph, op->arg, node, stored, 0) < 0) {
        return -1;
    }
    if (!is_object(token)) {
        return work_unknown(graph, UNKNOWN_OBJECT);
    }
    uint32_t object = heap_object(graph, token, NULL);
    if (object == 0 || heap_link(graph, object, node, stored) < 0) {
        return -1;
    }
    Obj *about = &graph->objects[object - 1];
    if (is_attribute) {
        if (about->flags & OBJ_IS_CLASS && link_named(graph, op->arg, node, stored, 1) < 0) {
            return -1;
        }
        return heap_put(graph, object, op->low | (uint64_t)op->high << 32, stored, node);
    }
    uint64_t by = count > 1 ? live->told[1] : 0;
    uint64_t key = (by & 3) == 2 ? by | KEY_ITEM : 0;
    if (live->told_is_index && live->told_index < 0 && !(about->flags & OBJ_IS_MAPPING)) {
        key = about->length + live->told_index >= 0 && about->length >= 0
                  ? key_of_index(about->length + live->told_index) : 0;
    }
    int is_slice = count == 4 || (is_delete && count == 3);
    if (key == 0 || is_slice || (is_delete && !(about->flags & OBJ_IS_MAPPING))) {
        about->vague = node;
        about->length = is_slice || is_delete ? -1 : about->length;
        return 0;
    }
    return heap_put(graph, object, key, stored, node);
}

static int
work_next(Graph *graph, Live *live, const Op *op, uint64_t *token)
{
    const In *in = op->inputs < op[1].inputs ? &live->code->in[op->inputs] : NULL;
    Given over = in ? given(live, in) : (Given){0, 0, 0};
    int how = 0, found = 0;
    uint64_t ignored;
    *token = graph->arrives == KIND_TURN ? graph->arriving : 0;
    if (work_edge(graph, over.node) < 0 || take_handed(graph, live, 1, &ignored, &how) < 0) {
        return -1;
    }
    if (over.node == 0 || !is_object(over.token)) {
        return how || over.token ? 0 : work_unknown(graph, UNKNOWN_OBJECT);
    }
    uint32_t object = heap_object(graph, over.token, NULL);
    if (object == 0) {
        return -1;
    }
    uint32_t turn = live->turns[over.op]++;
    const Obj *about = &graph->objects[object - 1];
    if (graph->arrives == KIND_TURN && !(about->flags & (OBJ_IS_MAPPING | OBJ_IS_OPAQUE))) {
        const Cell *cell = heap_find(graph, object, key_of_index(turn));
        if (cell && cell->token && cell->token == *token) {
            return read_part(graph, object, key_of_index(turn), &ignored, &found);
        }
    }
    if (work_whole(graph, over.token, !(about->flags & OBJ_IS_OPAQUE)) < 0 || risks_since(graph, 0) < 0) {
        return -1;
    }
    if (about->flags & OBJ_IS_OPAQUE) {
        graph->objects[object - 1].vague = (uint32_t)graph->count;
        return heap_link(graph, object, (uint32_t)graph->count, 0);
    }
    return 0;
}

static int
work_unpack(Graph *graph, Live *live, uint32_t number)
{
    const Op *op = &live->code->op[number];
    const In *in = op->inputs < op[1].inputs ? &live->code->in[op->inputs] : NULL;
    Given whole = in ? given(live, in) : (Given){0, 0, 0};
    const Op *maker = whole.node ? &live->code->op[whole.op] : NULL;
    uint32_t first = (uint32_t)graph->count, outputs = op->arg ? op->arg : 1;
    for (uint32_t i = 0; i < outputs; i++) {
        uint64_t token = 0;
        int how = 0, found = 0;
        if ((i && work_node(graph, live, number) < 0) || work_control(graph, live, op) < 0 ||
            take_handed(graph, live, 0, &token, &how) < 0) {
            return -1;
        }
        if (is_object(whole.token)) {
            uint32_t object = heap_object(graph, whole.token, NULL);
            if (object == 0 || work_edge(graph, whole.node) < 0) {
                return -1;
            }
            int is_plain = !op->low && !(graph->objects[object - 1].flags & (OBJ_IS_MAPPING | OBJ_IS_OPAQUE));
            if (is_plain && heap_find(graph, object, key_of_index(i))) {
                if (read_part(graph, object, key_of_index(i), &token, &found) < 0) {
                    return -1;
                }
            } else if (work_whole(graph, whole.token, 1) < 0) {
                return -1;
            }
        } else if (maker && maker->kind == DO_MAKE && maker->flags & OP_IS_ITEMS && !op->low &&
                   i < maker[1].inputs - maker->inputs && whole.node > maker[1].inputs - maker->inputs) {
            if (work_edge(graph, whole.node - (maker[1].inputs - maker->inputs) + i) < 0) {
                return -1;
            }
        } else if (work_edge(graph, whole.node) < 0) {
            return -1;
        }
    }
    live->last[number] = first;
    live->token[number] = 0;
    return 0;
}

/* A sequence that is made of items: a node for each, then one for all. */
static int
work_items(Graph *graph, Live *live, uint32_t number)
{
    const Op *op = &live->code->op[number];
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        if (work_control(graph, live, op) < 0 || work_edge(graph, given(live, &live->code->in[i]).node) < 0 ||
            work_node(graph, live, number) < 0) {
            return -1;
        }
    }
    uint32_t last = (uint32_t)graph->count;
    if (work_control(graph, live, op) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < op[1].inputs - op->inputs; i++) {
        if (work_edge(graph, last - 1 - i) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A list to which a turn adds an item: a node for the item, then one for the list with all before it. */
static int
work_each(Graph *graph, Live *live, uint32_t number)
{
    const Op *op = &live->code->op[number];
    Given into = given_as(live, op, ROLE_CONTAINER), item = given_as(live, op, ROLE_OTHER);
    if (work_control(graph, live, op) < 0 || work_edge(graph, item.node) < 0 ||
        work_node(graph, live, number) < 0 || work_control(graph, live, op) < 0 ||
        work_edge(graph, into.node ? into.node : EDGE_CODE) < 0) {
        return -1;
    }
    return work_edge(graph, (uint32_t)graph->count - 1);
}

static int
work_define(Graph *graph, Live *live, const Op *op)
{
    uint32_t node = 0, count = 0;
    for (uint32_t i = op->inputs; i < op[1].inputs; i++) {
        Given from = given(live, &live->code->in[i]);
        if (live->code->in[i].role == ROLE_DEFAULTS && from.node) {
            node = from.node;
            count++;
        }
        if (work_edge(graph, from.node) < 0) {
            return -1;
        }
    }
    if (op->arg == 0 || op->arg > MOST_IDS) {
        return 0;
    }
    if (graph_room((void **)&graph->defaults, &graph->defaults_room, op->arg - 1, sizeof(uint32_t)) < 0) {
        return -1;
    }
    graph->defaults[op->arg - 1] = count == 1 ? node : count ? (uint32_t)graph->count : 0;
    return 0;
}

static int
decide(Graph *graph, Live *live, uint32_t number, const Op *op, uint32_t before)
{
    uint32_t node = (uint32_t)graph->count;
    if (before && work_edge(graph, before | EDGE_RELEVANT) < 0) {
        return -1;
    }
    live->decided = node;
    if (!(op->flags & OP_IS_RISKY)) {
        return 0;
    }
    uint32_t risks = heap_object(graph, RISKS_TOKEN, NULL);
    graph->risky = node;
    return risks == 0 ? -1 : heap_link(graph, risks, node, 0);
}

int
work_operation(Graph *graph, Live *live, uint32_t number)
{
    const Op *op = &live->code->op[number];
    int is_running = live->running == number + 1, how = 0;
    uint64_t token = 0;
    uint32_t before = live->last[number];
    if (work_node(graph, live, number) < 0) {
        return -1;
    }
    uint32_t node = (uint32_t)graph->count;
    int failed = 0;
    switch (op->kind) {
    case DO_CALL:
        failed = work_call(graph, live, number, is_running, &token) < 0;
        break;
    case DO_UNPACK:
        return work_unpack(graph, live, number);
    case DO_MAKE:
        if (op->flags & OP_IS_ITEMS) {
            failed = work_items(graph, live, number) < 0;
            node = (uint32_t)graph->count;
            break;
        }
        failed = work_control(graph, live, op) < 0;
        break;
    case DO_ADD:
        if (op->flags & OP_IS_EACH) {
            failed = work_each(graph, live, number) < 0;
            node = (uint32_t)graph->count;
            break;
        }
        /* fall through */
    default:
        failed = work_control(graph, live, op) < 0;
        break;
    }
    if (failed) {
        return -1;
    }
    switch (op->kind) {
    case DO_CONSTANT:
        token = op->low | (uint64_t)op->high << 32;
        break;
    case DO_READ:
        failed = work_read(graph, live, op, &token) < 0;
        break;
    case DO_STORE:
    case DO_DELETE:
        failed = work_store(graph, live, op, op->kind == DO_DELETE, &token) < 0;
        break;
    case DO_ATTRIBUTE:
        failed = read_attribute(graph, live, op, is_running, &token) < 0;
        break;
    case DO_ITEM:
        failed = read_item(graph, live, op, is_running, &token) < 0;
        break;
    case DO_STORE_ATTRIBUTE:
    case DO_DELETE_ATTRIBUTE:
    case DO_STORE_ITEM:
    case DO_DELETE_ITEM:
        failed = work_store_part(graph, live, op) < 0;
        break;
    case DO_CALL:
        break;
    case DO_MAKE:
        if (op->flags & OP_IS_ITEMS) {
            break;
        }
        failed = all_inputs(graph, live, op) < 0 || take_handed(graph, live, is_running, &token, &how) < 0;
        token = 0;
        break;
    case DO_ADD:
    case DO_EXTEND: {
        failed = (!(op->flags & OP_IS_EACH) && all_inputs(graph, live, op) < 0) ||
                 take_handed(graph, live, is_running, &token, &how) < 0;
        Given into = given_as(live, op, ROLE_CONTAINER);
        if (into.node) {
            live->last[into.op] = node;
        }
        token = into.token;
        break;
    }
    case DO_ITERATE: {
        const In *in = op->inputs < op[1].inputs ? &live->code->in[op->inputs] : NULL;
        Given what = in ? given(live, in) : (Given){0, 0, 0};
        token = live->told_count ? live->told[0] : what.token;
        live->told_count = 0;
        live->turns[number] = 0;
        uint64_t ignored;
        failed = work_edge(graph, what.node) < 0 || tell(graph, live, what, token) < 0 ||
                 take_handed(graph, live, is_running, &ignored, &how) < 0;
        break;
    }
    case DO_NEXT:
        failed = work_next(graph, live, op, &token) < 0;
        break;
    case DO_RETURN: {
        Given value = given_as(live, op, ROLE_VALUE);
        token = live->told_count ? live->told[0] : value.token;
        failed = work_edge(graph, value.node) < 0 || tell(graph, live, value, token) < 0;
        break;
    }
    case DO_YIELD:
        token = live->told_count ? live->told[0] : 0;
        failed = work_edge(graph, live->sent) < 0;
        break;
    case DO_CAUGHT:
        token = live->told_count ? live->told[0] : 0;
        failed = work_edge(graph, live->caught) < 0;
        break;
    case DO_FUNCTION:
        failed = work_define(graph, live, op) < 0;
        break;
    case DO_IMPORT:
        if (op->arg) {
            token = graph->global_tokens[op->arg - 1];
            failed = work_edge(graph, graph->globals[op->arg - 1]) < 0 || look_note(graph, op->arg, 0) < 0;
        }
        break;
    default:
        failed = all_inputs(graph, live, op) < 0 || take_handed(graph, live, is_running, &token, &how) < 0;
        break;
    }
    if (failed || (op->flags & OP_DECIDES && decide(graph, live, number, op, before) < 0)) {
        return -1;
    }
    if (op->kind == DO_SLICE) {
        token = 0;
    }
    if (op->kind == DO_CALL && op->flags & OP_MAY_CHANGE) {
        /* If it changed nothing, there is no event of it; it could have. */
        uint32_t risks = heap_object(graph, RISKS_TOKEN, NULL);
        graph->risky = node;
        if (risks == 0 || heap_link(graph, risks, node, 0) < 0) {
            return -1;
        }
    }
    live->last[number] = node;
    live->token[number] = token;
    if (is_running) {
        live->running = 0;
    }
    return 0;
}

int
work_follow(Graph *graph, Live *live, uint32_t kind, uint32_t number, uint32_t place)
{
    const Way *way = graph_way(graph, live, kind, number, place);
    if (way == NULL) {
        return -1;
    }
    if (way->state == UINT32_MAX) {
        return 1;
    }
    live->state = way->state;
    uint32_t at = way->at, start = way->start, count = way->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = graph->way_ops[start + i];
        graph->is_maybe = (op & MAYBE) != 0;
        if (work_operation(graph, live, op & ~MAYBE) < 0) {
            return -1;
        }
    }
    graph->is_maybe = 0;
    if (count || kind != LABEL_AT_PLACE) {
        live->handed_count = 0;
    }
    if (kind == LABEL_AT_PLACE && at) {
        return work_begin(graph, live, at - 1);
    }
    live->running = 0;
    return 0;
}
