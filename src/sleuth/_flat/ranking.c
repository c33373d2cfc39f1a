/* Edge ranking: a label for each edge, such that the path between two edges with the same label has an
 * edge with a larger label. Asking about the edge with the largest label splits the tree into parts,
 * which are labelled in the same way. So the number of questions in the worst case is the largest label
 * plus one.
 *
 * * From the leaves up, each node has the set of labels that are visible from it: those below it that no
 * larger label hides. The smallest set, read as a binary number, is the best one for the nodes above
 * (Onak and Parys). The edges to the children are labelled from the largest label down: a label is left
 * out if the remaining ones suffice; otherwise it goes to the child of which it hides most. Only if a
 * node has more than 64 children, and one of them shows labels beyond 63, a simpler rule is used, whose
 * labels may be a few too large: if several children show the same label, all but one of them are hidden
 * by the smallest free label above it.
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
    int32_t *group;      /* owned: the children of a node; sorted, children with equal sets are neighbours */
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

/* Compare the labels below `limit`, the largest first. */
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

static void
clear_below(Set *set, uint32_t label)
{
    uint64_t mask = ~(((uint64_t)1 << (label % 64)) - 1);
    if (set->bits == NULL) {
        set->one &= label < 64 ? mask : 0;
        return;
    }
    uint32_t words = label / 64 < set->size ? label / 64 : set->size;
    memset(set->bits, 0, words * sizeof(uint64_t));
    if (words < set->size) {
        set->bits[words] &= mask;
    }
}

/* A node with one child: its set is the child's set plus one, as binary numbers. */
static int
extend_one(Ranking *self, int32_t node, int32_t child)
{
    Set *set = &self->sets[node];
    *set = self->sets[child];
    self->sets[child] = (Set){0};
    uint32_t label = free_from(set, 0);
    self->labels[child] = (int32_t)label;
    clear_below(set, label);
    return put(set, label);
}

/* --- A few children ----------------------------------------------------------------------------- */

#define FEW 64

/* Return the index of the set with the largest labels below a label. */
static size_t
largest_below(const Set *const *sets, size_t count, uint32_t label)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
        if (compare_below(sets[i], sets[best], label) > 0) {
            best = i;
        }
    }
    return best;
}

/* Count the sets that show a label: 0, 1, or 2 for more. */
static int
showing(const Set *const *sets, size_t count, uint32_t label)
{
    int found = 0;
    for (size_t i = 0; i < count && found < 2; i++) {
        found += has(sets[i], label);
    }
    return found;
}

/* Tell whether the labels up to this one suffice for all children. */
static int
suffices(const Set *const *given, size_t count, int64_t label)
{
    const Set *sets[FEW];
    memcpy(sets, given, count * sizeof(Set *));
    for (; label >= 0 && count > 0 && (int64_t)count <= label + 1; label--) {
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

/* Return the smallest free label that, with those below it, suffices for all children. */
static int64_t
top_label(const Set *const *sets, size_t count)
{
    Set none = {0};
    const Set *first = &none, *second = &none;
    int64_t top = (int64_t)count - 1;
    for (size_t i = 0; i < count; i++) { /* find the two longest sets: only up to the second, two overlap */
        if (words_of(sets[i]) >= words_of(first)) {
            second = first;
            first = sets[i];
        } else if (words_of(sets[i]) > words_of(second)) {
            second = sets[i];
        }
    }
    for (int64_t label = (int64_t)words_of(second) * 64 - 1; label > top; label--) {
        if (showing(sets, count, (uint32_t)label) > 1) {
            top = label + 1;
            break;
        }
    }
    while (showing(sets, count, (uint32_t)top) || !suffices(sets, count, top)) {
        top++;
    }
    return top;
}

/* Add the labels of a set from `label` on, and `label` itself, to the result; the set is cleared. The
 * longer of the two keeps its memory: a long set that is passed up through many nodes is not copied each
 * time. */
static int
show_from(Set *result, Set *set, uint32_t label)
{
    clear_below(set, label);
    if (words_of(set) > words_of(result)) {
        Set smaller = *result;
        *result = *set;
        *set = smaller;
    }
    for (uint32_t at = 0; at < words_of(set); at++) {
        if (result->bits) {
            result->bits[at] |= word_at(set, at);
        } else {
            result->one |= word_at(set, at);
        }
    }
    clear(set);
    return put(result, label);
}

/* Label the edges to FEW children at most, from the largest label down; -1: no memory. */
static int
extend_few(Ranking *self, Set *result, const int32_t *children, size_t count)
{
    const Set *sets[FEW];
    int32_t nodes[FEW];
    for (size_t i = 0; i < count; i++) {
        sets[i] = &self->sets[children[i]];
        nodes[i] = children[i];
    }
    int64_t top = count ? top_label(sets, count) : -1;
    for (int64_t label = top; count > 0; label--) {
        if (showing(sets, count, (uint32_t)label) ||
            (label < top && suffices(sets, count, label - 1))) {
            continue;
        }
        size_t chosen = largest_below(sets, count, (uint32_t)label);
        self->labels[nodes[chosen]] = (int32_t)label;
        if (show_from(result, &self->sets[nodes[chosen]], (uint32_t)label) < 0) {
            return -1;
        }
        sets[chosen] = sets[--count];
        nodes[chosen] = nodes[count];
    }
    return 0;
}

/* --- Many children, sets of one word ------------------------------------------------------------- */

static int
by_set(const void *left, const void *right, void *sets)
{
    const Set *all = sets;
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    int order = compare_below(&all[a], &all[b], UINT32_MAX);
    return order ? order : (a > b) - (a < b);
}

/* Sort children by their sets: a heap sort, since a merge sort needs memory and qsort_r is not available
 * everywhere. */
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
are_small(const Ranking *self, const int32_t *children, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (self->sets[children[i]].bits) {
            return 0;
        }
    }
    return 1;
}

/* Label the edges to many children whose labels are all below 64. A label from 64 on hides all labels of its
 * child; the largest sets get these, as few as possible. */
static int
extend_many(Ranking *self, Set *result, int32_t *children, size_t count)
{
    sort_children(children, count, self->sets);
    const Set *sets[FEW];
    size_t kept = count < FEW ? count : FEW;
    for (size_t i = 0; i < kept; i++) {
        sets[i] = &self->sets[children[i]];
    }
    while (!suffices(sets, kept, 63)) {
        kept--;
    }
    for (size_t i = kept; i < count; i++) {
        uint32_t label = (uint32_t)(64 + i - kept);
        self->labels[children[i]] = (int32_t)label;
        if (put(result, label) < 0) {
            return -1;
        }
    }
    return extend_few(self, result, children, kept);
}

/* --- Many children, sets of any size --------------------------------------------------------------------------- */

typedef struct {
    Set set;         /* owned; the set that all children of the group have */
    int32_t *nodes;  /* borrowed; the children */
    int32_t count;   /* how many of them have no label yet */
} Group;

typedef struct {
    Ranking *ranking; /* borrowed */
    Group *groups;    /* owned */
    size_t count;
    int32_t unlabelled;
    Set shown;        /* owned: all labels shown */
    uint32_t levels;  /* labels below this are counted; larger ones are shown by one child only */
} Extension;

/* Give a label to the edge of one child of a group; it hides the child's labels below it.
 * Return the smallest label above `floor` that became free, or label + 1; or NO_MEMORY. */
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

/* Return the group whose next child gets a label: it shows `level` (-1: any) and has most to hide. */
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
extend(Ranking *self, int32_t node, size_t count)
{
    if (count > FEW && !are_small(self, self->group, count)) {
        return extend_several(self, node, self->group, count);
    }
    Set result = {0};
    int failed = count > FEW ? extend_many(self, &result, self->group, count)
                             : extend_few(self, &result, self->group, count);
    for (size_t i = 0; i < count; i++) {
        clear(&self->sets[self->group[i]]);
    }
    self->sets[node] = result;
    return failed;
}

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
        } else if (children > 1 && extend(self, node, children) < 0) {
            return -1;
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
