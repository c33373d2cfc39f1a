/* Probes and the stack of calls of each thread.
 *
 * A probe runs with the interpreter's lock held and calls nothing that could give it up, so there is
 * one stream of events, in one order.  Entering and leaving are seen exactly: by probes before the
 * first instruction, before every return and yield, and in a handler that covers the whole code.
 * Only 3.11 can suspend unseen (inside `await`); `settle` finds out at the next event.
 */
#include "probe.h"

#include "effects.h"
#include "generators.h"
#include "heap.h"
#include "identity.h"
#include "namespace.h"
#include "secrets.h"
#include "tasks.h"
#include "thread.h"
#include "write.h"

typedef struct Probe {
    PyObject_HEAD
    void (*run)(struct Probe *, Thread *, Frame *);
    uint64_t head;         /* the first bytes of the event, kind and site */
    uint32_t head_size;
    uint32_t slot;         /* where the topmost value lies, from the frame's first variable */
    uint32_t what;
    uint32_t extra;
    uint8_t flags;
    uint8_t is_coroutine;
    uint8_t is_module;
    uint16_t arguments;
    uint16_t cells;        /* variables that closures share */
    uint64_t secrets;      /* which of the first arguments have secret names */
    PyObject *constant;    /* borrowed from the same code's constants */
} Probe;

static Thread *threads, *current;
static PyThreadState *current_state;
static uint32_t thread_count;
static uint64_t next_call;

/* --- writing */

uint8_t *
write_in_new_segment(void)
{
    if (!ring_next_segment()) {
        return NULL;
    }
    if (ring.control->stop) {
        event_stopped(ring.control->stop == 1 ? "the trace reached its largest size"
                      : ring.control->stop == 2 ? "the disk is nearly full"
                      : "the trace could not be written");
        ring_stop();
        return NULL;
    }
    return ring.pos;
}

/* --- threads */

static void
drop_idle_threads(void)
{
    Thread **link = &threads;
    while (*link) {
        Thread *thread = *link;
        if (thread->count == 0 && thread != current) {
            *link = thread->next;
            PyMem_RawFree(thread->stack);
            PyMem_RawFree(thread->pending);
            PyMem_RawFree(thread);
        }
        else {
            link = &thread->next;
        }
    }
}

static Thread *
new_thread(uint64_t id)
{
    if (thread_count % 256 == 255) {
        drop_idle_threads();
    }
    Thread *thread = PyMem_RawCalloc(1, sizeof(Thread));
    if (!thread) {
        return NULL;
    }
    thread->room = 64;
    thread->stack = PyMem_RawMalloc(sizeof(Activation) * 64);
    if (!thread->stack) {
        PyMem_RawFree(thread);
        return NULL;
    }
    thread->id = id;
    thread->number = ++thread_count;
    thread->next = threads;
    threads = thread;
    return thread;
}

static Thread *
switch_thread(PyThreadState *state)
{
    Thread *thread = threads;
    while (thread && thread->id != state->id) {
        thread = thread->next;
    }
    if (!thread && !(thread = new_thread(state->id))) {
        ring_stop();
        return NULL;
    }
    current = thread;
    current_state = state;
    DEFINE(16, {
        *p++ = EV_THREAD;
        p = put_varint(p, thread->number);
    });
    return thread;
}

static inline Thread *
this_thread(PyThreadState *state)
{
    if (likely(state == current_state && current->id == state->id)) {
        return current;
    }
    return switch_thread(state);
}

void
probe_begin_anew(void)
{
    while (threads) {
        Thread *thread = threads;
        threads = thread->next;
        PyMem_RawFree(thread->stack);
        PyMem_RawFree(thread->pending);
        PyMem_RawFree(thread);
    }
    current = NULL;
    current_state = NULL;
    thread_count = 0;
    next_call = ring.moment = 0;
    generators_begin_anew();
    tasks_begin_anew();
    identity_begin_anew();
    heap_begin_anew();
    namespaces_begin_anew();
}

/* --- the stack */

static Activation *
push(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base)
{
    if (unlikely(thread->count == thread->room)) {
        size_t room = (size_t)thread->room * 2;
        Activation *stack = PyMem_RawRealloc(thread->stack, room * sizeof(Activation));
        if (!stack) {
            ring_stop();
            return NULL;
        }
        thread->stack = stack;
        thread->room = (int)room;
    }
    Activation *activation = &thread->stack[thread->count++];
    *activation = (Activation){.frame = frame, .call = call, .place_base = place_base,
                               .world = heap_world};
    return activation;
}

static Frame *
skip_shims(Frame *frame)
{
    while (frame && FRAME_IS_SHIM(frame)) {
        frame = frame->previous;
    }
    return frame;
}

/* --- calls that were left unseen */

static void
leave_task(Thread *thread)
{
    thread->task = 0;
    thread->task_object = NULL;
    DEFINE(16, {
        *p++ = EV_TASK;
        *p++ = 0;
    });
}

static void
leave_unseen(Thread *thread)
{
    Activation *left = top(thread);
    int ends_task = left->is_task_root;
    thread->count--;
    if (left->is_part) {
        return;
    }
    if (left->is_generator) {
        WRITE(16, {
            *p++ = EV_SUSPEND;
            *p++ = 1;
            *p++ = TAG_ABSENT;
        });
    }
    else {
        WRITE(16, { *p++ = EV_LOST; });
    }
    if (ends_task) {
        leave_task(thread);
    }
}

static int
is_running(Frame *wanted, Frame *frame)
{
    while (frame && frame != wanted) {
        frame = frame->previous;
    }
    return frame != NULL;
}

/* Before a frame is entered: drop generators on top that are not among its callers. */
static inline void
settle(Thread *thread, Frame *frame)
{
    Activation *above = top(thread);
    while (above && above->is_generator && frame->previous != above->frame
           && !is_running(above->frame, frame->previous)) {
        leave_unseen(thread);
        above = top(thread);
    }
}

/* The call of a comprehension's coroutine in 3.11, which is part of the call that awaits it. */
#define PART_OF_CALLER (UINT64_MAX - 1)

static Activation *
push_part(Thread *thread, Frame *frame, uint32_t place_base)
{
    Activation *below = top(thread);
    Activation *activation = push(thread, frame, below ? below->call : 0, place_base);
    if (activation) {
        activation->is_part = 1;
    }
    return activation;
}

static void
push_generator(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base)
{
    Activation *activation = push(thread, frame, call, place_base);
    if (activation) {
        activation->is_generator = 1;
    }
}

static void write_resume(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base,
                         PyObject *sent);
static void meet_all(Frame *frame);

/* An event of a frame that is not on top: find it again. */
static int
find_again(Thread *thread, Frame *frame)
{
    for (int i = thread->count - 1; i >= 0; i--) {
        if (thread->stack[i].frame == frame) {
            while (thread->count - 1 > i) {
                leave_unseen(thread);
            }
            return 1;
        }
    }
    Suspended *entry = generator_find(frame);
    if (entry && entry->call == PART_OF_CALLER) {
        /* An exception was thrown into it: its caller is running again, too. */
        return frame->previous && find_again(thread, frame->previous)
            && push_part(thread, frame, entry->place_base);
    }
    if (entry && entry->call != UINT64_MAX) {
        settle(thread, frame);
        write_resume(thread, frame, entry->call, entry->place_base, NULL);
        return 1;
    }
    ring.control->orphans++;
    return 0;
}

static inline int
on_top(Thread *thread, Frame *frame)
{
    if (unlikely(!thread->count || thread->stack[thread->count - 1].frame != frame)) {
        if (!find_again(thread, frame)) {
            return 0;
        }
    }
    Activation *activation = top(thread);
    if (unlikely(activation->is_waiting)) {
        effects_settle(thread, activation);
    }
    return 1;
}

#define ON_TOP(thread, frame) likely(on_top((thread), (frame)))

/* --- entering */

static int
count_arguments(PyCodeObject *code)
{
    int count = code->co_argcount + code->co_kwonlyargcount;
    count += (code->co_flags & CO_VARARGS) != 0;
    count += (code->co_flags & CO_VARKEYWORDS) != 0;
    return count > MAX_ARGUMENTS ? MAX_ARGUMENTS : count;
}

static PyObject *
argument(Frame *frame, PyCodeObject *code, int index)
{
    PyObject *value = frame->localsplus[index];
    if (value && (((unsigned char *)PyBytes_AS_STRING(code->co_localspluskinds))[index] & 0x40)
        && PyCell_Check(value)) {
        return PyCell_GET(value);
    }
    return value;
}

/* The compiler's own variables, such as the `__class__` that super() needs, are nobody's concern. */
static int
is_cell(PyCodeObject *code, int index)
{
    if (!(((unsigned char *)PyBytes_AS_STRING(code->co_localspluskinds))[index] & 0xC0)) {
        return 0;
    }
    PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, index);
    Py_UCS4 first = PyUnicode_READ_CHAR(name, 0);
    return first != '.'
        && (first != '_' || (PyUnicode_CompareWithASCIIString(name, "__class__") != 0
                             && PyUnicode_CompareWithASCIIString(name, "__classdict__") != 0));
}

static int
count_cells(PyCodeObject *code)
{
    int count = 0;
    for (int i = 0; i < code->co_nlocalsplus; i++) {
        count += is_cell(code, i);
    }
    return count;
}

static void
meet_cells(Frame *frame, PyCodeObject *code)
{
    for (int i = 0; i < code->co_nlocalsplus; i++) {
        PyObject *cell = frame->localsplus[i];
        if (is_cell(code, i) && cell && PyCell_Check(cell)
            && !secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, i))) {
            heap_meet(cell);
            heap_meet(PyCell_GET(cell));
        }
    }
}

static uint8_t *
put_cells(uint8_t *p, Frame *frame, PyCodeObject *code)
{
    for (int i = 0; i < code->co_nlocalsplus && p; i++) {
        PyObject *cell = frame->localsplus[i];
        if (!is_cell(code, i)) {
            continue;
        }
        if (cell && secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, i))) {
            PyObject *value = PyCell_Check(cell) ? PyCell_GET(cell) : NULL;
            p = value ? encode_hidden(p, value) : encode(p, NULL);
        }
        else {
            p = encode(p, cell && PyCell_Check(cell) ? cell : NULL);
        }
    }
    return p;
}

static uint8_t *
put_namespace(uint8_t *p, PyObject *globals)
{
    return encode(p, namespace_id(globals) ? globals : NULL);
}

static inline int
is_secret_argument(Probe *probe, int index)
{
    return index < 64 && (probe->secrets >> index & 1);
}

static void
write_enter(Probe *probe, Thread *thread, Frame *frame, int flags)
{
    Activation *caller = top(thread);
    uint64_t place = 0;
    if (caller) {
        place = place_of(caller);
        if (skip_shims(frame->previous) != caller->frame) {
            flags |= ENTER_INDIRECT;
        }
    }
    PyCodeObject *code = FRAME_CODE(frame);
    int count = probe->arguments;
    if (heap_is_on) {
        namespace_check(frame->f_globals);
    }
    if (unlikely(probe->is_module)) {
        namespace_begin(frame->f_globals);
    }
    if (unlikely(heap_is_restless)) {
        heap_meet_restless();
    }
    for (int i = 0; i < count; i++) {
        if (!is_secret_argument(probe, i)) {
            heap_meet(argument(frame, code, i));
        }
    }
    if (unlikely(probe->cells) && !probe->is_module) {
        meet_cells(frame, code);
    }
    WRITE(64 + (size_t)(count + probe->cells) * 320, {
        memcpy(p, &probe->head, 8);
        p += probe->head_size;
        *p++ = (uint8_t)flags;
        p = put_varint(p, place);
        p = put_varint(p, (uint64_t)count + probe->cells);
        for (int i = 0; i < count && p; i++) {
            PyObject *value = argument(frame, code, i);
            p = value && is_secret_argument(probe, i) ? encode_hidden(p, value) : encode(p, value);
        }
        if (unlikely(probe->is_module)) {
            p = put_namespace(p, frame->f_globals);
        }
        else if (unlikely(probe->cells)) {
            p = put_cells(p, frame, code);
        }
    });
}

static void
run_enter(Probe *probe, Thread *thread, Frame *frame)
{
    if (unlikely(probe->flags & FLAG_PART)) {
        if (!(probe->flags & FLAG_DEFERRED)) {
            push_part(thread, frame, probe->extra);
        }
        return;
    }
    if (unlikely(frame->frame_obj && thread->count && top(thread)->frame == frame)) {
        return;   /* a debugger has jumped to the function's first line */
    }
    settle(thread, frame);
    if (unlikely(thread->count == 0 && tasks_of_loops)) {
        task_note(thread);
    }
    thread->unwinding = NULL;
    if (unlikely(probe->flags & FLAG_DEFERRED)) {
        uint16_t tag = generator_made(FRAME_CODE(frame), next_call);
        FRAME_SET_TAG(frame, tag);
        if (tag) {
            write_enter(probe, thread, frame, ENTER_DEFERRED);
            next_call++;
        }
        return;   /* without a tag its first resumption is its beginning */
    }
    write_enter(probe, thread, frame, 0);
    push(thread, frame, next_call++, probe->extra);
}

static void
write_resume(Thread *thread, Frame *frame, uint64_t call, uint32_t place_base, PyObject *sent)
{
    if (heap_is_on) {
        namespace_check(frame->f_globals);
        meet_all(frame);
    }
    heap_meet(sent);
    WRITE(64, {
        *p++ = EV_RESUME;
        p = put_varint(p, call);
        VALUE(sent);
    });
    push_generator(thread, frame, call, place_base);
}

/* A coroutine's step begins: note the task; tell whether this is where the task's step begins. */
static int
enter_task(Probe *probe, Thread *thread)
{
    if (!probe->is_coroutine || thread->task) {
        return 0;
    }
    task_note(thread);
    return thread->task != 0;
}

static void
run_start(Probe *probe, Thread *thread, Frame *frame)
{
    settle(thread, frame);
    if (unlikely(probe->flags & FLAG_PART)) {
        generator_know(frame, PART_OF_CALLER, probe->extra);
        Activation *part = push_part(thread, frame, probe->extra);
        if (part) {
            part->is_generator = 1;
        }
        return;
    }
    int is_root = enter_task(probe, thread);
    thread->unwinding = NULL;
    uint64_t call;
    if (generator_start(FRAME_GET_TAG(frame), FRAME_CODE(frame), &call)) {
        generator_know(frame, call, probe->extra);
        write_resume(thread, frame, call, probe->extra, NULL);
        top(thread)->is_task_root = (uint8_t)is_root;
        return;
    }
    /* It was made where nobody looked: whoever resumes it first counts as its parent. */
    write_enter(probe, thread, frame, ENTER_BY_RESUMER);
    call = next_call++;
    generator_know(frame, call, probe->extra);
    push_generator(thread, frame, call, probe->extra);
    top(thread)->is_task_root = (uint8_t)is_root;
}

static void
run_resume(Probe *probe, Thread *thread, Frame *frame)
{
    Activation *above = top(thread);
    if (above && above->frame == frame) {
        leave_unseen(thread);
    }
    settle(thread, frame);
    Suspended *entry = generator_find(frame);
    if (!entry || entry->call == UINT64_MAX) {
        ring.control->orphans++;
        return;
    }
    if (unlikely(entry->call == PART_OF_CALLER)) {
        Activation *part = push_part(thread, frame, entry->place_base);
        if (part) {
            part->is_generator = 1;
        }
        return;
    }
    int is_root = enter_task(probe, thread);
    write_resume(thread, frame, entry->call, entry->place_base, frame->localsplus[probe->slot]);
    top(thread)->is_task_root = (uint8_t)is_root;
}

/* --- leaving */

static inline void
pop(Thread *thread)
{
    Activation *left = top(thread);
    int ends_task = left->is_task_root;
    if (unlikely(left->is_generator)) {
        generator_forget(left->frame);
    }
    thread->count--;
    if (unlikely(ends_task)) {
        leave_task(thread);
    }
}

/* Look at what a call was given. */
static void
meet_all(Frame *frame)
{
    PyCodeObject *code = FRAME_CODE(frame);
    if (unlikely(heap_is_restless)) {
        heap_meet_restless();
    }
    for (int i = count_arguments(code) - 1; i >= 0; i--) {
        if (!secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, i))) {
            heap_meet(argument(frame, code, i));
        }
    }
    if (code->co_ncellvars || code->co_nfreevars) {
        meet_cells(frame, code);
    }
}

/* Before a call is left: look again, if code that is not recorded has run. */
static void
meet_arguments(Thread *thread, Frame *frame)
{
    if (heap_is_on) {
        namespace_check(frame->f_globals);
    }
    if (heap_is_on && (top(thread)->world != heap_world || heap_is_restless)
        && !top(thread)->is_part) {
        meet_all(frame);
    }
}

static inline void
write_return(Thread *thread, Frame *frame, PyObject *value)
{
    meet_arguments(thread, frame);
    heap_meet(value);
    WRITE(64, {
        *p++ = EV_RETURN;
        p = encode(p, value);
    });
    thread->unwinding = NULL;
    pop(thread);
}

static void
run_return(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    if (unlikely(probe->flags & FLAG_PART)) {
        if (top(thread)->is_generator) {
            generator_forget(frame);
        }
        thread->count--;
        return;
    }
    write_return(thread, frame, frame->localsplus[probe->slot]);
}

static void
run_return_const(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        write_return(thread, frame, probe->constant);
    }
}

/* An asynchronous generator wraps what it yields, to tell it from what it awaits. */
static PyObject *
unwrapped(PyObject *value)
{
    typedef struct { PyObject_HEAD PyObject *value; } Wrapped;
    int is_wrapped = value && strcmp(Py_TYPE(value)->tp_name, "async_generator_wrapped_value") == 0;
    return is_wrapped ? ((Wrapped *)value)->value : value;
}

static void
run_suspend(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject *given = unwrapped(frame->localsplus[probe->slot]);
    meet_arguments(thread, frame);
    heap_meet(given);
    WRITE(64, {
        *p++ = EV_SUSPEND;
        *p++ = probe->flags & FLAG_WAITS ? 1 : 0;
        VALUE(given);
    });
    int ends_task = top(thread)->is_task_root;
    thread->count--;
    if (unlikely(ends_task)) {
        leave_task(thread);
    }
}

/* --- exceptions */

/* Where in this frame the exception came from, by its traceback. */
static uint64_t
raise_place(Activation *activation, PyObject *exception)
{
    PyObject *traceback = ((PyBaseExceptionObject *)exception)->traceback;
    if (!traceback || !PyTraceBack_Check(traceback)) {
        return 0;
    }
    PyTracebackObject *entry = (PyTracebackObject *)traceback;
    if (!entry->tb_frame || entry->tb_frame->f_frame != activation->frame) {
        return 0;
    }
    return activation->place_base + (uint64_t)(entry->tb_lasti / 2) + 1;
}

static void
write_raise(PyObject *exception, uint64_t place)
{
    PyObject *arguments = ((PyBaseExceptionObject *)exception)->args;
    Py_ssize_t count = arguments && PyTuple_CheckExact(arguments) ? PyTuple_GET_SIZE(arguments) : 0;
    if (count > 8) {
        count = 8;
    }
    heap_meet(exception);
    WRITE(64 + (size_t)count * 320, {
        *p++ = EV_RAISE;
        p = put_varint(p, place);
        VALUE(exception);
        if (p) {
            p = put_varint(p, (uint64_t)count);
        }
        for (Py_ssize_t i = 0; i < count && p; i++) {
            p = encode(p, PyTuple_GET_ITEM(arguments, i));
        }
    });
}

static void
run_unwind(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject *exception = frame->localsplus[probe->slot];
    Activation *activation = top(thread);
    if (!exception || !PyExceptionInstance_Check(exception)) {
        return;
    }
    uint64_t place = raise_place(activation, exception);
    if (thread->unwinding != exception && activation->caught != exception) {
        write_raise(exception, place);
    }
    thread->unwinding = exception;
    if (activation->is_part) {
        if (activation->is_generator) {
            generator_forget(frame);
        }
        thread->count--;
        return;
    }
    meet_arguments(thread, frame);
    WRITE(64, {
        *p++ = EV_UNWIND;
        p = put_varint(p, place);
        VALUE(exception);
    });
    pop(thread);
}

static void
run_catch(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject *exception = frame->localsplus[probe->slot];
    Activation *activation = top(thread);
    if (!exception || !PyExceptionInstance_Check(exception)) {
        return;
    }
    uint64_t place = raise_place(activation, exception);
    if (thread->unwinding != exception && activation->caught != exception) {
        write_raise(exception, place);
    }
    thread->unwinding = NULL;
    activation->caught = exception;
    WRITE(64, {
        memcpy(p, &probe->head, 8);
        p += probe->head_size;
        p = put_varint(p, place);
        VALUE(exception);
    });
}

static void
run_handled(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        top(thread)->caught = NULL;
    }
}

/* --- calls of code that is not recorded */

static void
run_call(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        effects_of_call(thread, &frame->localsplus[probe->slot], (int)probe->extra,
                        probe->flags & FLAG_UNPACKS);
    }
}

/* The program gets hold of the dictionary of an instance, or of all names of another module. */
static void
run_expose(Probe *probe, Thread *thread, Frame *frame)
{
    if (probe->flags & FLAG_GLOBAL) {
        if (ON_TOP(thread, frame)) {
            effects_on_globals(thread, frame->f_globals);
        }
        return;
    }
    heap_is_exposed = 1;
}

/* --- the inside of a call */

#define HEAD() do { memcpy(p, &probe->head, 8); p += probe->head_size; } while (0)

static void
run_bare(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, { HEAD(); });
    }
}

static void
run_bare_absent(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, {
            HEAD();
            *p++ = TAG_ABSENT;
        });
    }
}

static void
run_value(Probe *probe, Thread *thread, Frame *frame)
{
    PyObject *value = frame->localsplus[probe->slot];
    if (value && ON_TOP(thread, frame)) {
        if (unlikely(probe->flags & FLAG_IN_PLACE) && heap_is_on) {
            heap_look(value, place_of(top(thread)));
        }
        if (unlikely(probe->flags & FLAG_SECRET)) {
            WRITE(256, {
                HEAD();
                p = encode_hidden(p, value);
            });
            return;
        }
        heap_meet(value);
        WRITE(64, {
            HEAD();
            p = encode(p, value);
        });
    }
}

/* A global: the module's other users see it, too. */
static void
run_bind_global(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        namespace_check(frame->f_globals);
        run_value(probe, thread, frame);
        namespace_store(frame->f_globals, probe->constant, frame->localsplus[probe->slot]);
    }
}

static void
run_unbind_global(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        namespace_check(frame->f_globals);
        WRITE(16, { HEAD(); });
        namespace_store(frame->f_globals, probe->constant, NULL);
    }
}

static PyObject *
cell_of(Probe *probe, Frame *frame)
{
    return frame->localsplus[probe->extra];
}

/* A variable that closures share: the cell that holds it changes, too. */
static void
run_bind_cell(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        run_value(probe, thread, frame);
        heap_set_cell(cell_of(probe, frame), frame->localsplus[probe->slot],
                      probe->flags & FLAG_SECRET);
    }
}

static void
run_unbind_cell(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, { HEAD(); });
        heap_set_cell(cell_of(probe, frame), NULL, 0);
    }
}

/* Stores that only ask have kinds of their own, 0x20 above the others. */
#define ONLY_ASKED 0x20

/* Write a store; `certain` is false where only the receiver knows what it will do. */
static void
write_store(Probe *probe, Thread *thread, int kind, int certain, PyObject *receiver,
            PyObject *const *more, int count)
{
    int is_secret = probe->flags & FLAG_SECRET
        || (kind == EV_SET_ITEM && more[0] && secret_name(more[0]));
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

static void
meet_stored(Probe *probe, Thread *thread, PyObject *receiver, PyObject *value)
{
    if (unlikely(probe->flags & FLAG_IN_PLACE) && heap_is_on && value) {
        heap_look(value, place_of(top(thread)));
    }
    heap_meet(receiver);
    if (!(probe->flags & FLAG_SECRET)) {
        heap_meet(value);
    }
}

/* An attribute of a module is one of its globals. */
static void
expect_module(Thread *thread, PyObject *receiver)
{
    if (unlikely(PyModule_Check(receiver))) {
        effects_on_globals(thread, PyModule_GetDict(receiver));
    }
}

static void
run_set_attribute(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject **values = &frame->localsplus[probe->slot];
        meet_stored(probe, thread, values[0], values[-1]);
        int certain = !heap_is_on || heap_set_attribute(values[0], probe->constant, values[-1]);
        write_store(probe, thread, EV_SET_ATTRIBUTE, certain, values[0], &values[-1], 1);
        expect_module(thread, values[0]);
    }
}

static void
run_delete_attribute(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject *receiver = frame->localsplus[probe->slot];
        heap_meet(receiver);
        int certain = !heap_is_on || heap_set_attribute(receiver, probe->constant, NULL);
        write_store(probe, thread, EV_DELETE_ATTRIBUTE, certain, receiver, NULL, 0);
        expect_module(thread, receiver);
    }
}

static int
is_plain_slice(PyObject *key)
{
    return key && PySlice_Check(key) && ((PySliceObject *)key)->step == Py_None;
}

static void
run_set_item(Probe *probe, Thread *thread, Frame *frame)
{
    if (!ON_TOP(thread, frame)) {
        return;
    }
    PyObject **values = &frame->localsplus[probe->slot];
    PyObject *key = values[0], *receiver = values[-1], *value = values[-2];
    meet_stored(probe, thread, receiver, value);
    heap_meet(key);
    if (unlikely(is_plain_slice(key))) {
        PyObject *more[] = {((PySliceObject *)key)->start, ((PySliceObject *)key)->stop, value};
        write_store(probe, thread, EV_SET_SLICE, !heap_is_on, receiver, more, 3);
        return;
    }
    PyObject *more[] = {key, value};
    int certain = !heap_is_on || heap_set_item(receiver, key, value);
    write_store(probe, thread, EV_SET_ITEM, certain, receiver, more, 2);
    if (unlikely(heap_is_exposed) && PyDict_CheckExact(receiver)) {
        heap_doubt();
    }
}

static void
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
        write_store(probe, thread, EV_DELETE_SLICE, !heap_is_on, receiver, more, 2);
        return;
    }
    int certain = !heap_is_on || heap_delete_item(receiver, key);
    write_store(probe, thread, EV_DELETE_ITEM, certain, receiver, &values[0], 1);
    if (unlikely(heap_is_exposed) && PyDict_CheckExact(receiver)) {
        heap_doubt();
    }
}

static void
run_set_slice(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        PyObject **values = &frame->localsplus[probe->slot];
        PyObject *more[] = {values[-1], values[0], values[-3]};
        meet_stored(probe, thread, values[-2], values[-3]);
        write_store(probe, thread, EV_SET_SLICE, !heap_is_on, values[-2], more, 3);
    }
}

/* --- events that no probe makes */

static Thread *
thread_here(void)
{
    PyThreadState *state = _PyThreadState_GET();
    /* Other interpreters of this process have locks of their own: they are not recorded. */
    return ring.on && state->interp == PyInterpreterState_Main() ? this_thread(state) : NULL;
}

void
event_output(int stream, PyObject *text)
{
    if (thread_here()) {
        WRITE(64, {
            *p++ = EV_OUTPUT;
            *p++ = (uint8_t)stream;
            VALUE(text);
        });
    }
}

void
event_child(uint64_t pid, const char *how)
{
    if (thread_here()) {
        WRITE(64, {
            *p++ = EV_CHILD;
            p = put_varint(p, pid);
            p = encode_utf8(p, how, strlen(how));
        });
    }
}

void
event_stopped(const char *why)
{
    uint8_t *p = ring.pos;
    *p++ = EV_STOPPED;
    p = encode_utf8(p, why, strlen(why));
    ring_commit(p);
    ring.moment++;
}

/* --- the objects */

static PyObject *
probe_negative(PyObject *self)
{
    if (likely(ring.on)) {
        Probe *probe = (Probe *)self;
        PyThreadState *state = _PyThreadState_GET();
        Thread *thread = this_thread(state);
        if (likely(thread != NULL)) {
            probe->run(probe, thread, CURRENT_FRAME(state));
        }
    }
    Py_INCREF(Py_None);
    return Py_None;
}

typedef void (*Run)(Probe *, Thread *, Frame *);
static const struct { Run run; uint8_t event; } kinds[OP_COUNT] = {
    [OP_ENTER] = {run_enter, EV_ENTER},
    [OP_START] = {run_start, EV_ENTER},
    [OP_RETURN] = {run_return, 0},
    [OP_RETURN_CONST] = {run_return_const, 0},
    [OP_SUSPEND] = {run_suspend, 0},
    [OP_RESUME] = {run_resume, 0},
    [OP_UNWIND] = {run_unwind, 0},
    [OP_CATCH] = {run_catch, EV_CATCH},
    [OP_LOOP] = {run_value, EV_LOOP},
    [OP_TURN] = {run_value, EV_TURN},
    [OP_ARM] = {run_bare, EV_ARM},
    [OP_BIND] = {run_value, EV_BIND},
    [OP_BIND_SLOT] = {run_value, EV_BIND},
    [OP_UNBIND] = {run_bare, EV_UNBIND},
    [OP_SET_ATTRIBUTE] = {run_set_attribute, EV_SET_ATTRIBUTE},
    [OP_DELETE_ATTRIBUTE] = {run_delete_attribute, EV_DELETE_ATTRIBUTE},
    [OP_SET_ITEM] = {run_set_item, EV_SET_ITEM},
    [OP_DELETE_ITEM] = {run_delete_item, EV_DELETE_ITEM},
    [OP_SET_SLICE] = {run_set_slice, EV_SET_SLICE},
    [OP_HANDLED] = {run_handled, 0},
    [OP_CALL] = {run_call, 0},
    [OP_EXPOSE] = {run_expose, 0},
};

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
    probe->run = kinds[row->op].run;
    if ((row->op == OP_LOOP || row->op == OP_TURN) && row->depth == NO_DEPTH) {
        probe->run = run_bare_absent;
    }
    if (row->op == OP_BIND) {
        probe->run = row->flags & FLAG_CELL ? run_bind_cell
                   : row->flags & FLAG_GLOBAL ? run_bind_global : run_value;
    }
    else if (row->op == OP_UNBIND) {
        probe->run = row->flags & FLAG_CELL ? run_unbind_cell
                   : row->flags & FLAG_GLOBAL ? run_unbind_global : run_bare;
    }
    probe->what = row->what + (is_frame ? functions : sites);
    probe->head_size = (uint32_t)(put_varint(head + 1, probe->what) - head);
    memcpy(&probe->head, head, 8);
    probe->flags = row->flags;
    probe->is_coroutine = (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
    probe->extra = row->extra;
    probe->arguments = (uint16_t)count_arguments(code);
    probe->slot = row->depth == NO_DEPTH ? 0
                : row->op == OP_BIND_SLOT ? row->depth
                : (uint32_t)code->co_nlocalsplus + row->depth;
    probe->constant = NULL;
    probe->secrets = 0;
    probe->is_module = is_frame && heap_is_on
        && PyUnicode_CompareWithASCIIString(code->co_name, "<module>") == 0;
    probe->cells = probe->is_module ? 1 : is_frame && heap_is_on ? (uint16_t)count_cells(code) : 0;
    for (int i = 0; is_frame && i < probe->arguments && i < 64; i++) {
        PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, i);
        probe->secrets |= (uint64_t)secret_name(name) << i;
    }
    if (row->op == OP_RETURN_CONST) {
        probe->constant = PyTuple_GET_ITEM(code->co_consts, row->extra);
    }
    else if (row->op == OP_SET_ATTRIBUTE || row->op == OP_DELETE_ATTRIBUTE
             || (row->flags & FLAG_GLOBAL && (row->op == OP_BIND || row->op == OP_UNBIND))) {
        probe->constant = PyTuple_GET_ITEM(code->co_names, row->extra);
    }
    return (PyObject *)probe;
}

/* Code that travels in a pickle needs no Sleuth where it arrives: negating 0 does nothing. */
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
