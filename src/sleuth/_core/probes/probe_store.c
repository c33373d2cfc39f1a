/* Probes before stores into objects: attributes, items, slices. */
#include "probe_inside.h"

#include "secrets.h"

/* Added to the kind of a store whose effect depends on the receiver: it asks the receiver, no more. */
#define ONLY_ASKED 0x20

/* Write a store; `certain`: it does just what it says.  If not, the receiver is compared after it. */
static void
write_store(Probe *probe, Thread *thread, int kind, int certain, PyObject *receiver,
            PyObject *const *more, int count)
{
    int is_secret = probe->flags & FLAG_SECRET
        || (kind == KIND_SET_ITEM && more[0] && secret_name(more[0]));
    WRITE(256, {
        HEAD();
        ring.pos[0] = (uint8_t)(kind + (certain ? 0 : ONLY_ASKED));
        VALUE(receiver);
        for (int i = 0; i < count; i++) {
            if (unlikely(is_secret && i == count - 1 && p && more[i])) {
                p = encode_hidden(p, more[i]);
                continue;
            }
            VALUE(more[i]);
        }
    });
    if (!certain) {
        effects_on(thread, top(thread), receiver);
    }
}

/* Before a store: write the contents of the receiver and the value, if they are new or have changed; of a
 * secret value nothing is written. */
static void
meet_stored(Probe *probe, Thread *thread, PyObject *receiver, PyObject *value, int is_secret)
{
    if (unlikely(probe->flags & FLAG_IN_PLACE) && heap_is_on && value) {
        heap_look(value, place_of(top(thread)));
    }
    heap_meet(receiver);
    if (!is_secret) {
        heap_meet(value);
    }
}

/* A store into a module sets one of its globals. */
static void
expect_module(Thread *thread, PyObject *receiver)
{
    if (unlikely(PyModule_Check(receiver))) {
        effects_on_globals(thread, PyModule_GetDict(receiver));
    }
}

void
run_set_attribute(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject **values = &frame->localsplus[probe->slot];
        meet_stored(probe, thread, values[0], values[-1], probe->flags & FLAG_SECRET);
        int certain = !heap_is_on || heap_set_attribute(values[0], probe->constant, values[-1]);
        write_store(probe, thread, KIND_SET_ATTRIBUTE, certain, values[0], &values[-1], 1);
        expect_module(thread, values[0]);
    }
}

void
run_delete_attribute(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject *receiver = frame->localsplus[probe->slot];
        heap_meet(receiver);
        int certain = !heap_is_on || heap_set_attribute(receiver, probe->constant, NULL);
        write_store(probe, thread, KIND_DELETE_ATTRIBUTE, certain, receiver, NULL, 0);
        expect_module(thread, receiver);
    }
}

static int
is_plain_slice(PyObject *key)
{
    return key && PySlice_Check(key) && ((PySliceObject *)key)->step == Py_None;
}

void
run_set_item(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject **values = &frame->localsplus[probe->slot];
    PyObject *key = values[0], *receiver = values[-1], *value = values[-2];
    int is_secret = value && !heap_is_atom(value) && key && secret_name(key);
    meet_stored(probe, thread, receiver, value, is_secret);
    heap_meet(key);
    if (unlikely(is_plain_slice(key))) {
        PyObject *more[] = {((PySliceObject *)key)->start, ((PySliceObject *)key)->stop, value};
        write_store(probe, thread, KIND_SET_SLICE, !heap_is_on, receiver, more, 3);
        return;
    }
    PyObject *more[] = {key, value};
    int certain = !heap_is_on || heap_set_item(receiver, key, value);
    write_store(probe, thread, KIND_SET_ITEM, certain, receiver, more, 2);
    if (unlikely(heap_is_exposed) && PyDict_CheckExact(receiver)) {
        heap_doubt();
    }
}

void
run_delete_item(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject **values = &frame->localsplus[probe->slot];
    PyObject *key = values[0], *receiver = values[-1];
    heap_meet(receiver);
    heap_meet(key);
    if (unlikely(is_plain_slice(key))) {
        PyObject *more[] = {((PySliceObject *)key)->start, ((PySliceObject *)key)->stop};
        write_store(probe, thread, KIND_DELETE_SLICE, !heap_is_on, receiver, more, 2);
        return;
    }
    int certain = !heap_is_on || heap_delete_item(receiver, key);
    write_store(probe, thread, KIND_DELETE_ITEM, certain, receiver, &values[0], 1);
    if (unlikely(heap_is_exposed) && PyDict_CheckExact(receiver)) {
        heap_doubt();
    }
}

void
run_set_slice(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject **values = &frame->localsplus[probe->slot];
        PyObject *more[] = {values[-1], values[0], values[-3]};
        meet_stored(probe, thread, values[-2], values[-3], 0);
        write_store(probe, thread, KIND_SET_SLICE, !heap_is_on, values[-2], more, 3);
    }
}
