/* The nearest event of a thread, a call or a site in a segment: for steps from event to event. */
#include "near.h"

#include "stacks.h"

#define ANY (-1)

/* What an event must be like; ANY: it does not matter. */
typedef struct {
    long long thread, task, call, kind, number;
} Wanted;

static inline int
fits(const Wanted *wanted, const Stacks *stacks, const Record *record, uint32_t call)
{
    const Thread *thread = &stacks->threads[stacks->current];
    return (wanted->thread == ANY || wanted->thread == (long long)thread->number) &&
           (wanted->task == ANY || wanted->task == (long long)thread->task) &&
           (wanted->call == ANY || (call != NO_CALL && wanted->call == (long long)call)) &&
           (wanted->kind == ANY || wanted->kind == (long long)record->kind) &&
           (wanted->number == ANY || (uint64_t)wanted->number == record->number);
}

PyDoc_STRVAR(near_doc,
"near(data, state, first_call, first_moment, low, high, wanted, is_last) -> int\n\n"
"The first moment in [low, high) of a segment with a wanted event, or the last one; -1: there is\n"
"none. wanted: thread, task, call, kind and number of the event, -1 for those that don't matter.");

static PyObject *
near(PyObject *module, PyObject *args)
{
    const char *data, *state;
    Py_ssize_t size, state_size;
    unsigned long long first_call, first_moment, low, high;
    Wanted wanted;
    int is_last;
    if (!PyArg_ParseTuple(args, "y#y#KKKK(LLLLL)p:near", &data, &size, &state, &state_size,
                          &first_call, &first_moment, &low, &high, &wanted.thread, &wanted.task,
                          &wanted.call, &wanted.kind, &wanted.number, &is_last)) {
        return NULL;
    }
    Walk walk;
    Stacks stacks;
    uint64_t next_call = first_call, moment = first_moment;
    long long found = -1;
    if (stacks_init(&stacks) < 0) {
        return NULL;
    }
    walk_start(&walk, data, size);
    int failed = stacks_load(&stacks, state, state_size, NO_CALL) < 0;
    int is_read = !failed;
    while (!failed && walk.at < walk.end && moment < high && (is_last || found < 0)) {
        Record record;
        uint32_t call;
        failed = walk_over(&walk, &record) < 0 ||
                 stacks_step(&stacks, &record, &next_call, &call) < 0;
        if (failed || !takes_moment(&record)) {
            continue;
        }
        if (moment >= low && fits(&wanted, &stacks, &record, call)) {
            found = (long long)moment;
        }
        moment++;
    }
    if (failed && is_read) {
        walk_complain(&walk);
    }
    stacks_free(&stacks);
    walk_end(&walk);
    return failed ? NULL : PyLong_FromLongLong(found);
}

PyDoc_STRVAR(beneath_doc,
"beneath(data, state, first_call, first_moment, moment) -> int\n\n"
"The call that was running in the thread of an event before it; -1: there was none.");

static PyObject *
beneath(PyObject *module, PyObject *args)
{
    const char *data, *state;
    Py_ssize_t size, state_size;
    unsigned long long first_call, first_moment, wanted;
    if (!PyArg_ParseTuple(args, "y#y#KKK:beneath", &data, &size, &state, &state_size, &first_call,
                          &first_moment, &wanted)) {
        return NULL;
    }
    Walk walk;
    Stacks stacks;
    uint64_t next_call = first_call, moment = first_moment;
    uint32_t top = NO_CALL;
    if (stacks_init(&stacks) < 0) {
        return NULL;
    }
    walk_start(&walk, data, size);
    int failed = stacks_load(&stacks, state, state_size, NO_CALL) < 0;
    int is_read = !failed;
    while (!failed && walk.at < walk.end && moment <= wanted) {
        Record record;
        uint32_t call;
        top = stacks_top(&stacks);
        failed = walk_over(&walk, &record) < 0 ||
                 stacks_step(&stacks, &record, &next_call, &call) < 0;
        moment += (uint64_t)(!failed && takes_moment(&record));
    }
    if (failed && is_read) {
        walk_complain(&walk);
    }
    stacks_free(&stacks);
    walk_end(&walk);
    if (failed) {
        return NULL;
    }
    return PyLong_FromLongLong(top == NO_CALL ? -1 : (long long)top);
}

PyMethodDef near_functions[] = {
    {"near", near, METH_VARARGS, near_doc},
    {"beneath", beneath, METH_VARARGS, beneath_doc},
    {NULL, NULL, 0, NULL},
};
