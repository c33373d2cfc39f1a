/* The extension module sleuth._core: two halves that share nothing but this file.
 *
 * scan.c, columns.c, records.c   read the event stream (the trace's side: collector and readers)
 * everything else writes it (the recorder's side: the recorded program's process)
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
