/* The extension module sleuth._core.
 *
 * reading/          decodes the event stream; used by the collector and the readers of traces
 * stream/shared.c   gives the collector access to the shared memory
 * all other files   write the event stream; they run in the recorded program's process.  The collector
 *                   also uses heap/secret_names.c
 *
 * Conventions of the headers, where a comment does not say otherwise: objects are passed and returned
 * borrowed; a function runs no code of the program, and leaves no exception pending; a function that
 * returns nothing and runs out of memory or of room stops recording, or records less.
 */
#define PY_SSIZE_T_CLEAN
#include "compat.h"

#include "shared.h"
#include "probe.h"
#include "run.h"
#include "scan.h"
#include "secret_names.h"

static int
core_exec(PyObject *module)
{
    if (scan_init(module) < 0 || probe_init(module) < 0 || shared_init(module) < 0
        || secret_names_init(module) < 0 || run_init(module) < 0) {
        return -1;
    }
#ifdef SLEUTH_GUARDS
    return PyModule_AddIntConstant(module, "has_guards", 1);
#else
    return 0;
#endif
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, core_exec},
    {0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sleuth._core",
    .m_doc = "The fast half of Sleuth: writing and reading the event stream.",
    .m_size = 0,
    .m_slots = core_slots,
};

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
