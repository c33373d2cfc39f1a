/* Reads the events of a run into a dependence graph. */
#include "graph.h"

#include <string.h>

#define TAG_ABSENT 0x00
#define TAG_CONSTANT 0x01 /* with row 0: None */
#define HEADER 12

/* --- Code and ways, from Python ------------------------------------------------------------------ */

static void
free_live(Live *live)
{
    PyMem_RawFree(live->handed);
    PyMem_RawFree(live);
}

static void
free_code(Code *code)
{
    while (code && code->spare) {
        Live *live = code->spare;
        code->spare = live->next;
        free_live(live);
    }
    if (code) {
        PyMem_RawFree(code->words);
        PyMem_RawFree(code);
    }
}

/* Check that every number in the words of a function is in range: they were made from a trace. */
static int
is_sound(const Graph *graph, const Code *code, size_t inputs, size_t made, size_t controls, size_t risks,
         size_t globals)
{
    for (uint32_t i = 0; i < code->params; i++) {
        const uint32_t *given = code->given + 4 * i;
        if (given[2] != SCOPE_CELL && given[3] >= code->slots) {
            return 0;
        }
    }
    for (uint32_t i = 0; i <= code->ops; i++) {
        const Op *op = &code->op[i];
        if (op->inputs > inputs || op->controls > controls || op->kind > DO_COUNT ||
            (i && (op->inputs < op[-1].inputs || op->controls < op[-1].controls))) {
            return 0;
        }
        if (i == code->ops) {
            break;
        }
        int is_variable = op->kind == DO_READ || op->kind == DO_STORE || op->kind == DO_DELETE;
        if (is_variable && (op->scope == SCOPE_SLOT || op->scope == SCOPE_CLASS) && op->arg >= code->slots) {
            return 0;
        }
        if ((is_variable && op->scope == SCOPE_GLOBAL && op->arg >= globals) ||
            (op->kind == DO_IMPORT && op->arg > globals) || (op->kind == DO_UNPACK && op->arg > 65536)) {
            return 0;
        }
    }
    for (size_t i = 0; i <= inputs; i++) {
        if (code->in[i].made > made || code->in[i].made % 2 || (i && code->in[i].made < code->in[i - 1].made)) {
            return 0;
        }
    }
    for (size_t i = 0; i < made; i += 2) {
        if (code->made[i] >= code->ops) {
            return 0;
        }
    }
    for (size_t i = 0; i < controls; i++) {
        if (code->controls[i] >= code->ops) {
            return 0;
        }
    }
    for (size_t i = 0; i <= code->slots; i++) {
        if (code->risks_of[i] > risks || (i && code->risks_of[i] < code->risks_of[i - 1])) {
            return 0;
        }
    }
    for (size_t i = 0; i < risks; i++) {
        if (code->risks[i] >= code->ops) {
            return 0;
        }
    }
    return 1;
}

/* Words: ops, slots, params, cells, flags, base, start, start if resumed, inputs, made, controls, risks,
 * globals; then the parameters, operations (one more), inputs (one more), made, controls, risks of slots
 * (one more), risks, and pairs of global slot and name that are new. */
static Code *
read_code(Graph *graph, const char *data, size_t size, uint32_t number)
{
    size_t words = size / 4;
    Code *code = PyMem_RawCalloc(1, sizeof *code);
    uint32_t *copy = PyMem_RawMalloc(size + 4);
    if (code == NULL || copy == NULL) {
        PyMem_RawFree(code);
        PyMem_RawFree(copy);
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(copy, data, size);
    code->words = copy;
    code->number = number;
    if (words < HEADER + 1) {
        goto malformed;
    }
    code->ops = copy[0];
    code->slots = copy[1];
    code->params = copy[2];
    code->cells = copy[3];
    code->flags = copy[4];
    code->base = copy[5];
    code->start = copy[6];
    code->start_resumed = copy[7];
    size_t inputs = copy[8], made = copy[9], controls = copy[10], risks = copy[11], fresh = copy[12];
    size_t wanted = HEADER + 1 + 4 * (size_t)code->params + 8 * ((size_t)code->ops + 1) + 3 * (inputs + 1) + made +
                    controls + (size_t)code->slots + 1 + risks + 2 * fresh;
    if (wanted != words || code->base > NO_OP - code->ops) {
        goto malformed;
    }
    const uint32_t *at = copy + HEADER + 1;
    code->given = at;
    at += 4 * code->params;
    code->op = (const Op *)at;
    at += 8 * (code->ops + 1);
    code->in = (const In *)at;
    at += 3 * (inputs + 1);
    code->made = at;
    at += made;
    code->controls = at;
    at += controls;
    code->risks_of = at;
    at += code->slots + 1;
    code->risks = at;
    at += risks;
    for (size_t i = 0; i < fresh; i++) {
        uint32_t slot = at[2 * i], name = at[2 * i + 1];
        if (slot > MOST_IDS || name > MOST_IDS ||
            graph_room((void **)&graph->globals, &graph->globals_room, slot, sizeof(uint32_t)) < 0 ||
            graph_room((void **)&graph->global_tokens, &graph->global_tokens_room, slot, sizeof(uint64_t)) < 0 ||
            graph_room((void **)&graph->global_next, &graph->global_next_room, slot, sizeof(uint32_t)) < 0 ||
            graph_room((void **)&graph->named, &graph->named_room, name, sizeof(uint32_t)) < 0) {
            goto malformed;
        }
        graph->global_next[slot] = graph->named[name];
        graph->named[name] = slot + 1;
    }
    if (is_sound(graph, code, inputs, made, controls, risks, graph->globals_room)) {
        return code;
    }
malformed:
    free_code(code);
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "the code of a function is malformed");
    }
    return NULL;
}

/* Return the code of a function, borrowed; NULL: it is not known, or with an exception. */
static Code *
code_of(Graph *graph, uint64_t number)
{
    if (number >= MOST_IDS) {
        return NULL;
    }
    if (graph_room((void **)&graph->codes, &graph->code_room, (size_t)number, sizeof(Code *)) < 0) {
        return NULL;
    }
    if (graph->codes[number]) {
        return graph->codes[number]->ops == UINT32_MAX ? NULL : graph->codes[number];
    }
    PyObject *told = PyObject_CallFunction(graph->code_of, "K", (unsigned long long)number);
    if (told == NULL) {
        return NULL;
    }
    Code *code = NULL;
    if (told == Py_None) {
        code = PyMem_RawCalloc(1, sizeof *code);
        if (code == NULL) {
            PyErr_NoMemory();
        } else {
            code->ops = UINT32_MAX;
        }
    } else {
        char *data;
        Py_ssize_t size;
        if (PyBytes_AsStringAndSize(told, &data, &size) == 0) {
            code = read_code(graph, data, (size_t)size, (uint32_t)number);
        }
    }
    Py_DECREF(told);
    graph->codes[number] = code;
    return code && code->ops != UINT32_MAX ? code : NULL;
}

static size_t
way_slot(const Graph *graph, uint64_t key, uint64_t place)
{
    uint64_t hash = (key ^ place * 0xC2B2AE3D27D4EB4Fu) * 0x9E3779B97F4A7C15u;
    size_t mask = graph->way_slots_room - 1, slot = (size_t)(hash ^ hash >> 32) & mask;
    while (graph->way_slots[slot].way &&
           (graph->way_slots[slot].key != key || graph->way_slots[slot].place != place)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen_ways(Graph *graph)
{
    size_t old_room = graph->way_slots_room;
    WaySlot *old = graph->way_slots;
    graph->way_slots_room = old_room ? old_room * 2 : 1024;
    graph->way_slots = PyMem_RawCalloc(graph->way_slots_room, sizeof(WaySlot));
    if (graph->way_slots == NULL) {
        graph->way_slots = old;
        graph->way_slots_room = old_room;
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < old_room; i++) {
        if (old[i].way) {
            graph->way_slots[way_slot(graph, old[i].key, old[i].place)] = old[i];
        }
    }
    PyMem_RawFree(old);
    return 0;
}

/* Ask Python for a way: (state, operation that runs + 1, operations as bytes), or None. */
static int
ask_way(Graph *graph, Live *live, uint32_t kind, uint32_t number, uint32_t place)
{
    PyObject *told = PyObject_CallFunction(graph->way_of, "IIIIi", live->code->number, live->state, kind,
                                           number, (int)place);
    if (told == NULL) {
        return -1;
    }
    Way way = {.state = UINT32_MAX};
    const char *data = "";
    Py_ssize_t size = 0;
    if (told != Py_None && !PyArg_ParseTuple(told, "IIy#", &way.state, &way.at, &data, &size)) {
        Py_DECREF(told);
        return -1;
    }
    way.start = (uint32_t)graph->way_op_count;
    way.count = (uint32_t)(size / 4);
    int failed = graph_room((void **)&graph->ways, &graph->way_room, graph->way_count, sizeof(Way)) < 0 ||
                 graph_room((void **)&graph->way_ops, &graph->way_op_room,
                            graph->way_op_count + way.count, sizeof(uint32_t)) < 0;
    if (!failed) {
        memcpy(graph->way_ops + way.start, data, (size_t)way.count * 4);
        for (uint32_t i = 0; i < way.count; i++) {
            failed |= (graph->way_ops[way.start + i] & ~MAYBE) >= live->code->ops;
        }
        failed |= way.at > live->code->ops;
        if (failed) {
            PyErr_SetString(PyExc_ValueError, "a way has operations that are not there");
        }
    }
    Py_DECREF(told);
    if (failed) {
        return -1;
    }
    graph->way_op_count += way.count;
    graph->ways[graph->way_count++] = way;
    return 0;
}

const Way *
graph_way(Graph *graph, Live *live, uint32_t kind, uint32_t number, uint32_t place)
{
    uint64_t key = (uint64_t)live->code->number << 40 ^ (uint64_t)live->state << 8 ^ kind;
    uint64_t where = (uint64_t)number << 32 | place;
    if (graph->way_keys * 2 >= graph->way_slots_room && widen_ways(graph) < 0) {
        return NULL;
    }
    size_t slot = way_slot(graph, key, where);
    if (graph->way_slots[slot].way == 0) {
        if (ask_way(graph, live, kind, number, place) < 0) {
            return NULL;
        }
        graph->way_keys++;
        graph->way_slots[slot] = (WaySlot){.key = key, .place = where, .way = (uint32_t)graph->way_count};
    }
    return &graph->ways[graph->way_slots[slot].way - 1];
}

/* --- Calls --------------------------------------------------------------------------------------- */

Live *
work_live(Graph *graph, uint32_t call)
{
    return call != NO_CALL && call < graph->live_room ? graph->lives[call] : NULL;
}

static Live *
make_live(Graph *graph, Code *code, uint32_t call)
{
    if (graph_room((void **)&graph->lives, &graph->live_room, call, sizeof(Live *)) < 0) {
        return NULL;
    }
    size_t ops = code->ops, slots = code->slots, cells = code->cells;
    size_t size = sizeof(Live) + ops * 16 + slots * 12 + cells * 8 + 32;
    Live *live = code->spare;
    if (live) {
        code->spare = live->next;
        Handed *handed = live->handed;
        size_t room = live->handed_room;
        memset(live, 0, size);
        live->handed = handed;
        live->handed_room = room;
    } else if ((live = PyMem_RawCalloc(1, size)) == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    char *at = (char *)(live + 1);
    live->token = (uint64_t *)at;
    live->held = live->token + ops;
    live->cells = live->held + slots;
    live->last = (uint32_t *)(live->cells + cells);
    live->turns = live->last + ops;
    live->defined = live->turns + ops;
    live->code = code;
    live->id = call;
    live->since = graph->moment;
    live->state = code->start;
    graph->lives[call] = live;
    return live;
}

static void
end_live(Graph *graph, Live *live)
{
    graph->lives[live->id] = NULL;
    live->next = live->code->spare;
    live->code->spare = live;
}

static int
hand(Graph *graph, uint32_t call, uint64_t token, uint32_t node, uint32_t how)
{
    Live *live = work_live(graph, call);
    if (live == NULL) {
        return 0;
    }
    if (live->running == 0) {
        how |= HANDED_LOOSE;
    }
    if (graph_room((void **)&live->handed, &live->handed_room, live->handed_count, sizeof(Handed)) < 0) {
        return -1;
    }
    live->handed[live->handed_count++] = (Handed){.token = token, .node = node, .how = how};
    return 0;
}

/* --- Events -------------------------------------------------------------------------------------- */

/* Events that end the name of an exception wait for the next one: a handler that fails ends it first. */
static int
flush_unbound(Graph *graph, Live *live, uint32_t place)
{
    int count = live->unbound_count;
    live->unbound_count = 0;
    for (int i = 0; i < count; i++) {
        if (work_follow(graph, live, KIND_UNBIND, live->unbound[i], place) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
lose(Graph *graph, Live *live, int followed)
{
    if (followed <= 0) {
        return followed;
    }
    /* What comes next may depend on all that the call has set. */
    if (work_node(graph, live, NO_OP) < 0 || work_edge(graph, live->decided ? live->decided : EDGE_CODE) < 0 ||
        work_edge(graph, live->begin) < 0) {
        return -1;
    }
    for (uint32_t i = 0; i < live->code->slots; i++) {
        if (work_edge(graph, live->defined[i]) < 0) {
            return -1;
        }
    }
    return work_unknown(graph, UNKNOWN_ROUTE);
}

static int
at_place(Graph *graph, Live *live, uint32_t place)
{
    if (place == 0) {
        return 1;
    }
    if (flush_unbound(graph, live, UINT32_MAX) < 0) {
        return -1;
    }
    return work_follow(graph, live, LABEL_AT_PLACE, 0, place - 1);
}

/* The value of an object that a record describes: its parts, as far as they are new. */
static int
read_contents(Graph *graph, Walk *walk, const Record *record, uint32_t node)
{
    Walk ahead = *walk;
    ahead.is_again = 1;
    uint32_t object = heap_object(graph, record->number << 2 | 1, NULL);
    if (object == 0) {
        return -1;
    }
    Obj *about = &graph->objects[object - 1];
    int is_keyed = record->part == PART_MAPPING || record->part == PART_ATTRIBUTES;
    int is_first = !(about->flags & OBJ_IS_TOLD) || node;
    about->flags |= OBJ_IS_TOLD;
    if (record->part == PART_SEQUENCE || record->part == PART_MAPPING || record->part == PART_SET) {
        about->flags |= OBJ_IS_FULL | (record->part == PART_SEQUENCE ? 0 : OBJ_IS_MAPPING);
    }
    if (record->part == PART_SEQUENCE) {
        about->length = (int64_t)record->length;
    }
    if (record->part == PART_CELL || record->part == PART_SUMMARY || record->part == PART_BYTES) {
        return 0;
    }
    int64_t index = 0;
    for (uint64_t i = 0; i < record->values; i++, index++) {
        Token key = {0}, value;
        if (is_keyed) {
            if (walk_token(&ahead, &key) < 0) {
                return -1;
            }
            i++;
        }
        if (walk_token(&ahead, &value) < 0) {
            return -1;
        }
        uint64_t by = record->part == PART_ATTRIBUTES ? key.bits
                    : record->part == PART_MAPPING ? ((key.bits & 3) == 2 ? key.bits | KEY_ITEM : 0)
                    : record->part == PART_SEQUENCE ? key_of_index(index) : 0;
        if (is_object(value.bits)) {
            if (heap_object(graph, value.bits, &value) == 0 ||
                (is_first && heap_link(graph, object, node, value.bits) < 0)) {
                return -1;
            }
        }
        if (by == 0) {
            continue;
        }
        Cell *cell = heap_find(graph, object, by);
        if (cell == NULL || node || cell->token == 0) {
            if (heap_put(graph, object, by, value.bits, node ? node : cell ? cell->node : 0) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

/* Code that is not recorded wrote into an object. */
static int
read_effect(Graph *graph, Walk *walk, const Record *record, Live *live)
{
    uint32_t object = heap_object(graph, record->number << 2 | 1, NULL);
    uint32_t node = 0;
    Walk ahead = *walk;
    ahead.is_again = 1;
    if (object == 0) {
        return -1;
    }
    if (live != NULL) {
        if (record->flags == CAUSE_CALL && at_place(graph, live, record->place) < 0) {
            return -1;
        }
        if (work_effect(graph, live) < 0) {
            return -1;
        }
        if (record->flags != CAUSE_CALL && work_unknown(graph, UNKNOWN_CHANGE) < 0) {
            return -1;
        }
        node = (uint32_t)graph->count;
    }
    Obj *about = &graph->objects[object - 1];
    if (record->kind == KIND_PUT) {
        Token key, value;
        if (walk_token(&ahead, &key) < 0 || walk_token(&ahead, &value) < 0) {
            return -1;
        }
        if (heap_link(graph, object, node, value.bits) < 0) {
            return -1;
        }
        about = &graph->objects[object - 1];
        if ((key.bits & 3) != 2) {
            about->vague = node;
            return 0;
        }
        uint64_t by = about->flags & OBJ_IS_FULL ? key.bits | KEY_ITEM : key.bits;
        return heap_put(graph, object, by, value.bits, node);
    }
    if (record->kind == KIND_SPLICED) {
        int is_end = about->length >= 0 && (int64_t)(record->start + record->removed) == about->length;
        is_end |= about->length < 0 && record->removed == 0 && about->chain == 0;
        int64_t change = (int64_t)record->values - (int64_t)record->removed;
        if (!is_end && change != 0) {
            /* What stands behind it has moved. */
            if (work_edge(graph, EDGE_WHOLE | (object - 1) | EDGE_SHALLOW) < 0) {
                return -1;
            }
            about->vague = node;
        }
        about->length = about->length < 0 ? -1 : about->length + change;
        if (record->values == 0 && heap_link(graph, object, node, 0) < 0) {
            return -1;
        }
        for (uint64_t i = 0; i < record->values; i++) {
            Token value;
            if (walk_token(&ahead, &value) < 0 || heap_link(graph, object, node, value.bits) < 0 ||
                (is_object(value.bits) && heap_object(graph, value.bits, &value) == 0) ||
                work_value(graph, value.bits, node) < 0 ||
                heap_put(graph, object, key_of_index((int64_t)(record->start + i)), value.bits, node) < 0) {
                return -1;
            }
        }
        return 0;
    }
    /* Changed as a whole: it depends on what was there before, too. */
    if (node && work_edge(graph, EDGE_WHOLE | (object - 1) | EDGE_SHALLOW) < 0) {
        return -1;
    }
    about->reset = node;
    return heap_link(graph, object, node, 0) < 0 ? -1 : read_contents(graph, walk, record, node);
}

static int
read_values(Graph *graph, Walk *walk, const Record *record, Live *live)
{
    Walk ahead = *walk;
    ahead.is_again = 1;
    live->told_count = 0;
    live->told_is_index = 0;
    live->told_asked = record->flags & STORE_ASKED && is_store(record);
    for (uint64_t i = 0; i < record->values && i < 4; i++) {
        Token token;
        if (walk_token(&ahead, &token) < 0) {
            return -1;
        }
        if (is_object(token.bits) && heap_object(graph, token.bits, &token) == 0) {
            return -1;
        }
        live->told[live->told_count++] = token.bits;
        if (i == 1) {
            live->told_is_index = token.is_integer;
            live->told_index = token.integer;
        }
    }
    return 0;
}

static uint32_t *
thrown(Graph *graph)
{
    if (graph_room((void **)&graph->thrown, &graph->thrown_room, graph->stacks.current,
                   sizeof(uint32_t)) < 0) {
        return NULL;
    }
    return &graph->thrown[graph->stacks.current];
}

static int
read_enter(Graph *graph, Walk *walk, const Record *record, uint32_t caller_id, uint32_t call)
{
    Walk ahead = *walk;
    ahead.is_again = 1;
    Live *caller = work_live(graph, caller_id);
    if (record->flags & ENTER_ELSEWHERE) {
        caller = record->starter < NO_CALL ? work_live(graph, (uint32_t)record->starter) : NULL;
    }
    int reached = 1;
    if (caller && !(record->flags & ENTER_ELSEWHERE)) {
        reached = at_place(graph, caller, record->place);
        if (reached < 0) {
            return -1;
        }
    }
    Code *code = code_of(graph, record->number);
    if (code == NULL) {
        return PyErr_Occurred() ? -1 : caller && graph->count ? work_unknown(graph, UNKNOWN_CODE) : 0;
    }
    Live *live = make_live(graph, code, call);
    if (live == NULL) {
        return -1;
    }
    live->is_called = (record->flags & ENTER_CALLED) != 0;
    if (record->flags & ENTER_BY_RESUMER) {
        live->state = code->start_resumed;
    }
    if (caller) {
        live->begin = reached == 0 && caller->running ? caller->running_begin : caller->latest;
    }
    uint32_t given = (uint32_t)record->values;
    uint64_t *values = PyMem_RawCalloc((size_t)given + 1, sizeof(uint64_t));
    if (values == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int failed = 0;
    for (uint32_t i = 0; i < given && !failed; i++) {
        Token token;
        failed = walk_token(&ahead, &token) < 0 ||
                 (is_object(token.bits) && heap_object(graph, token.bits, &token) == 0);
        values[i] = failed ? 0 : token.bits;
    }
    uint32_t cells = code->cells < given ? code->cells : given;
    memcpy(live->cells, values + (given - cells), cells * sizeof(uint64_t));
    failed = failed || work_parameters(graph, reached == 0 ? caller : NULL, live, values, given - cells,
                                      record->flags) < 0;
    uint64_t self = given ? values[0] : 0;
    PyMem_RawFree(values);
    if (!failed && caller && reached == 0) {
        if (record->flags & ENTER_DEFERRED && record->flags & ENTER_CALLED) {
            failed = hand(graph, caller->id, 0, caller->running_begin, HANDED_DEFERRED) < 0;
        } else if (code->flags & CODE_IS_INIT && !(record->flags & (ENTER_CALLED | ENTER_INDIRECT))) {
            failed = hand(graph, caller->id, self, caller->running_begin, HANDED_INIT) < 0;
        }
    }
    return failed ? -1 : 0;
}

static int
is_init(const Live *live, int flags)
{
    return live->code->flags & CODE_IS_INIT && !(flags & HANDED_CALLED);
}

/* A call ended or gave a value: hand its node to the call that goes on. */
static int
read_leave(Graph *graph, Walk *walk, const Record *record, Live *live, uint32_t call)
{
    uint32_t *exception = thrown(graph);
    if (exception == NULL) {
        return -1;
    }
    uint32_t above = stacks_top(&graph->stacks);
    uint32_t before = (uint32_t)graph->count;
    if (record->kind == KIND_RETURN || record->kind == KIND_SUSPEND) {
        int followed = work_follow(graph, live, record->kind, 0, record->place ? record->place - 1 : UINT32_MAX);
        if (lose(graph, live, followed) < 0 || read_values(graph, walk, record, live) < 0) {
            return -1;
        }
        const Way *way = graph_way(graph, live, record->kind == KIND_RETURN ? LABEL_FINISH : LABEL_FLUSH, 0,
                                   UINT32_MAX);
        if (way == NULL) {
            return -1;
        }
        uint32_t node = graph->count ? live->latest : before;
        uint32_t start = way->start, count = way->state == UINT32_MAX || followed ? 0 : way->count;
        uint64_t token = live->told_count ? live->told[0] : 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t op = graph->way_ops[start + i] & ~MAYBE;
            const Op *about = &live->code->op[op];
            if (record->kind == KIND_SUSPEND && (about->kind == DO_YIELD || about->kind == DO_WAIT)) {
                if (work_node(graph, live, op) < 0 || work_control(graph, live, about) < 0) {
                    return -1;
                }
                for (uint32_t k = about->inputs; k < about[1].inputs; k++) {
                    const In *in = &live->code->in[k];
                    uint32_t last = 0, maker = 0;
                    for (uint32_t m = in->made; m < in[1].made; m += 2) {
                        uint32_t one = live->last[live->code->made[m]];
                        maker = one > last ? live->code->made[m] : maker;
                        last = one > last ? one : last;
                    }
                    if (work_edge(graph, last) < 0 || (last && work_value(graph, token, last) < 0)) {
                        return -1;
                    }
                    if (last) {
                        live->token[maker] = token;
                    }
                }
                if (about->kind == DO_WAIT) { /* what it waits for gave the value */
                    for (size_t h = 0; h < live->handed_count; h++) {
                        if (work_edge(graph, live->handed[h].node) < 0) {
                            return -1;
                        }
                    }
                }
            } else if (record->kind == KIND_RETURN && work_operation(graph, live, op) < 0) {
                return -1;
            }
            node = (uint32_t)graph->count;
        }
        graph->result = node;
        graph->result_call = call;
        uint32_t how = live->is_resumed ? HANDED_LOOSE : live->is_called ? HANDED_CALLED : 0;
        if (!is_init(live, (int)how) && hand(graph, above, token, node, how) < 0) {
            return -1;
        }
    } else if (record->kind == KIND_UNWIND) {
        if (flush_unbound(graph, live, record->place - 1) < 0) {
            return -1;
        }
        int followed = work_follow(graph, live, KIND_UNWIND, 0, record->place - 1);
        if (lose(graph, live, followed) < 0) {
            return -1;
        }
        if (live->raised) {
            *exception = live->last[live->raised - 1] ? live->last[live->raised - 1] : live->latest;
        }
        graph->result = *exception;
        graph->result_call = call;
    }
    if (record->kind != KIND_SUSPEND) {
        end_live(graph, live);
        return look_end(graph, call, record->kind == KIND_LOST ? 0 : graph->result);
    }
    return 0;
}

static int
read_output(Graph *graph, const Record *record, Live *live)
{
    int reached = at_place(graph, live, record->place);
    if (reached < 0 || work_effect(graph, live) < 0 ||
        graph_room((void **)&graph->outputs, &graph->output_room, graph->output_count, sizeof(Mark)) < 0) {
        return -1;
    }
    graph->outputs[graph->output_count++] =
        (Mark){.moment = graph->moment, .node = (uint32_t)graph->count, .call = live->id};
    return 0;
}

static int
read_event(Graph *graph, Walk *walk, const Record *record, Live *live)
{
    uint32_t place = record->place ? record->place - 1 : UINT32_MAX;
    uint32_t site = record->number < MOST_IDS ? (uint32_t)record->number : 0;
    uint32_t *exception;
    Walk ahead = *walk;
    Token token;
    switch (record->kind) {
    case KIND_RAISE: {
        int reached = at_place(graph, live, record->place);
        if (reached < 0) {
            return -1;
        }
        live->raised = reached == 0 ? live->running : 0;
        if (live->raised == 0) {
            /* Not one of its operations: what ran last stands for it. */
            exception = thrown(graph);
            if (exception == NULL) {
                return -1;
            }
            *exception = live->latest;
        }
        return 0;
    }
    case KIND_CATCH: {
        if (flush_unbound(graph, live, place) < 0) {
            return -1;
        }
        int followed = work_follow(graph, live, KIND_CATCH, site, place);
        exception = thrown(graph);
        if (followed < 0 || exception == NULL || lose(graph, live, followed) < 0) {
            return -1;
        }
        if (live->raised) {
            *exception = live->last[live->raised - 1] ? live->last[live->raised - 1] : live->latest;
            live->raised = 0;
        }
        if (work_node(graph, live, NO_OP) < 0 || work_edge(graph, *exception ? *exception : EDGE_CODE) < 0) {
            return -1;
        }
        live->caught = (uint32_t)graph->count;
        return read_values(graph, walk, record, live);
    }
    case KIND_UNBIND:
        if (live->unbound_count < 4) {
            live->unbound[live->unbound_count++] = site;
        }
        return 0;
    case KIND_RESUME:
        return 0;
    default:
        break;
    }
    if (flush_unbound(graph, live, UINT32_MAX) < 0) {
        return -1;
    }
    ahead.is_again = 1;
    graph->arrives = record->kind;
    graph->arriving = 0;
    if (record->kind == KIND_TURN) {
        if (walk_token(&ahead, &token) < 0 ||
            (is_object(token.bits) && heap_object(graph, token.bits, &token) == 0)) {
            return -1;
        }
        graph->arriving = token.bits;
    }
    int followed = work_follow(graph, live, record->kind, site, place);
    graph->arrives = 0;
    graph->is_new_run = 1;
    live->since = graph->moment;
    return followed < 0 || lose(graph, live, followed) < 0 ? -1 : read_values(graph, walk, record, live);
}

static int
read_resume(Graph *graph, Walk *walk, Live *live, Live *resumer)
{
    int is_absent = walk->at < walk->end && *walk->at == TAG_ABSENT;
    int is_none = walk->at + 1 < walk->end && walk->at[0] == TAG_CONSTANT && walk->at[1] == 0;
    Walk ahead = *walk;
    Token token;
    ahead.is_again = 1;
    if (walk_token(&ahead, &token) < 0) {
        return -1;
    }
    live->is_resumed = 1;
    live->since = graph->moment;
    live->sent = 0;
    if (resumer) {
        live->sent = resumer->decided ? resumer->decided : resumer->begin;
        if (!is_absent && !is_none) {
            /* Which of its variables was sent is not known before its next event. */
            if (work_node(graph, resumer, NO_OP) < 0 || work_edge(graph, live->sent ? live->sent : EDGE_CODE) < 0) {
                return -1;
            }
            for (uint32_t i = 0; i < resumer->code->slots; i++) {
                if (work_edge(graph, resumer->defined[i]) < 0) {
                    return -1;
                }
            }
            for (size_t i = 0; resumer->code->slots == 0 && i < graph->globals_room; i++) {
                if (work_edge(graph, graph->globals[i]) < 0) {
                    return -1;
                }
            }
            if (work_unknown(graph, UNKNOWN_WRITER) < 0) {
                return -1;
            }
            live->sent = (uint32_t)graph->count;
        }
    }
    int followed = work_follow(graph, live, is_absent ? LABEL_FOUND : KIND_RESUME, 0, UINT32_MAX);
    live->told_count = is_absent ? 0 : 1;
    live->told[0] = token.bits;
    return lose(graph, live, followed);
}

static int
read_record(Graph *graph, Walk *walk, const Record *record)
{
    uint32_t call, caller = stacks_top(&graph->stacks);
    if (record->kind == KIND_RESUME && record->number >= graph->next_call) {
        PyErr_SetString(PyExc_ValueError, "a call is resumed that has not begun");
        return -1;
    }
    if (stacks_step(&graph->stacks, record, &graph->next_call, &call) < 0) {
        return -1;
    }
    Live *live = work_live(graph, call);
    switch (record->kind) {
    case KIND_ENTER:
        return read_enter(graph, walk, record, caller, call);
    case KIND_RETURN:
    case KIND_SUSPEND:
    case KIND_UNWIND:
    case KIND_LOST:
        if (live == NULL) {
            return look_end(graph, call, 0);
        }
        graph->arrives = 0;
        return read_leave(graph, walk, record, live, call);
    case KIND_RESUME:
        return live ? read_resume(graph, walk, live, work_live(graph, caller)) : 0;
    case KIND_CHANGED:
    case KIND_SPLICED:
    case KIND_PUT:
        return read_effect(graph, walk, record, live);
    case KIND_CONTENTS:
        return read_contents(graph, walk, record, 0);
    case KIND_OUTPUT:
        return live ? read_output(graph, record, live) : 0;
    default:
        return live && record->kind >= KIND_RAISE && record->kind <= KIND_DELETE_SLICE
                   ? read_event(graph, walk, record, live) : 0;
    }
}

/* --- The type ------------------------------------------------------------------------------------ */

PyDoc_STRVAR(read_doc, "read(data, high) -> bool\n\n"
"Read the next segment, up to the event at the moment `high`; false: that was reached.");

static PyObject *
graph_read(Graph *graph, PyObject *args)
{
    const char *data;
    Py_ssize_t size;
    unsigned long long high;
    if (!PyArg_ParseTuple(args, "y#K:read", &data, &size, &high)) {
        return NULL;
    }
    Walk walk;
    walk_start(&walk, data, size);
    int failed = 0;
    while (!failed && walk.at < walk.end && graph->moment < high) {
        Record record;
        failed = walk_record(&walk, &record) < 0;
        if (failed) {
            break;
        }
        Walk before = walk;
        /* Texts and types that are new in this record are known after it was skipped. */
        failed = walk_skip(&walk, &record) < 0;
        before.texts = walk.texts;
        before.types = walk.types;
        failed = failed || read_record(graph, &before, &record) < 0;
        graph->moment += (uint64_t)takes_moment(&record);
    }
    if (failed) {
        walk_complain(&walk);
    }
    walk_end(&walk);
    if (failed) {
        return NULL;
    }
    return PyBool_FromLong(graph->moment < high);
}

static PyObject *
graph_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *code_of_, *way_of_;
    if (!PyArg_ParseTuple(args, "OO:Graph", &code_of_, &way_of_) || (keywords && PyDict_GET_SIZE(keywords))) {
        return NULL;
    }
    Graph *graph = (Graph *)type->tp_alloc(type, 0);
    if (graph == NULL) {
        return NULL;
    }
    graph->code_of = Py_NewRef(code_of_);
    graph->way_of = Py_NewRef(way_of_);
    if (stacks_init(&graph->stacks) < 0 ||
        graph_room((void **)&graph->edges_at, &graph->at_room, 2, sizeof(uint32_t)) < 0) {
        Py_DECREF(graph);
        return NULL;
    }
    graph->is_made = 1;
    return (PyObject *)graph;
}

static int
graph_traverse(Graph *graph, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(graph));
    Py_VISIT(graph->code_of);
    Py_VISIT(graph->way_of);
    return 0;
}

static int
graph_clear(Graph *graph)
{
    Py_CLEAR(graph->code_of);
    Py_CLEAR(graph->way_of);
    return 0;
}

static void
graph_dealloc(Graph *graph)
{
    PyTypeObject *type = Py_TYPE(graph);
    PyObject_GC_UnTrack(graph);
    graph_clear(graph);
    for (size_t i = 0; i < graph->live_room; i++) {
        if (graph->lives[i]) {
            free_live(graph->lives[i]);
        }
    }
    for (size_t i = 0; i < graph->code_room; i++) {
        free_code(graph->codes[i]);
    }
    void *arrays[] = {graph->ops, graph->edges_at, graph->edges, graph->runs, graph->outputs, graph->unknown,
                      graph->lives, graph->codes, graph->thrown, graph->defaults, graph->objects,
                      graph->object_slots, graph->cells, graph->cell_slots, graph->links, graph->globals,
                      graph->global_tokens, graph->global_next, graph->named, graph->way_slots, graph->ways,
                      graph->way_ops, graph->looks, graph->ends};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        PyMem_RawFree(arrays[i]);
    }
    if (graph->is_made) {
        stacks_free(&graph->stacks);
    }
    type->tp_free((PyObject *)graph);
    Py_DECREF(type);
}

static PyMethodDef graph_methods[] = {
    {"read", (PyCFunction)graph_read, METH_VARARGS, read_doc},
    {"flush", (PyCFunction)reach_flush, METH_VARARGS, reach_flush_doc},
    {"variable", (PyCFunction)reach_variable, METH_VARARGS, reach_variable_doc},
    {"cell", (PyCFunction)reach_cell, METH_VARARGS, reach_cell_doc},
    {"part", (PyCFunction)reach_part, METH_VARARGS, reach_part_doc},
    {"result", (PyCFunction)reach_result, METH_NOARGS, reach_result_doc},
    {"outputs", (PyCFunction)reach_outputs, METH_NOARGS, reach_outputs_doc},
    {"size", (PyCFunction)reach_size, METH_NOARGS, reach_size_doc},
    {"back", (PyCFunction)reach_back, METH_VARARGS, reach_back_doc},
    {"forth", (PyCFunction)reach_forth, METH_VARARGS, reach_forth_doc},
    {"looked", (PyCFunction)reach_looked, METH_VARARGS, reach_looked_doc},
    {"reads", (PyCFunction)look_reads, METH_VARARGS, look_reads_doc},
    {"ended", (PyCFunction)look_ended, METH_VARARGS, look_ended_doc},
    {"near", (PyCFunction)near_rows, METH_VARARGS, near_rows_doc},
    {"show", (PyCFunction)reach_show, METH_VARARGS, reach_show_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot graph_slots[] = {
    {Py_tp_doc, "Graph(code_of, way_of): the dependence graph of a run, read segment by segment."},
    {Py_tp_new, graph_new},
    {Py_tp_dealloc, graph_dealloc},
    {Py_tp_traverse, graph_traverse},
    {Py_tp_clear, graph_clear},
    {Py_tp_methods, graph_methods},
    {0, NULL},
};

static PyType_Spec graph_spec = {
    .name = "sleuth._core.Graph",
    .basicsize = sizeof(Graph),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = graph_slots,
};

int
graph_init(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&graph_spec);
    int failed = type == NULL || PyModule_AddObjectRef(module, "Graph", type) < 0;
    Py_XDECREF(type);
    return failed ? -1 : 0;
}
