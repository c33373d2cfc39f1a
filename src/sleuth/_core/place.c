/* Put probes where their placeholders stand in a module's code.
 *
 * The constants are changed in place: the code has just been unmarshalled and nobody else has
 * seen it yet.
 */
#include "place.h"

#include <marshal.h>

#include "heap.h"
#include "probe.h"

#define PREFIX "\0sleuth:"
#define PREFIX_SIZE 8

typedef struct __attribute__((packed)) {
    uint8_t is_recorded;   /* 1: calls only; 2: everything */
    uint32_t functions;    /* what the module's functions and sites count from */
    uint32_t sites;
    uint32_t probes;
} Answer;

typedef struct {
    const ProbeRow *rows;
    uint32_t count, functions, sites;
} Table;

static long
placeholder(PyObject *constant)
{
    if (!PyUnicode_CheckExact(constant) || !PyUnicode_IS_ASCII(constant)
        || PyUnicode_GET_LENGTH(constant) <= PREFIX_SIZE) {
        return -1;
    }
    const char *text = PyUnicode_DATA(constant);
    return memcmp(text, PREFIX, PREFIX_SIZE) == 0 ? atol(text + PREFIX_SIZE) : -1;
}

static int
place_code(PyCodeObject *code, const Table *table)
{
    PyObject *constants = code->co_consts;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++) {
        PyObject *constant = PyTuple_GET_ITEM(constants, i);
        if (PyCode_Check(constant)) {
            if (place_code((PyCodeObject *)constant, table) < 0) {
                return -1;
            }
            continue;
        }
        long index = placeholder(constant);
        if (index < 0) {
            continue;
        }
        if ((uint32_t)index >= table->count) {
            PyErr_SetString(PyExc_ValueError, "no such probe");
            return -1;
        }
        PyObject *probe = probe_new(&table->rows[index], table->functions, table->sites, code);
        if (!probe) {
            return -1;
        }
        PyTuple_SET_ITEM(constants, i, probe);
        Py_DECREF(constant);
    }
    return 0;
}

PyObject *
place_module(const uint8_t *answer, size_t size)
{
    Answer head;
    if (size < sizeof(head)) {
        return NULL;
    }
    memcpy(&head, answer, sizeof(head));
    size_t rows = (size_t)head.probes * sizeof(ProbeRow);
    if (!head.is_recorded || size < sizeof(head) + rows) {
        return NULL;
    }
    heap_is_on = head.is_recorded == 2;
    const char *code = (const char *)answer + sizeof(head) + rows;
    PyObject *module = PyMarshal_ReadObjectFromString(code, (Py_ssize_t)(size - sizeof(head) - rows));
    Table table = {(const ProbeRow *)(answer + sizeof(head)), head.probes, head.functions, head.sites};
    if (!module || !PyCode_Check(module) || place_code((PyCodeObject *)module, &table) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
