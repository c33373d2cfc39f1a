/* Replaces the placeholders in rewritten code by probes.
 *
 * The constants are changed in place: the code was just unmarshalled, and nothing else refers to it.
 */
#include "place.h"

#include <marshal.h>

#include "heap.h"
#include "probe.h"
#include "twins.h"

#define PREFIX "\0sleuth:"
#define PREFIX_SIZE 8

typedef struct __attribute__((packed)) {
    uint8_t is_recorded;   /* 1: calls only; 2: everything */
    uint32_t functions;    /* the numbers of the module's first function and first site */
    uint32_t sites;
    uint32_t probes;
    uint32_t twins;        /* bytes of all twins */
} Answer;

typedef struct {
    const ProbeRow *rows;
    uint32_t count, functions, sites;
    const uint8_t *twins, *end;   /* one for each code object, outer ones first */
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
place_code(PyCodeObject *code, Table *table)
{
    PyObject *constants = code->co_consts;
    table->twins = twins_attach(code, table->twins, table->end);
    if (!table->twins) {
        return -1;
    }
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
    size_t before = sizeof(head) + rows + head.twins;
    if (!head.is_recorded || size < before) {
        return NULL;
    }
    heap_is_on = head.is_recorded == 2;
    const uint8_t *code = answer + before;
    PyObject *module = PyMarshal_ReadObjectFromString((const char *)code, (Py_ssize_t)(size - before));
    Table table = {(const ProbeRow *)(answer + sizeof(head)), head.probes, head.functions, head.sites,
                   code - head.twins, code};
    if (!module || !PyCode_Check(module) || place_code((PyCodeObject *)module, &table) < 0) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
