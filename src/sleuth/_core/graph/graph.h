/* The dependence graph of a run: a node for each operation that ran, with edges to what it depends on.
 *
 * Nodes are numbered as they come, from 1; all edges lead to smaller numbers.  The static part (operations of
 * a function, and those between two of its events) comes from Python as arrays of 32 bits, when first needed. */
#ifndef SLEUTH_GRAPH_H
#define SLEUTH_GRAPH_H

#include "stacks.h"

/* Kinds of operations; the same as in trace/slices/code.py. */
enum {
    DO_CONSTANT, DO_READ, DO_STORE, DO_DELETE, DO_ATTRIBUTE, DO_STORE_ATTRIBUTE, DO_DELETE_ATTRIBUTE,
    DO_ITEM, DO_SLICE, DO_STORE_ITEM, DO_DELETE_ITEM, DO_CALL, DO_COMPUTE, DO_MAKE, DO_ADD, DO_EXTEND,
    DO_UNPACK, DO_ITERATE, DO_NEXT, DO_BRANCH, DO_RETURN, DO_YIELD, DO_WAIT, DO_RAISE, DO_CAUGHT,
    DO_ENTER, DO_LEAVE, DO_FUNCTION, DO_CLASS, DO_IMPORT, DO_OTHER, DO_COUNT,
};
/* Roles of inputs. */
enum {
    ROLE_OTHER, ROLE_CALLEE, ROLE_RECEIVER, ROLE_POSITION, ROLE_NAME, ROLE_STAR, ROLE_STARS, ROLE_OBJECT,
    ROLE_KEY, ROLE_VALUE, ROLE_DEFAULTS, ROLE_CONTAINER, ROLE_ITEM,
};
/* Scopes of variables. */
enum { SCOPE_NONE, SCOPE_SLOT, SCOPE_CELL, SCOPE_GLOBAL, SCOPE_CLASS };
/* Flags of operations. */
enum {
    OP_IN_HANDLER = 1,  /* it runs because of an exception */
    OP_IS_ITEMS = 2,    /* it makes a sequence of its inputs, one by one */
    OP_LOOKS_NOT = 4,   /* it does not look into its inputs: `is` */
    OP_IS_COPY = 8,     /* its result is one of its inputs */
    OP_DECIDES = 16,    /* others are control dependent on it */
    OP_IS_RISKY = 32,   /* its other way may write anything */
    OP_MAY_CHANGE = 64, /* it calls a method that changes a container: `sort` */
    OP_IS_EACH = 128,   /* it adds an item to a list in each turn of one loop: a comprehension without a filter */
};
/* Kinds of parameters. */
enum { GIVEN_PLAIN, GIVEN_KEYWORD, GIVEN_POSITIONS, GIVEN_NAMES };
/* Flags of functions. */
enum { CODE_IS_INIT = 1, CODE_IS_CLASS = 2 };

/* Tags of edges, in the upper two bits. */
#define EDGE_TAG 0xC0000000u
#define EDGE_CODE 0x40000000u     /* to what was called: only copies lead to it */
#define EDGE_RELEVANT 0x80000000u /* potential; 0: to the risky decisions since the node in the next word */
#define EDGE_WHOLE 0xC0000000u    /* to all that an object contains; the rest is its index */
#define EDGE_SHALLOW 0x20000000u  /* with EDGE_WHOLE: only its own parts */
#define MOST_NODES 0x1FFFFFF0u
#define NODE_IS_COPY 0x80000000u  /* with the operation of a node: its value is that of its edges */
#define NODE_IS_CODE 0x40000000u  /* it defines a function or a class */
#define OP_OF_NODE 0x3FFFFFFFu
#define NO_OP 0x3FFFFFFFu
#define MAYBE 0x80000000u /* with an operation of a way: on one of several ways that are possible */

/* Labels beside the kinds of events. */
enum { LABEL_AT_PLACE = 0, LABEL_FOUND = 1, LABEL_FINISH = 2, LABEL_FLUSH = 3 };

/* What could not be known. */
enum { UNKNOWN_OBJECT = 1, UNKNOWN_KEY, UNKNOWN_CODE, UNKNOWN_CHANGE, UNKNOWN_ROUTE, UNKNOWN_WRITER };

typedef struct {
    uint32_t kind, scope, arg, flags, low, high, inputs, controls; /* inputs, controls: where they begin */
} Op;

typedef struct {
    uint32_t role, name, made; /* made: where the pairs of operation and output begin */
} In;

typedef struct {
    uint32_t *words; /* owned */
    uint32_t ops, slots, params, cells, flags, base, start, start_resumed;
    const uint32_t *given; /* of each parameter: kind, name, scope, index */
    const Op *op;          /* ops + 1 of them */
    const In *in;
    const uint32_t *made, *controls, *risks, *risks_of; /* risks_of: of each slot where its risks begin */
    uint32_t number;
    struct Live *spare; /* owned; calls that are over */
} Code;

typedef struct {
    uint64_t token;
    uint32_t node;
    uint32_t how; /* below */
} Handed;
enum { HANDED_CALLED = 1, HANDED_LOOSE = 2, HANDED_DEFERRED = 4, HANDED_INIT = 8 };

typedef struct Live {
    Code *code;
    uint32_t id, state;
    uint32_t *last;   /* of each operation: its last node */
    uint64_t *token;  /* of each operation: its last value */
    uint32_t *turns;  /* of each operation `next`: how often it ran */
    uint32_t *defined; /* of each slot */
    uint64_t *held;
    uint64_t *cells;
    uint32_t begin, decided, caught, latest; /* nodes */
    uint32_t running, running_begin, running_given; /* operation + 1; its nodes */
    uint32_t raised; /* operation + 1 */
    uint32_t sent; /* node of the call that resumed it */
    uint64_t since; /* the moment of its last event */
    uint64_t told[4]; /* values of the last event */
    int told_count, told_asked;
    int64_t told_index;
    int told_is_index;
    Handed *handed; /* owned */
    size_t handed_count, handed_room;
    uint32_t unbound[4]; /* sites of events that wait for the next one */
    int unbound_count;
    int is_called, is_resumed;
    struct Live *next; /* among the spare ones */
} Live;

typedef struct {
    uint64_t id;
    uint32_t base, vague, reset, chain; /* chain: index + 1 of the last write */
    uint32_t flags;
    int64_t length; /* of a sequence; -1: not known */
} Obj;
enum { OBJ_IS_OPAQUE = 1, OBJ_IS_CLASS = 2, OBJ_IS_MODULE = 4, OBJ_IS_TOLD = 8, OBJ_IS_MAPPING = 16,
       OBJ_IS_FULL = 32,
       OBJ_IS_TYPED = 64 };

typedef struct {
    uint32_t before, node, when, inner; /* inner: object + 1 that was written; when: nodes at that time */
} Link;

typedef struct {
    uint64_t key, token;
    uint32_t object, node;
} Cell;

typedef struct {
    uint64_t moment;
    uint32_t node, call;
} Mark;

typedef struct {
    uint64_t key; /* 0: a global, with its slot in place of the object */
    uint32_t node, object; /* object: index + 1 */
} Look;

typedef struct {
    uint32_t last, result; /* the last node before it ended, that of its result or exception */
} Ended;

typedef struct {
    uint64_t key;
    uint64_t place;
    uint32_t way; /* index + 1 */
} WaySlot;

typedef struct {
    uint32_t state, start, count; /* 0xFFFFFFFF: it leads nowhere */
    uint32_t at; /* operation + 1 that is reached and runs */
} Way;

typedef struct {
    PyObject_HEAD
    PyObject *code_of, *way_of; /* owned */
    Stacks stacks;
    int is_made;
    uint64_t next_call, moment;
    /* the graph */
    uint32_t *ops;   /* of each node: operation of all functions */
    uint32_t *edges_at;
    uint32_t *edges;
    size_t count, ops_room, at_room, edge_count, edge_room;
    Mark *runs; /* where nodes of another call begin, or those after its next event, and the moment of this one */
    size_t run_count, run_room;
    Mark *outputs;
    size_t output_count, output_room;
    Mark *unknown; /* node, reason in `call` */
    size_t unknown_count, unknown_room;
    Look *looks; /* which part of an object a node read */
    size_t look_count, look_room;
    Ended *ends; /* by call */
    size_t end_room;
    /* the state */
    Live **lives; /* by call */
    size_t live_room;
    Code **codes; /* by function */
    size_t code_room;
    uint32_t *thrown; /* by index of thread: node of the last exception */
    size_t thrown_room;
    uint32_t *defaults; /* by function: node of the defaults */
    size_t defaults_room;
    Obj *objects;
    size_t object_count, object_room;
    uint32_t *object_slots;
    size_t object_slots_room;
    Cell *cells;
    size_t cell_count, cell_room;
    uint32_t *cell_slots;
    size_t cell_slots_room;
    Link *links;
    size_t link_count, link_room;
    uint32_t *globals; /* node */
    uint64_t *global_tokens;
    uint32_t *global_next; /* slot + 1 with the same name */
    size_t globals_room, global_tokens_room, global_next_room;
    uint32_t *named; /* by name: slot + 1 */
    size_t named_room;
    WaySlot *way_slots;
    size_t way_slots_room, way_keys;
    Way *ways;
    size_t way_count, way_room;
    uint32_t *way_ops;
    size_t way_op_count, way_op_room;
    uint32_t result, result_call; /* of the call that ended last */
    uint32_t risky; /* the last risky decision */
    int is_maybe; /* the operation is on one of several ways */
    int arrives; /* the kind of the event that a segment leads to */
    uint64_t arriving; /* its value */
    int is_stopped;
    int is_new_run; /* the next node comes after another event */
} Graph;

/* All functions that return int give 0, or -1 with an exception, if nothing else is said. */
int graph_room(void **array, size_t *room, size_t wanted, size_t size); /* new room is zero */

/* heap.c */
uint32_t heap_object(Graph *graph, uint64_t token, const Token *told); /* index + 1; 0 with an exception */
Cell *heap_find(Graph *graph, uint32_t object, uint64_t key);           /* NULL: there is none */
int heap_put(Graph *graph, uint32_t object, uint64_t key, uint64_t token, uint32_t node);
int heap_link(Graph *graph, uint32_t object, uint32_t node, uint64_t token);
static inline int is_object(uint64_t token) { return (token & 3) == 1; }
#define KEY_ITEM 0x8000000000000000u
#define KEY_CELL 1u
/* Pseudo objects: all writes of an attribute, those in classes, and all risky decisions. */
#define NAMED_TOKEN(name) ((0x3000000000000000u + (uint64_t)(name)) << 2 | 1)
#define CLASS_TOKEN(name) ((0x3100000000000000u + (uint64_t)(name)) << 2 | 1)
#define RISKS_TOKEN (0x3200000000000000u << 2 | 1)

/* work.c: operations of a call that ran */
int work_follow(Graph *graph, Live *live, uint32_t kind, uint32_t number, uint32_t place);
int work_value(Graph *graph, uint64_t token, uint32_t node);
int work_begin(Graph *graph, Live *live, uint32_t op); /* an operation begins to run, and calls others */
uint64_t key_of_index(int64_t index);
const Way *graph_way(Graph *graph, Live *live, uint32_t kind, uint32_t number, uint32_t place); /* NULL: error */
int work_node(Graph *graph, Live *live, uint32_t op);
int work_edge(Graph *graph, uint32_t edge);
int work_control(Graph *graph, Live *live, const Op *op);
int work_unknown(Graph *graph, uint32_t why);
int work_parameters(Graph *graph, Live *caller, Live *live, const uint64_t *values, uint32_t count, int flags);
int work_effect(Graph *graph, Live *live); /* make a node for what the running operation did */
int work_whole(Graph *graph, uint64_t token, int is_shallow);
int work_operation(Graph *graph, Live *live, uint32_t op);
Live *work_live(Graph *graph, uint32_t call); /* NULL: not alive */

/* reach.c: questions to the graph */
PyObject *reach_flush(Graph *graph, PyObject *args);
extern const char reach_flush_doc[];
PyObject *reach_variable(Graph *graph, PyObject *args);
extern const char reach_variable_doc[];
PyObject *reach_cell(Graph *graph, PyObject *args);
extern const char reach_cell_doc[];
PyObject *reach_part(Graph *graph, PyObject *args);
extern const char reach_part_doc[];
PyObject *reach_result(Graph *graph, PyObject *args);
extern const char reach_result_doc[];
PyObject *reach_outputs(Graph *graph, PyObject *args);
extern const char reach_outputs_doc[];
PyObject *reach_size(Graph *graph, PyObject *args);
extern const char reach_size_doc[];
PyObject *reach_back(Graph *graph, PyObject *args);
extern const char reach_back_doc[];
PyObject *reach_forth(Graph *graph, PyObject *args);
extern const char reach_forth_doc[];
PyObject *reach_looked(Graph *graph, PyObject *args);
extern const char reach_looked_doc[];
PyObject *reach_show(Graph *graph, PyObject *args);
extern const char reach_show_doc[];
int graph_init(PyObject *module);

/* near.c: how near operations are to a value */
PyObject *near_rows(Graph *graph, PyObject *args);
extern const char near_rows_doc[];

/* looks.c: what nodes read of objects, and how calls ended */
#define LOOK_ANY 3 /* as a key: it may have read any object */
int look_note(Graph *graph, uint32_t object, uint64_t key); /* the newest node reads a part */
int look_end(Graph *graph, uint32_t call, uint32_t result);
PyObject *look_reads(Graph *graph, PyObject *args);
extern const char look_reads_doc[];
PyObject *look_ended(Graph *graph, PyObject *args);
extern const char look_ended_doc[];

#endif
