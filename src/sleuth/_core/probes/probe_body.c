/* Probes inside a call: loops, arms, variables, and calls of code that is not recorded. */
#include "probe_inside.h"

#include "namespace.h"
#include "secrets.h"

/* --- loops, arms and variables */

void
run_bare(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, { HEAD(); });
    }
}

void
run_bare_absent(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, {
            HEAD();
            *p++ = TAG_ABSENT;
        });
    }
}

void
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

/* A global variable is set: its module's contents change, too. */
void
run_bind_global(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        namespace_check(frame->f_globals);
        run_value(probe, thread, frame);
        namespace_store(frame->f_globals, probe->constant, frame->localsplus[probe->slot],
                        probe->module);
    }
}

void
run_unbind_global(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        namespace_check(frame->f_globals);
        WRITE(16, { HEAD(); });
        namespace_store(frame->f_globals, probe->constant, NULL, probe->module);
    }
}

static PyObject *
cell_of(Probe *probe, Frame *frame)
{
    return frame->localsplus[probe->extra];
}

/* A variable that is shared with closures is set: its cell's contents change, too. */
void
run_bind_cell(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        run_value(probe, thread, frame);
        heap_set_cell(cell_of(probe, frame), frame->localsplus[probe->slot],
                      probe->flags & FLAG_SECRET);
    }
}

void
run_unbind_cell(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        WRITE(16, { HEAD(); });
        heap_set_cell(cell_of(probe, frame), NULL, 0);
    }
}

/* --- calls of code that is not recorded */

void
run_call(Probe *probe, Thread *thread, Frame *frame)
{
    if (ON_TOP(thread, frame)) {
        effects_of_call(thread, &frame->localsplus[probe->slot], (int)probe->extra,
                        probe->flags & FLAG_UNPACKS);
    }
}

/* The program gets the dictionary of an instance (no flag), or runs `from x import *` (GLOBAL); or code with
 * a namespace that is not known sets a name (CELL). */
void
run_expose(Probe *probe, Thread *thread, Frame *frame)
{
    if (probe->flags & FLAG_CELL) {
        namespace_note_set(frame->f_globals);
        namespace_note_set(frame->f_locals);
        return;
    }
    if (probe->flags & FLAG_GLOBAL) {
        if (ON_TOP(thread, frame)) {
            effects_on_globals(thread, frame->f_globals);
        }
        return;
    }
    heap_is_exposed = 1;
}
