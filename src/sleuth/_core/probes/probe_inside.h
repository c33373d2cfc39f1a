/* The structure of a probe, and the function of each kind: for the files probe*.c. */
#ifndef SLEUTH_PROBE_INSIDE_H
#define SLEUTH_PROBE_INSIDE_H

#include "calls.h"
#include "probe.h"

struct Probe;
typedef void Run(struct Probe *, Thread *, Frame *);

typedef struct Probe {
    PyObject_HEAD
    Run *run;
    uint64_t head;         /* the first bytes of the event: its kind and its site or function */
    uint32_t head_size;
    uint32_t slot;         /* index of the topmost value in the frame's localsplus */
    uint32_t what;         /* number of its function or site in the trace */
    uint32_t extra;        /* depends on the kind: see record/rewrite/probes.py */
    uint32_t module;       /* the first function of its module */
    uint8_t flags;
    uint8_t is_coroutine;
    uint8_t is_module;
    uint16_t arguments;
    uint16_t cells;        /* how many cells are recorded with the arguments */
    uint64_t secrets;      /* a bit for each of the first 64 arguments: its name is that of a secret */
    PyObject *constant;    /* borrowed from the same code's constants */
} Probe;

/* Write the first bytes of the event. */
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
