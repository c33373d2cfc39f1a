/* Tree compression that decides by cost.

   The cost of a tree is the number of questions to find the bug, summed over all nodes that may have
   it, each counted by its mass. Merging a call into its caller keeps the masses, so the sums before
   and after can be compared.

   If nodes are asked from the top down, heaviest child first, the cost of a node is the sum of its
   children's positions times their weights, plus the number of children times its own mass. The cost
   of the tree is the sum over its nodes, so a merger changes the cost of two nodes only.

   If any node may be asked, the cost of the caller and the call is found by simulation: the node whose
   weight is nearest to half is asked, and the children count as they are. The cost of telling merged
   calls apart afterwards, by halving, is counted, too. Since halving can make use of any call of a
   longer recursion, only a few calls are merged. */
#include "compress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char compress_doc[] = PyDoc_STR("compress(parents, can, own, is_dividing, gone)\n\n"
"Find the nodes that are worth being merged into their parents. Buffers, in preorder: parents of\n"
"int32, can of uint8 (whether a node could be merged), own of float64 (the mass of each node).\n"
"is_dividing: any node may be asked next. gone of uint8 is written: the nodes that are merged.");

typedef struct {
    double weight;
    int32_t node;
} Item;

/* The children of a node, the heaviest first. */
typedef struct {
    Item *items;
    int32_t count, space;
} List;

typedef struct {
    const int32_t *parents;
    const uint8_t *can;
    double *own; /* grows as nodes are merged */
    uint8_t *gone;
    List *lists;
    double *weights; /* of the present list: the sum of the weights of all items before each one */
    double *costs;   /* the same for their costs, if they are asked in turn */
    int32_t space;
    int is_dividing;
    double budget; /* steps that are left; when they are used up, the rest of the tree stays as it is */
} Work;

static const double EPSILON = 1e-9;
enum { MOST_PASSES = 8 };
static const double MOST_HALVED = 4; /* the most calls that are merged if any node may be asked */

static int
by_weight(const void *left, const void *right)
{
    const Item *a = left, *b = right;
    if (a->weight != b->weight) {
        return a->weight < b->weight ? 1 : -1;
    }
    return (a->node > b->node) - (a->node < b->node);
}

static int
grow(List *list, int32_t wanted)
{
    if (wanted <= list->space) {
        return 0;
    }
    int32_t space = list->space ? list->space : 2;
    while (space < wanted) {
        space *= 2;
    }
    Item *items = realloc(list->items, space * sizeof(Item));
    if (items == NULL) {
        return -1;
    }
    list->items = items;
    list->space = space;
    return 0;
}

/* Add up the weights and the costs of a list, from an item on; -1: no memory. */
static int
add_up(Work *work, const List *list, int32_t from)
{
    if (list->count + 1 > work->space) {
        int32_t space = (list->count + 1) * 2;
        double *weights = realloc(work->weights, space * sizeof(double));
        work->weights = weights != NULL ? weights : work->weights;
        double *costs = realloc(work->costs, space * sizeof(double));
        work->costs = costs != NULL ? costs : work->costs;
        if (weights == NULL || costs == NULL) {
            return -1;
        }
        work->space = space;
    }
    work->weights[0] = work->costs[0] = 0;
    for (int32_t i = from; i < list->count; i++) {
        work->weights[i + 1] = work->weights[i] + list->items[i].weight;
        work->costs[i + 1] = work->costs[i] + (i + 1) * list->items[i].weight;
    }
    work->budget -= list->count - from;
    return 0;
}

/* The weight of the items from an index on. */
static double
rest(const Work *work, const List *list, int32_t from)
{
    return work->weights[list->count] - work->weights[from];
}

/* The number of items that are at least as heavy. */
static int32_t
heavier(const List *list, double weight)
{
    int32_t low = 0, high = list->count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (list->items[middle].weight >= weight) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The cost of a node whose children are asked in turn: positions times weights, and all questions for its own
 * mass. */
static double
asked_in_turn(const Item *items, int32_t count, double own)
{
    double cost = count * own;
    for (int32_t i = 0; i < count; i++) {
        cost += (i + 1) * items[i].weight;
    }
    return cost;
}

/* The cost of a caller and one of its children, each asked from the top down. */
static double
cost_from_the_top(const Work *work, int32_t node, int32_t at)
{
    const List *list = &work->lists[node];
    int32_t child = list->items[at].node;
    const List *inner = &work->lists[child];
    return work->costs[list->count] + list->count * work->own[node] +
           asked_in_turn(inner->items, inner->count, work->own[child]);
}

/* The same if any node may be asked. */
static double
cost_by_halving(Work *work, int32_t node, int32_t at)
{
    const List *list = &work->lists[node];
    int32_t child = list->items[at].node;
    const List *inner = &work->lists[child];
    double inside = list->items[at].weight;
    double total = work->own[node] + rest(work, list, 0);
    double cost = 0;
    int32_t i = 0, x = 0;
    for (;;) {
        i += i == at; /* the child itself is skipped */
        double outer = i < list->count ? list->items[i].weight : -1;
        double within = x < inner->count ? inner->items[x].weight : -1;
        double item = outer > within ? outer : within;
        cost += total;
        if (item < 0 || fabs(2 * inside - total) <= fabs(2 * item - total)) {
            break;
        }
        if (outer > within) {
            i++;
        } else {
            x++;
            inside -= item;
        }
        total -= item;
    }
    work->budget -= i + x;
    cost += asked_in_turn(inner->items + x, inner->count - x, work->own[child]);
    int32_t left = list->count - i;
    if (i <= at) {
        cost -= (at - i + 1) * list->items[at].weight + rest(work, list, at + 1);
        left--;
    }
    cost += work->costs[list->count] - work->costs[i] - i * rest(work, list, i);
    return cost + left * work->own[node];
}

/* The cost of a caller and one of its children after they are merged. */
static double
cost_merged(const Work *work, int32_t node, int32_t at)
{
    const List *list = &work->lists[node];
    int32_t child = list->items[at].node;
    const List *inner = &work->lists[child];
    double cost = work->costs[list->count];
    cost -= (at + 1) * list->items[at].weight + rest(work, list, at + 1);
    for (int32_t x = 0; x < inner->count; x++) {
        double weight = inner->items[x].weight;
        int32_t before = heavier(list, weight); /* this counts the child, which is gone after the merger */
        cost += (x + before) * weight + rest(work, list, before);
    }
    return cost + (list->count - 1 + inner->count) * (work->own[node] + work->own[child]);
}

/* The cost of finding one of the merged calls by halving. */
static double
told_apart(double own)
{
    return own > 0 ? own * log2(own) : 0;
}

/* How much is saved by merging a child into its caller. */
static double
gain(Work *work, int32_t node, int32_t at)
{
    const List *list = &work->lists[node];
    work->budget -= 8.0 * work->lists[list->items[at].node].count + 8;
    double saved = -cost_merged(work, node, at);
    if (!work->is_dividing) {
        return saved + cost_from_the_top(work, node, at);
    }
    double mine = work->own[node], its = work->own[list->items[at].node];
    if (mine + its > MOST_HALVED) {
        return -INFINITY;
    }
    double later = told_apart(mine + its) - told_apart(mine) - told_apart(its);
    return saved + cost_by_halving(work, node, at) - later;
}

static int
merge(Work *work, int32_t node, int32_t at)
{
    List *list = &work->lists[node];
    int32_t child = list->items[at].node;
    List *inner = &work->lists[child];
    if (grow(list, list->count + inner->count) < 0) {
        return -1;
    }
    memmove(list->items + at, list->items + at + 1, (list->count - at - 1) * sizeof(Item));
    list->count--;
    /* Merge the two sorted lists from the back. */
    int32_t i = list->count - 1, x = inner->count - 1;
    for (int32_t to = list->count + inner->count - 1; x >= 0; to--) {
        if (i >= 0 && by_weight(&list->items[i], &inner->items[x]) > 0) {
            list->items[to] = list->items[i--];
        } else {
            list->items[to] = inner->items[x--];
        }
    }
    list->count += inner->count;
    work->own[node] += work->own[child];
    work->gone[child] = 1;
    free(inner->items);
    *inner = (List){NULL, 0, 0};
    return add_up(work, list, at);
}

static int32_t
place_of(const List *list, Item wanted)
{
    int32_t low = 0, high = list->count;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (by_weight(&list->items[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

typedef struct {
    double gain;
    Item item;
} Chance;

static int
by_gain(const void *left, const void *right)
{
    const Chance *a = left, *b = right;
    if (a->gain != b->gain) {
        return a->gain < b->gain ? 1 : -1;
    }
    /* The last node first: then fewer items have to be moved. */
    return (a->item.node < b->item.node) - (a->item.node > b->item.node);
}

/* One pass over the children that could be merged into a node, the best first; return how many were
 * merged, or -1: no memory. */
static int32_t
pass(Work *work, int32_t node)
{
    List *list = &work->lists[node];
    int32_t count = 0, merged = 0;
    Chance *chances = malloc((list->count ? list->count : 1) * sizeof(Chance));
    if (chances == NULL) {
        return -1;
    }
    for (int32_t i = 0; i < list->count && work->budget > 0; i++) {
        if (work->can[list->items[i].node]) {
            chances[count++] = (Chance){gain(work, node, i), list->items[i]};
        }
    }
    qsort(chances, count, sizeof(Chance), by_gain);
    for (int32_t i = 0; i < count && work->budget > 0; i++) {
        int32_t at = place_of(list, chances[i].item);
        /* Mergers in this pass have changed the gain of the others. */
        double now = merged ? gain(work, node, at) : chances[i].gain;
        double noise = EPSILON * (1 + rest(work, list, 0));
        /* If any node may be asked, plain recursion costs the same merged or not: then it is merged. */
        if (now > (work->is_dividing ? -noise : noise)) {
            if (merge(work, node, at) < 0) {
                merged = -1;
                break;
            }
            merged++;
        }
    }
    free(chances);
    return merged;
}

static int
look_at(Work *work, int32_t node)
{
    List *list = &work->lists[node];
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof(Item), by_weight);
    }
    if (add_up(work, list, 0) < 0) {
        return -1;
    }
    for (int32_t i = 0; i < MOST_PASSES && work->budget > 0; i++) {
        int32_t merged = pass(work, node);
        if (merged <= 0) {
            return merged;
        }
    }
    return 0;
}

/* Look at all nodes from the leaves to the root; nodes that could be merged, and their parents, get lists of
 * children.  -1: no memory. */
static int
look_at_all(Work *work, uint8_t *needs, double *weight, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        if (work->can[i]) {
            needs[i] = needs[work->parents[i]] = 1;
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        weight[i] += work->own[i];
        if (needs[i] && look_at(work, i) < 0) {
            return -1;
        }
        int32_t above = work->parents[i];
        if (i == 0) {
            break;
        }
        weight[above] += weight[i];
        if (needs[above] && weight[i] > 0) {
            List *list = &work->lists[above];
            if (grow(list, list->count + 1) < 0) {
                return -1;
            }
            list->items[list->count++] = (Item){weight[i], i};
        }
    }
    return 0;
}

static int
compressed(const int32_t *parents, const uint8_t *can, const double *own, int is_dividing,
           uint8_t *gone, int32_t n)
{
    uint8_t *needs = calloc(n, 1);
    double *weight = calloc(n, sizeof(double));
    double *mine = malloc(n * sizeof(double));
    List *lists = calloc(n, sizeof(List));
    Work work = {
        .parents = parents, .can = can, .own = mine, .gone = gone, .lists = lists,
        .is_dividing = is_dividing, .budget = 2e8 + 200.0 * n,
    };
    int failed = needs == NULL || weight == NULL || mine == NULL || lists == NULL;
    if (!failed) {
        memcpy(mine, own, n * sizeof(double));
        memset(gone, 0, n);
        failed = look_at_all(&work, needs, weight, n) < 0;
    }
    if (lists != NULL) {
        for (int32_t i = 0; i < n; i++) {
            free(lists[i].items);
        }
    }
    free(work.costs);
    free(work.weights);
    free(lists);
    free(mine);
    free(weight);
    free(needs);
    return failed ? -1 : 0;
}

static int
is_preorder(const int32_t *parents, Py_ssize_t n)
{
    for (Py_ssize_t i = 1; i < n; i++) {
        if (parents[i] < 0 || parents[i] >= i) {
            return 0;
        }
    }
    return n > 0 && n < INT32_MAX / 2;
}

PyObject *
compress(PyObject *module, PyObject *args)
{
    Py_buffer parents, can, own, gone;
    int is_dividing;
    if (!PyArg_ParseTuple(args, "y*y*y*pw*:compress", &parents, &can, &own, &is_dividing, &gone)) {
        return NULL;
    }
    Py_ssize_t n = gone.len;
    if (parents.len != n * 4 || can.len != n || own.len != n * 8) {
        PyErr_SetString(PyExc_ValueError, "the buffers differ in length");
    } else if (!is_preorder(parents.buf, n)) {
        PyErr_SetString(PyExc_ValueError, "a parent stands behind its child");
    } else if (compressed(parents.buf, can.buf, own.buf, is_dividing, gone.buf, (int32_t)n) < 0) {
        PyErr_NoMemory();
    }
    PyBuffer_Release(&parents);
    PyBuffer_Release(&can);
    PyBuffer_Release(&own);
    PyBuffer_Release(&gone);
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}
