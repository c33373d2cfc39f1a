/* Probes where a call begins, or where a generator or coroutine goes on. */
#include "probe_inside.h"

#include "given.h"
#include "namespace.h"
#include "secrets.h"
#include "tasks.h"

static Frame *
skip_shims(Frame *frame)
{
    while (frame && FRAME_IS_SHIM(frame)) {
        frame = frame->previous;
    }
    return frame;
}

/* Watch the globals of a module whose body begins; a body with separate locals is no module's. */
static void
begin_namespace(Probe *probe, Frame *frame)
{
    if (frame->f_locals == frame->f_globals) {
        namespace_begin(frame->f_globals, probe->module, probe->flags & FLAG_CELL);
    }
}

static uint8_t *
put_namespace(uint8_t *p, Probe *probe, Frame *frame)
{
    int is_own = frame->f_locals == frame->f_globals
        && namespace_is_of(frame->f_globals, probe->module);
    return encode(p, is_own ? frame->f_globals : NULL);
}

static inline int
is_secret_argument(Probe *probe, PyCodeObject *code, int index)
{
    return likely(index < 64) ? (int)(probe->secrets >> index & 1)
                              : secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, index));
}

static void
write_enter(Probe *probe, Thread *thread, Frame *frame, int flags)
{
    Activation *caller = top(thread);
    const Starter *starter = NULL;
    uint64_t place = 0;
    if (caller) {
        place = place_of(caller);
        if (skip_shims(frame->previous) != caller->frame) {
            flags |= ENTER_INDIRECT;
        }
    }
    else if (thread_starter(thread)->call) {
        starter = thread_starter(thread);
        place = starter->place;
        flags |= ENTER_INDIRECT | ENTER_ELSEWHERE;
    }
    PyCodeObject *code = FRAME_CODE(frame);
    int count = probe->arguments;
    if (heap_is_on) {
        namespace_check(frame->f_globals);
    }
    if (unlikely(probe->is_module)) {
        begin_namespace(probe, frame);
    }
    if (unlikely(heap_is_restless)) {
        heap_meet_restless();
    }
    for (int i = 0; i < count; i++) {
        if (!is_secret_argument(probe, code, i)) {
            heap_meet(given_argument(frame, code, i));
        }
    }
    if (unlikely(probe->cells) && !probe->is_module) {
        given_meet_cells(frame, code);
    }
    WRITE(64 + MAX_ARGUMENTS * SMALL_VALUE, {
        HEAD();
        *p++ = (uint8_t)flags;
        p = put_varint(p, place);
        if (unlikely(starter != NULL)) {
            p = put_varint(p, starter->call - 1);
            p = put_varint(p, starter->moment);
        }
        p = put_varint(p, (uint64_t)count + probe->cells);
        for (int i = 0; i < count && p; i++) {
            PyObject *value = given_argument(frame, code, i);
            p = value && is_secret_argument(probe, code, i) ? encode_hidden(p, value) : encode(p, value);
        }
        if (unlikely(probe->is_module && p)) {
            p = put_namespace(p, probe, frame);
        }
        else if (unlikely(probe->cells)) {
            p = given_put_cells(p, frame, code);
        }
    });
}

/* Return ENTER_CALLED if this frame runs the function that the caller's instruction calls, else 0.  Only the
 * first such frame counts: further ones below the same instruction were called by other code. */
static inline int
is_called(Thread *thread, Frame *frame)
{
    Activation *caller = top(thread);
    if (caller && caller->called && caller->called == FRAME_FUNCTION(frame)) {
        caller->called = NULL;
        return ENTER_CALLED;
    }
    return 0;
}

void
run_enter(Probe *probe, Thread *thread, Frame *frame)
{
    if (unlikely(probe->flags & FLAG_PART)) {
        is_called(thread, frame);   /* a comprehension is no call of its own, but was what was called */
        if (!(probe->flags & FLAG_DEFERRED)) {
            calls_push_part(thread, frame, probe->extra);
        }
        return;
    }
    if (unlikely(frame->frame_obj && thread->count && top(thread)->frame == frame)) {
        return;   /* a debugger has jumped back to the function's first line */
    }
    calls_settle(thread, frame);
    if (unlikely(thread->count == 0 && tasks_of_loops)) {
        task_note(thread);
    }
    thread->unwinding = NULL;
    int called = is_called(thread, frame);
    if (unlikely(probe->flags & FLAG_DEFERRED)) {
        uint16_t tag = generator_made(FRAME_CODE(frame), calls_next);
        FRAME_SET_TAG(frame, tag);
        if (tag) {
            write_enter(probe, thread, frame, ENTER_DEFERRED | called);
            calls_next++;
        }
        return;   /* without a tag, its first resumption counts as its beginning */
    }
    write_enter(probe, thread, frame, called);
    calls_push(thread, frame, calls_next++, probe->extra);
}

/* A coroutine goes on: write the task that runs now; tell whether the coroutine is the task's outermost. */
static int
enter_task(Probe *probe, Thread *thread)
{
    if (!probe->is_coroutine || thread->task) {
        return 0;
    }
    task_note(thread);
    return thread->task != 0;
}

void
run_start(Probe *probe, Thread *thread, Frame *frame)
{
    calls_settle(thread, frame);
    if (unlikely(probe->flags & FLAG_PART)) {
        generator_know(frame, PART_OF_CALLER, probe->extra);
        Activation *part = calls_push_part(thread, frame, probe->extra);
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
        calls_resume(thread, frame, call, probe->extra, NULL);
        top(thread)->is_task_root = (uint8_t)is_root;
        return;
    }
    /* Its making was not recorded: the call that first resumes it counts as its parent. */
    write_enter(probe, thread, frame, ENTER_BY_RESUMER);
    call = calls_next++;
    generator_know(frame, call, probe->extra);
    calls_push_generator(thread, frame, call, probe->extra);
    top(thread)->is_task_root = (uint8_t)is_root;
}

void
run_resume(Probe *probe, Thread *thread, Frame *frame)
{
    Activation *above = top(thread);
    if (above && above->frame == frame) {
        calls_leave_unseen(thread);
    }
    calls_settle(thread, frame);
    Suspended *entry = generator_find(frame);
    if (!entry || entry->call == UINT64_MAX) {
        ring.control->orphans++;
        return;
    }
    if (unlikely(entry->call == PART_OF_CALLER)) {
        Activation *part = calls_push_part(thread, frame, entry->place_base);
        if (part) {
            part->is_generator = 1;
        }
        return;
    }
    int is_root = enter_task(probe, thread);
    calls_resume(thread, frame, entry->call, entry->place_base, frame->localsplus[probe->slot]);
    top(thread)->is_task_root = (uint8_t)is_root;
}
