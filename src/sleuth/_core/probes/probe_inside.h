/* What a probe is made of, and what each kind does when it is run: for the files probe*.c. */
#ifndef SLEUTH_PROBE_INSIDE_H
#define SLEUTH_PROBE_INSIDE_H

#include "calls.h"
#include "probe.h"

struct Probe;
typedef void Run(struct Probe *, Thread *, Frame *);

typedef struct Probe {
    PyObject_HEAD
    Run *run;
    uint64_t head;         /* the first bytes of the event, kind and site */
    uint32_t head_size;
    uint32_t slot;         /* where the topmost value lies, from the frame's first variable */
    uint32_t what;
    uint32_t extra;
    uint32_t module;       /* the first function of its module */
    uint8_t flags;
    uint8_t is_coroutine;
    uint8_t is_module;
    uint16_t arguments;
    uint16_t cells;        /* variables that closures share */
    uint64_t secrets;      /* which of the first 64 arguments have secret names */
    PyObject *constant;    /* borrowed from the same code's constants */
} Probe;

/* The event that this probe writes begins with these bytes. */
#define HEAD() do { memcpy(p, &probe->head, 8); p += probe->head_size; } while (0)

/* probe_enter.c */
Run run_enter, run_start, run_resume;
/* probe_leave.c */
Run run_return, run_return_const, run_suspend;
/* probe_raise.c */
Run run_unwind, run_catch, run_handled;
/* probe_body.c */
Run run_bare, run_bare_absent, run_value, run_bind_global, run_unbind_global,
    run_bind_cell, run_unbind_cell, run_call, run_expose;
/* probe_store.c */
Run run_set_attribute, run_delete_attribute, run_set_item, run_delete_item, run_set_slice;

#endif
