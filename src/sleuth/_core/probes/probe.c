/* The type of probes: how a probe is made and run.
 *
 * A probe runs with the interpreter's lock held, and calls nothing that could release it.  So there is one
 * stream of events, in one order.  (Before it begins, it may wait for the collector.)
 */
#include "probe_inside.h"

#include "given.h"
#include "identity.h"
#include "namespace.h"
#include "secrets.h"
#include "starters.h"
#include "tasks.h"

void
probe_begin_anew(void)
{
    threads_begin_anew();
    starters_begin_anew();
    calls_next = ring.moment = 0;
    generators_begin_anew();
    tasks_begin_anew();
    identity_begin_anew();
    heap_begin_anew();
    namespaces_begin_anew();
}

/* --- running */

static inline void
run_here(Probe *probe)
{
    PyThreadState *state = _PyThreadState_GET();
    Thread *thread = this_thread(state);
    if (likely(thread != NULL)) {
        probe->run(probe, thread, CURRENT_FRAME(state));
        assert(!PyErr_Occurred());   /* (checked in debug builds only) */
    }
}

/* Run a probe while few segments are free.  Where a call or a turn begins, the interpreter itself may switch
 * threads, so the probe may wait for the collector there.  Elsewhere it may not: that would switch threads
 * between two instructions where the interpreter never does. */
static void
run_scarce(Probe *probe)
{
    uint8_t event = (uint8_t)probe->head;
    if (event == KIND_ENTER || event == KIND_TURN) {
        ring_wait_for_room();
    }
    if (ring.on) {
        run_here(probe);
    }
}

static PyObject *
probe_negative(PyObject *self)
{
    if (likely(ring.on == RING_ON)) {
        run_here((Probe *)self);
    }
    else if (ring.on) {
        run_scarce((Probe *)self);
    }
    Py_INCREF(Py_None);
    return Py_None;
}

static const struct { Run *run; uint8_t event; } kinds[OP_COUNT] = {
    [OP_ENTER] = {run_enter, KIND_ENTER},
    [OP_START] = {run_start, KIND_ENTER},
    [OP_RETURN] = {run_return, 0},
    [OP_RETURN_CONST] = {run_return_const, 0},
    [OP_SUSPEND] = {run_suspend, 0},
    [OP_RESUME] = {run_resume, 0},
    [OP_UNWIND] = {run_unwind, 0},
    [OP_CATCH] = {run_catch, KIND_CATCH},
    [OP_LOOP] = {run_value, KIND_LOOP},
    [OP_TURN] = {run_value, KIND_TURN},
    [OP_ARM] = {run_bare, KIND_ARM},
    [OP_BIND] = {run_value, KIND_BIND},
    [OP_BIND_SLOT] = {run_value, KIND_BIND},
    [OP_UNBIND] = {run_bare, KIND_UNBIND},
    [OP_SET_ATTRIBUTE] = {run_set_attribute, KIND_SET_ATTRIBUTE},
    [OP_DELETE_ATTRIBUTE] = {run_delete_attribute, KIND_DELETE_ATTRIBUTE},
    [OP_SET_ITEM] = {run_set_item, KIND_SET_ITEM},
    [OP_DELETE_ITEM] = {run_delete_item, KIND_DELETE_ITEM},
    [OP_SET_SLICE] = {run_set_slice, KIND_SET_SLICE},
    [OP_HANDLED] = {run_handled, 0},
    [OP_CALL] = {run_call, 0},
    [OP_EXPOSE] = {run_expose, 0},
};

/* --- making */

static Run *
run_of(const ProbeRow *row)
{
    if (row->op == OP_BIND) {
        return row->flags & FLAG_CELL ? run_bind_cell
            : row->flags & FLAG_GLOBAL ? run_bind_global : run_value;
    }
    if (row->op == OP_UNBIND) {
        return row->flags & FLAG_CELL ? run_unbind_cell
            : row->flags & FLAG_GLOBAL ? run_unbind_global : run_bare;
    }
    int is_absent = (row->op == OP_LOOP || row->op == OP_TURN) && row->depth == NO_DEPTH;
    return is_absent ? run_bare_absent : kinds[row->op].run;
}

/* Return the constant that is returned, or the name that is set, borrowed; NULL: neither. */
static PyObject *
constant_of(const ProbeRow *row, PyCodeObject *code)
{
    if (row->op == OP_RETURN_CONST) {
        return PyTuple_GET_ITEM(code->co_consts, row->extra);
    }
    int is_named = row->op == OP_SET_ATTRIBUTE || row->op == OP_DELETE_ATTRIBUTE
        || (row->flags & FLAG_GLOBAL && (row->op == OP_BIND || row->op == OP_UNBIND));
    return is_named ? PyTuple_GET_ITEM(code->co_names, row->extra) : NULL;
}

static uint64_t
secret_arguments(PyCodeObject *code, int count)
{
    uint64_t secrets = 0;
    for (int i = 0; i < count && i < 64; i++) {
        secrets |= (uint64_t)secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, i)) << i;
    }
    return secrets;
}

PyObject *
probe_new(const ProbeRow *row, uint32_t functions, uint32_t sites, PyCodeObject *code)
{
    if (row->op == 0 || row->op >= OP_COUNT) {
        PyErr_SetString(PyExc_ValueError, "unknown kind of probe");
        return NULL;
    }
    Probe *probe = PyObject_New(Probe, &ProbeType);
    if (!probe) {
        return NULL;
    }
    int is_frame = row->op == OP_ENTER || row->op == OP_START || row->op == OP_RESUME;
    uint8_t head[16] = {kinds[row->op].event};
    probe->run = run_of(row);
    probe->what = row->what + (is_frame ? functions : sites);
    probe->head_size = (uint32_t)(put_varint(head + 1, probe->what) - head);
    memcpy(&probe->head, head, 8);
    probe->flags = row->flags;
    probe->is_coroutine = (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    probe->extra = row->extra;
    probe->arguments = (uint16_t)given_count(code);
    probe->slot = row->depth == NO_DEPTH ? 0
                : row->op == OP_BIND_SLOT ? row->depth
                : (uint32_t)code->co_nlocalsplus + row->depth;
    probe->constant = constant_of(row, code);
    probe->secrets = is_frame ? secret_arguments(code, probe->arguments) : 0;
    probe->module = functions;
    probe->is_module = is_frame && heap_is_on && row->flags & FLAG_GLOBAL;
    probe->cells = probe->is_module ? 1 : is_frame && heap_is_on ? (uint16_t)given_count_cells(code) : 0;
    return (PyObject *)probe;
}

/* --- the type */

/* A pickled probe becomes the number 0, so pickled code runs without Sleuth: negating 0 does nothing. */
static PyObject *
probe_reduce(PyObject *self, PyObject *unused)
{
    return Py_BuildValue("(O())", (PyObject *)&PyLong_Type);
}

static PyNumberMethods probe_number = {.nb_negative = probe_negative};
static PyMethodDef probe_methods[] = {
    {"__reduce__", probe_reduce, METH_NOARGS, NULL},
    {NULL},
};

PyTypeObject ProbeType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sleuth._core.Probe",
    .tp_doc = "A constant in recorded code; negating it writes an event.",
    .tp_basicsize = sizeof(Probe),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_as_number = &probe_number,
    .tp_methods = probe_methods,
};

int
probe_init(PyObject *module)
{
    if (PyType_Ready(&ProbeType) < 0) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "Probe", (PyObject *)&ProbeType);
}
