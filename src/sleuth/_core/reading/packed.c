/* Calls packed in columns: writing, reading, merging and checking them. */
#include "packed.h"

#include <stdlib.h>
#include <string.h>

enum column { FIRST, UP, FUNCTION, PLACE, THREAD, TASK, SPAN, EVENTS };

static inline size_t
column_at(size_t count, enum column column)
{
    return count * (8 + 4 * (size_t)column);
}

static inline uint32_t
word_of(const char *block, size_t count, enum column column, size_t i)
{
    uint32_t word;
    memcpy(&word, block + column_at(count, column) + 4 * i, 4);
    return word;
}

static inline uint8_t *
tail_of(const char *block, size_t count, int which)
{
    return (uint8_t *)block + count * (size_t)(40 + which);
}

PyObject *
pack_calls(const PackedCall *calls, size_t count)
{
    PyObject *packed = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * SIZE_OF_CALL));
    if (packed == NULL) {
        return NULL;
    }
    char *block = PyBytes_AS_STRING(packed);
    for (size_t i = 0; i < count; i++) {
        const PackedCall *call = &calls[i];
        const uint32_t words[] = {call->first,  call->up,   call->function, call->place,
                                  call->thread, call->task, call->span,     call->events};
        memcpy(block + 8 * i, &call->length, 8);
        for (int column = 0; column < 8; column++) {
            memcpy(block + column_at(count, (enum column)column) + 4 * i, &words[column], 4);
        }
        tail_of(block, count, 0)[i] = call->outcome;
        tail_of(block, count, 1)[i] = call->flags;
    }
    return packed;
}

static int
by_call(const void *left, const void *right)
{
    uint32_t a = ((const End *)left)->call, b = ((const End *)right)->call;
    return (a > b) - (a < b);
}

PyObject *
pack_ends(End *ends, size_t count)
{
    if (count > 1) {
        qsort(ends, count, sizeof(End), by_call);
    }
    return PyBytes_FromStringAndSize((const char *)ends, (Py_ssize_t)(count * sizeof(End)));
}

static int
block_size(Py_ssize_t size, size_t *count)
{
    if (size % SIZE_OF_CALL != 0) {
        PyErr_SetString(PyExc_ValueError, "packed calls have a wrong length");
        return -1;
    }
    *count = (size_t)size / SIZE_OF_CALL;
    return 0;
}

PyDoc_STRVAR(unpack_doc, "unpack(block, first_call, first_moment, low, high, outcomes) -> list\n\n"
"The calls with ids in [low, high) as tuples in the order of sleuth.trace.events.Call.");

static PyObject *
unpack(PyObject *module, PyObject *args)
{
    const char *block;
    Py_ssize_t size;
    unsigned long long first_call, first_moment, low, high;
    PyObject *outcomes;
    size_t count;
    if (!PyArg_ParseTuple(args, "y#KKKKO!:unpack", &block, &size, &first_call, &first_moment, &low,
                          &high, &PyTuple_Type, &outcomes) ||
        block_size(size, &count) < 0) {
        return NULL;
    }
    low = low < first_call ? first_call : low;
    high = high > first_call + count ? first_call + count : high;
    PyObject *result = PyList_New(low < high ? (Py_ssize_t)(high - low) : 0);
    for (unsigned long long id = low; result != NULL && id < high; id++) {
        size_t i = (size_t)(id - first_call);
        uint64_t length;
        memcpy(&length, block + 8 * i, 8);
        uint32_t up = word_of(block, count, UP, i), place = word_of(block, count, PLACE, i);
        uint32_t span = word_of(block, count, SPAN, i);
        uint8_t outcome = tail_of(block, count, 0)[i];
        if (outcome >= PyTuple_GET_SIZE(outcomes) || up > id) {
            PyErr_SetString(PyExc_ValueError, "packed calls are malformed");
            Py_DECREF(result);
            return NULL;
        }
        unsigned long long first = first_moment + word_of(block, count, FIRST, i);
        PyObject *row = PyTuple_New(12);
        if (row == NULL) {
            Py_DECREF(result);
            return NULL;
        }
        PyObject *fields[] = {
            PyLong_FromUnsignedLongLong(id),
            up ? PyLong_FromUnsignedLongLong(id - up) : Py_NewRef(Py_None),
            PyLong_FromUnsignedLong(word_of(block, count, FUNCTION, i)),
            place ? PyLong_FromUnsignedLong(place - 1) : Py_NewRef(Py_None),
            PyLong_FromUnsignedLong(word_of(block, count, THREAD, i)),
            PyLong_FromUnsignedLong(word_of(block, count, TASK, i)),
            PyLong_FromUnsignedLongLong(first),
            length == OPEN_LENGTH ? Py_NewRef(Py_None) : PyLong_FromUnsignedLongLong(first + length),
            Py_NewRef(PyTuple_GET_ITEM(outcomes, outcome)),
            PyLong_FromUnsignedLong(word_of(block, count, EVENTS, i)),
            span ? PyLong_FromUnsignedLongLong(id + span) : Py_NewRef(Py_None),
            PyLong_FromUnsignedLong(tail_of(block, count, 1)[i]),
        };
        int failed = 0;
        for (int field = 0; field < 12; field++) {
            failed |= fields[field] == NULL;
            PyTuple_SET_ITEM(row, field, fields[field]);
        }
        PyList_SET_ITEM(result, (Py_ssize_t)(id - low), row);
        if (failed) {
            Py_CLEAR(result);
        }
    }
    return result;
}

PyDoc_STRVAR(merge_doc, "merge(block, first_call, first_moment, ends) -> bytes\n\n"
"Return the calls with the changes of a later segment: that they ended, or were resumed.");

static PyObject *
merge(PyObject *module, PyObject *args)
{
    const char *source, *ends;
    Py_ssize_t size, ends_size;
    unsigned long long first_call, first_moment;
    size_t count;
    if (!PyArg_ParseTuple(args, "y#KKy#:merge", &source, &size, &first_call, &first_moment, &ends,
                          &ends_size) ||
        block_size(size, &count) < 0) {
        return NULL;
    }
    if (ends_size % (Py_ssize_t)sizeof(End) != 0) {
        PyErr_SetString(PyExc_ValueError, "packed ends have a wrong length");
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(source, size);
    if (result == NULL) {
        return NULL;
    }
    char *block = PyBytes_AS_STRING(result);
    size_t low = 0, high = (size_t)ends_size / sizeof(End), total = high;
    while (low < high) { /* to the first end at or after the block's first call */
        size_t middle = (low + high) / 2;
        End end;
        memcpy(&end, ends + middle * sizeof(End), sizeof end);
        if (end.call < first_call) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < total; low++) {
        End end;
        memcpy(&end, ends + low * sizeof(End), sizeof end);
        if (end.call >= first_call + count) {
            break;
        }
        if (end.call < first_call) {
            PyErr_SetString(PyExc_ValueError, "packed ends are out of order");
            Py_DECREF(result);
            return NULL;
        }
        size_t i = end.call - first_call;
        uint64_t first = first_moment + word_of(block, count, FIRST, i);
        uint64_t length = end.last == OPEN_LENGTH ? OPEN_LENGTH : end.last - first;
        uint32_t span = end.until ? end.until - end.call : 0;
        uint32_t events = word_of(block, count, EVENTS, i) + end.events;
        memcpy(block + 8 * i, &length, 8);
        memcpy(block + column_at(count, SPAN) + 4 * i, &span, 4);
        memcpy(block + column_at(count, EVENTS) + 4 * i, &events, 4);
        tail_of(block, count, 0)[i] = end.outcome;
        if ((end.flags & CALL_STARTED) && !(tail_of(block, count, 1)[i] & CALL_STARTED)) {
            memcpy(block + column_at(count, TASK) + 4 * i, &end.task, 4);
        }
        tail_of(block, count, 1)[i] |= end.flags;
    }
    return result;
}

PyDoc_STRVAR(check_doc, "check_calls(block, first_call, moments, calls)\n\n"
"Raise ValueError if the calls are not possible in a run. `moments`: how many moments there are from\n"
"the segment's first to the end of the trace; `calls`: how many calls the trace has.");

/* Return what is wrong with a call; NULL: nothing.  The tree of calls relies on this: each call begins after
 * the one before it, its parent is an earlier call, and it ends within the trace. */
static const char *
wrong_call(const char *block, size_t count, size_t i, uint64_t id, uint64_t moments, uint64_t calls)
{
    uint64_t length;
    memcpy(&length, block + 8 * i, 8);
    uint32_t first = word_of(block, count, FIRST, i);
    if (first >= moments || (i > 0 && first <= word_of(block, count, FIRST, i - 1))) {
        return "a call begins out of order";
    }
    if (length != OPEN_LENGTH && length >= moments - first) {
        return "a call ends behind the end";
    }
    if (word_of(block, count, UP, i) > id || word_of(block, count, SPAN, i) > calls - id) {
        return "a call belongs to one that there is not";
    }
    if (word_of(block, count, FUNCTION, i) >= MOST_IDS || word_of(block, count, THREAD, i) > INT32_MAX ||
        word_of(block, count, EVENTS, i) > moments || word_of(block, count, EVENTS, i) > INT32_MAX) {
        return "a number is out of range";
    }
    return tail_of(block, count, 0)[i] > OUTCOME_LOST ? "a call ends in an unknown way" : NULL;
}

static PyObject *
check_calls(PyObject *module, PyObject *args)
{
    const char *block;
    Py_ssize_t size;
    unsigned long long first_call, moments, calls;
    size_t count;
    if (!PyArg_ParseTuple(args, "y#KKK:check_calls", &block, &size, &first_call, &moments, &calls) ||
        block_size(size, &count) < 0) {
        return NULL;
    }
    if (first_call + count > calls || calls > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "there are more calls than the trace has");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const char *wrong = wrong_call(block, count, i, first_call + i, moments, calls);
        if (wrong != NULL) {
            PyErr_SetString(PyExc_ValueError, wrong);
            return NULL;
        }
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(children_doc, "children(block, first_call, parent, start) -> (list, next)\n\n"
"Return the ids from start on whose parent is that call (-1: that have no parent), and the id behind\n"
"this block at which to go on. Calls that ran elsewhere are left out: they begin at any time.");

static PyObject *
children(PyObject *module, PyObject *args)
{
    const char *block;
    Py_ssize_t size;
    unsigned long long first_call, start;
    long long parent;
    size_t count;
    if (!PyArg_ParseTuple(args, "y#KLK:children", &block, &size, &first_call, &parent, &start) ||
        block_size(size, &count) < 0) {
        return NULL;
    }
    if (start < first_call) {
        PyErr_SetString(PyExc_ValueError, "start is before the block");
        return NULL;
    }
    PyObject *found = PyList_New(0);
    unsigned long long id = start;
    while (found != NULL && id < first_call + count) {
        size_t i = (size_t)(id - first_call);
        uint32_t up = word_of(block, count, UP, i);
        int is_other = up ? (long long)(id - up) != parent : parent != -1;
        if (is_other || tail_of(block, count, 1)[i] & ENTER_ELSEWHERE) {
            id++;
            continue;
        }
        PyObject *number = PyLong_FromUnsignedLongLong(id);
        if (number == NULL || PyList_Append(found, number) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(number);
        /* While a call runs that is never suspended, its parent waits for it: the parent's next child
         * begins after its end.  Calls without a parent can overlap. */
        uint32_t span = word_of(block, count, SPAN, i);
        int jumps = up && span && !(tail_of(block, count, 1)[i] & CALL_RESUMABLE);
        id += jumps ? span : 1;
    }
    return found ? Py_BuildValue("(NK)", found, id) : NULL;
}

PyDoc_STRVAR(elsewhere_doc, "elsewhere(block, first_call) -> list\n\n"
"Return the parent (its starter) and the id of each call that ran elsewhere.");

static PyObject *
elsewhere(PyObject *module, PyObject *args)
{
    const char *block;
    Py_ssize_t size;
    unsigned long long first_call;
    size_t count;
    if (!PyArg_ParseTuple(args, "y#K:elsewhere", &block, &size, &first_call) ||
        block_size(size, &count) < 0) {
        return NULL;
    }
    PyObject *found = PyList_New(0);
    for (size_t i = 0; found != NULL && i < count; i++) {
        uint32_t up = word_of(block, count, UP, i);
        if (!(tail_of(block, count, 1)[i] & ENTER_ELSEWHERE) || up == 0 || up > first_call + i) {
            continue;
        }
        PyObject *pair = Py_BuildValue("(KK)", first_call + i - up, first_call + i);
        if (pair == NULL || PyList_Append(found, pair) < 0) {
            Py_CLEAR(found);
        }
        Py_XDECREF(pair);
    }
    return found;
}

PyMethodDef packed_functions[] = {
    {"unpack", unpack, METH_VARARGS, unpack_doc},
    {"merge", merge, METH_VARARGS, merge_doc},
    {"check_calls", check_calls, METH_VARARGS, check_doc},
    {"children", children, METH_VARARGS, children_doc},
    {"elsewhere", elsewhere, METH_VARARGS, elsewhere_doc},
    {NULL, NULL, 0, NULL},
};
