/* A label for each edge, such that on the path between two edges with the same label lies a larger
 * one. Asking the edge with the largest label splits the tree; its parts are labelled likewise, so
 * the largest label plus one is the number of questions in the worst case.
 *
 * From the leaves up, each node keeps the set of labels that are visible from it: those below it
 * that no larger label hides. The least set, read as a binary number, is the best to go on from
 * (Onak and Parys). The edges to few children are labelled from the largest label down: a label is
 * left out if the rest can do without it; otherwise it goes to the child that it hides most of. With
 * very many children (or labels beyond 63) a plainer rule gives labels that may be a few too large:
 * where several children show the same one, all but one are hidden by the smallest free one above.
 */
#include "ranking.h"

#include <stdlib.h>
#include <string.h>

const char ranking_doc[] = PyDoc_STR("ranking(ends, labels) -> int\n\n"
"Label the edges of a tree: ends[i] is where the subtree of node i ends, in preorder; labels[i] is\n"
"written for the edge above node i (-1 for the root). Both are buffers of int32. Returns how many\n"
"questions find any node in the worst case.");

#define NO_MEMORY UINT32_MAX

/* A set of labels; bits beyond size are 0. */
typedef struct {
    uint64_t *bits; /* owned; NULL: `one` is the set */
    uint64_t one;
    uint32_t size, room; /* words in bits */
} Set;

typedef struct {
    const int32_t *ends; /* borrowed */
    int32_t *labels;     /* borrowed */
    Set *sets;           /* owned, of each node */
    int32_t *group;      /* owned: the children of a node, equal sets side by side */
    int32_t *counts;     /* owned: how many children show a label */
    size_t counts_room;
} Ranking;

static inline uint32_t
words_of(const Set *set)
{
    return set->bits ? set->size : set->one != 0;
}

static inline uint64_t
word_at(const Set *set, uint32_t at)
{
    if (set->bits) {
        return at < set->size ? set->bits[at] : 0;
    }
    return at == 0 ? set->one : 0;
}

static inline int
has(const Set *set, uint32_t label)
{
    return (word_at(set, label / 64) >> (label % 64)) & 1;
}

static int
reserve(Set *set, uint32_t words)
{
    if (words <= 1 && set->bits == NULL) {
        return 0;
    }
    if (set->bits == NULL || words > set->room) {
        uint32_t room = words > set->room * 2 ? words : set->room * 2;
        uint64_t *bits = realloc(set->bits, room * sizeof(uint64_t));
        if (bits == NULL) {
            return -1;
        }
        if (set->bits == NULL) {
            bits[0] = set->one;
            set->size = 1;
        }
        set->bits = bits;
        set->room = room;
    }
    while (set->size < words) {
        set->bits[set->size++] = 0;
    }
    return 0;
}

static int
put(Set *set, uint32_t label)
{
    if (reserve(set, label / 64 + 1) < 0) {
        return -1;
    }
    if (set->bits) {
        set->bits[label / 64] |= (uint64_t)1 << (label % 64);
    } else {
        set->one |= (uint64_t)1 << label;
    }
    return 0;
}

static void
take(Set *set, uint32_t label)
{
    if (set->bits) {
        set->bits[label / 64] &= ~((uint64_t)1 << (label % 64));
    } else {
        set->one &= ~((uint64_t)1 << label);
    }
}

static void
clear(Set *set)
{
    free(set->bits);
    *set = (Set){0};
}

/* The smallest label from `label` on that is not in the set. */
static uint32_t
free_from(const Set *set, uint32_t label)
{
    uint32_t at = label / 64, words = words_of(set);
    uint64_t taken = word_at(set, at) | (((uint64_t)1 << (label % 64)) - 1);
    while (taken == UINT64_MAX && at < words) {
        taken = word_at(set, ++at);
    }
    return at * 64 + (taken == UINT64_MAX ? 0 : (uint32_t)__builtin_ctzll(~taken));
}

/* Compares the labels below `limit`, the largest first. */
static int
compare_below(const Set *left, const Set *right, uint32_t limit)
{
    uint32_t most = words_of(left) > words_of(right) ? words_of(left) : words_of(right);
    uint32_t at = limit / 64 < most ? limit / 64 : most;
    uint64_t mask = limit / 64 < most ? ((uint64_t)1 << (limit % 64)) - 1 : UINT64_MAX;
    for (;; at--, mask = UINT64_MAX) {
        uint64_t a = word_at(left, at) & mask, b = word_at(right, at) & mask;
        if (a != b) {
            return a < b ? -1 : 1;
        }
        if (at == 0) {
            return 0;
        }
    }
}

/* One child: the set plus one, as a number. */
static int
extend_one(Ranking *self, int32_t node, int32_t child)
{
    Set *set = &self->sets[node];
    *set = self->sets[child];
    self->sets[child] = (Set){0};
    uint32_t label = free_from(set, 0);
    self->labels[child] = (int32_t)label;
    if (set->bits) {
        memset(set->bits, 0, label / 64 * sizeof(uint64_t));
        if (label / 64 < set->size) {
            set->bits[label / 64] &= ~(((uint64_t)1 << (label % 64)) - 1);
        }
    } else {
        set->one &= label >= 64 ? 0 : ~(((uint64_t)1 << label) - 1);
    }
    return put(set, label);
}

/* --- A few children, sets of one word ------------------------------------------------------------ */

#define FEW 64

static inline uint64_t
below(uint32_t label)
{
    return ((uint64_t)1 << label) - 1;
}

/* The set with the most to hide below a label. */
static size_t
largest_below(const uint64_t *sets, size_t count, uint32_t label)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if ((sets[i] & below(label)) > (sets[best] & below(label))) {
            best = i;
        }
    }
    return best;
}

/* How many sets show a label: 0, 1, or 2 for more. */
static int
showing(const uint64_t *sets, size_t count, uint32_t label)
{
    int found = 0;
    for (size_t i = 0; i < count && found < 2; i++) {
        found += (sets[i] >> label) & 1;
    }
    return found;
}

/* Whether labels up to this one suffice for all. */
static int
suffices(const uint64_t *given, size_t count, int label)
{
    uint64_t sets[FEW];
    memcpy(sets, given, count * sizeof(uint64_t));
    for (; label >= 0 && count > 0 && count <= (size_t)label + 1; label--) {
        int shown = showing(sets, count, (uint32_t)label);
        if (shown > 1) {
            return 0;
        }
        if (shown == 0) {
            size_t chosen = largest_below(sets, count, (uint32_t)label);
            sets[chosen] = sets[--count];
        }
    }
    return count == 0;
}

/* Returns 0 if labels beyond 63 are needed. */
static int
extend_few(Ranking *self, int32_t node, const int32_t *children, size_t count)
{
    uint64_t sets[FEW], once = 0, twice = 0, result = 0;
    int32_t nodes[FEW];
    for (size_t i = 0; i < count; i++) {
        sets[i] = self->sets[children[i]].one;
        nodes[i] = children[i];
        twice |= once & sets[i];
        once |= sets[i];
    }
    int top = twice ? 64 - __builtin_clzll(twice) : 0;
    top = top < (int)count - 1 ? (int)count - 1 : top;
    while (top < 64 && ((once >> top) & 1 || !suffices(sets, count, top))) {
        top++;
    }
    if (top >= 64) {
        return 0;
    }
    for (int label = top; count > 0; label--) {
        if (showing(sets, count, (uint32_t)label) ||
            (label < top && suffices(sets, count, label - 1))) {
            continue;
        }
        size_t chosen = largest_below(sets, count, (uint32_t)label);
        self->labels[nodes[chosen]] = label;
        result |= (sets[chosen] & ~below((uint32_t)label)) | (uint64_t)1 << label;
        sets[chosen] = sets[--count];
        nodes[chosen] = nodes[count];
    }
    self->sets[node].one = result;
    return 1;
}

static int
are_few(const Ranking *self, const int32_t *children, size_t count)
{
    for (size_t i = 0; i < count && count <= FEW; i++) {
        if (self->sets[children[i]].bits) {
            return 0;
        }
    }
    return count <= FEW;
}

/* --- Several children --------------------------------------------------------------------------- */

typedef struct {
    Set set;         /* owned; of each child of the group */
    int32_t *nodes;  /* borrowed */
    int32_t count;   /* of those without a label */
} Group;

typedef struct {
    Ranking *ranking; /* borrowed */
    Group *groups;    /* owned */
    size_t count;
    int32_t unlabelled;
    Set shown;        /* owned: all labels shown */
    uint32_t levels;  /* counts are kept for labels below this; above, one child shows them */
} Extension;

/* Gives a label to the edge of one child of a group, which hides what the child shows below it.
 * Returns the smallest label above `floor` that became free, or label + 1; NO_MEMORY. */
static uint32_t
label_one(Extension *self, Group *group, uint32_t label, int64_t floor)
{
    Ranking *ranking = self->ranking;
    uint32_t freed = label + 1;
    ranking->labels[group->nodes[--group->count]] = (int32_t)label;
    self->unlabelled--;
    uint32_t words = words_of(&group->set);
    for (uint32_t at = 0; at < words && at <= label / 64; at++) {
        uint64_t hidden = word_at(&group->set, at);
        hidden &= at == label / 64 ? ((uint64_t)1 << (label % 64)) - 1 : UINT64_MAX;
        for (; hidden; hidden &= hidden - 1) {
            uint32_t each = at * 64 + (uint32_t)__builtin_ctzll(hidden);
            if (each < self->levels && --ranking->counts[each] > 0) {
                continue;
            }
            take(&self->shown, each);
            if ((int64_t)each > floor && each < freed) {
                freed = each;
            }
        }
    }
    if (put(&self->shown, label) < 0) {
        return NO_MEMORY;
    }
    if (label < self->levels) {
        ranking->counts[label] = 1;
    }
    return freed;
}

/* The group of which one child is to be labelled: it shows `level` (-1: any) and hides most. */
static Group *
choose(Extension *self, int64_t level, uint32_t label)
{
    Group *best = NULL;
    for (size_t i = 0; i < self->count; i++) {
        Group *group = &self->groups[i];
        if (group->count == 0 || (level >= 0 && !has(&group->set, (uint32_t)level))) {
            continue;
        }
        if (best == NULL || compare_below(&group->set, &best->set, label) > 0) {
            best = group;
        }
    }
    return best;
}

static int
resolve(Extension *self)
{
    for (int64_t level = (int64_t)self->levels - 1; level >= -1; level--) {
        uint32_t from = (uint32_t)(level + 1);
        while (level < 0 ? self->unlabelled > 0 : self->ranking->counts[level] > 1) {
            uint32_t label = free_from(&self->shown, from);
            Group *group = choose(self, level, label);
            from = label_one(self, group, label, level);
            if (from == NO_MEMORY) {
                return -1;
            }
        }
    }
    return 0;
}

static int
by_set(const void *left, const void *right, void *sets)
{
    const Set *all = sets;
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    int order = compare_below(&all[a], &all[b], UINT32_MAX);
    return order ? order : (a > b) - (a < b);
}

/* A merge sort would need memory and qsort_r is not everywhere: sets are compared by a plain heap. */
static void
sort_children(int32_t *nodes, size_t count, Set *sets)
{
    for (size_t start = count / 2 + 1, end = count; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            end--;
            int32_t last = nodes[end];
            nodes[end] = nodes[0];
            nodes[0] = last;
        }
        for (size_t at = start, below; (below = 2 * at + 1) < end; at = below) {
            below += below + 1 < end && by_set(&nodes[below], &nodes[below + 1], sets) < 0;
            if (by_set(&nodes[at], &nodes[below], sets) >= 0) {
                break;
            }
            int32_t moved = nodes[at];
            nodes[at] = nodes[below];
            nodes[below] = moved;
        }
    }
}

static int
gather(Extension *self, int32_t *nodes, size_t count)
{
    Ranking *ranking = self->ranking;
    sort_children(nodes, count, ranking->sets);
    self->groups = calloc(count, sizeof(Group));
    if (self->groups == NULL) {
        return -1;
    }
    uint32_t largest = words_of(&ranking->sets[nodes[count - 1]]);
    uint32_t second = words_of(&ranking->sets[nodes[count - 2]]);
    self->levels = second * 64;
    if (self->levels > ranking->counts_room) {
        int32_t *counts = realloc(ranking->counts, self->levels * sizeof(int32_t));
        if (counts == NULL) {
            return -1;
        }
        ranking->counts = counts;
        ranking->counts_room = self->levels;
    }
    if (self->levels > 0) {
        memset(ranking->counts, 0, self->levels * sizeof(int32_t));
    }
    if (reserve(&self->shown, largest) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        Set *set = &ranking->sets[nodes[i]];
        Group *group = self->count ? &self->groups[self->count - 1] : NULL;
        for (uint32_t at = 0; at < words_of(set); at++) {
            uint64_t word = word_at(set, at);
            if (self->shown.bits) {
                self->shown.bits[at] |= word;
            } else {
                self->shown.one |= word;
            }
            for (; at < second && word; word &= word - 1) {
                ranking->counts[at * 64 + (uint32_t)__builtin_ctzll(word)]++;
            }
        }
        if (group != NULL && compare_below(&group->set, set, UINT32_MAX) == 0) {
            group->count++;
            clear(set);
        } else {
            self->groups[self->count++] = (Group){.set = *set, .nodes = &nodes[i], .count = 1};
            *set = (Set){0};
        }
    }
    self->unlabelled = (int32_t)count;
    return 0;
}

static int
extend_several(Ranking *ranking, int32_t node, int32_t *nodes, size_t count)
{
    Extension self = {.ranking = ranking};
    int failed = gather(&self, nodes, count) < 0 || resolve(&self) < 0;
    for (size_t i = 0; i < self.count; i++) {
        clear(&self.groups[i].set);
    }
    free(self.groups);
    ranking->sets[node] = self.shown;
    return failed ? -1 : 0;
}

/* --- All nodes ---------------------------------------------------------------------------------- */

static int
rank_all(Ranking *self, int32_t count)
{
    for (int32_t node = count - 1; node >= 0; node--) {
        size_t children = 0;
        for (int32_t child = node + 1; child < self->ends[node]; child = self->ends[child]) {
            self->group[children++] = child;
        }
        if (children == 1) {
            if (extend_one(self, node, self->group[0]) < 0) {
                return -1;
            }
        } else if (children > 1 && !(are_few(self, self->group, children) &&
                                     extend_few(self, node, self->group, children))) {
            if (extend_several(self, node, self->group, children) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int
is_tree(const int32_t *ends, int32_t count)
{
    if (count == 0 || ends[0] != count) {
        return 0;
    }
    for (int32_t node = 0; node < count; node++) {
        if (ends[node] <= node) {
            return 0;
        }
        int32_t child = node + 1;
        while (child < ends[node] && ends[child] > child) {
            child = ends[child];
        }
        if (child != ends[node]) {
            return 0;
        }
    }
    return 1;
}

static int32_t
questions(const Set *set)
{
    for (uint32_t at = words_of(set); at-- > 0;) {
        uint64_t word = word_at(set, at);
        if (word) {
            return (int32_t)(at * 64 + 64 - (uint32_t)__builtin_clzll(word));
        }
    }
    return 0;
}

PyObject *
ranking(PyObject *module, PyObject *args)
{
    Py_buffer ends, labels;
    if (!PyArg_ParseTuple(args, "y*w*:ranking", &ends, &labels)) {
        return NULL;
    }
    int32_t count = (int32_t)(ends.len / 4), most = -1;
    if (ends.len % 4 || labels.len != ends.len || !is_tree(ends.buf, count)) {
        PyErr_SetString(PyExc_ValueError, "these are no ends of a tree");
    } else {
        Ranking self = {.ends = ends.buf, .labels = labels.buf};
        self.sets = calloc((size_t)count, sizeof(Set));
        self.group = calloc((size_t)count, sizeof(int32_t));
        if (self.sets && self.group && (self.labels[0] = -1, rank_all(&self, count) == 0)) {
            most = questions(&self.sets[0]);
        } else {
            PyErr_NoMemory();
        }
        for (int32_t node = 0; self.sets && node < count; node++) {
            free(self.sets[node].bits);
        }
        free(self.sets);
        free(self.group);
        free(self.counts);
    }
    PyBuffer_Release(&ends);
    PyBuffer_Release(&labels);
    return most < 0 ? NULL : PyLong_FromLong(most);
}
