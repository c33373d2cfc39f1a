/* The inputs of a call: arguments and cells. */
#include "given.h"

#include "encode.h"
#include "secrets.h"
#include "write.h"

/* Tell whether a variable is a cell of the program's; the compiler's own, such as `__class__`, are not. */
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

int
given_count_cells(PyCodeObject *code)
{
    int count = 0;
    for (int i = 0; i < code->co_nlocalsplus && count < MOST_CELLS; i++) {
        count += is_cell(code, i);
    }
    return count;
}

void
given_meet_cells(Frame *frame, PyCodeObject *code)
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

uint8_t *
given_put_cells(uint8_t *p, Frame *frame, PyCodeObject *code)
{
    int count = 0;
    for (int i = 0; i < code->co_nlocalsplus && p && count < MOST_CELLS; i++) {
        PyObject *cell = frame->localsplus[i];
        if (!is_cell(code, i)) {
            continue;
        }
        count++;
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

void
given_meet(Frame *frame)
{
    PyCodeObject *code = FRAME_CODE(frame);
    if (unlikely(heap_is_restless)) {
        heap_meet_restless();
    }
    for (int i = given_count(code) - 1; i >= 0; i--) {
        if (!secret_name(PyTuple_GET_ITEM(code->co_localsplusnames, i))) {
            heap_meet(given_argument(frame, code, i));
        }
    }
    if (code->co_ncellvars || code->co_nfreevars) {
        given_meet_cells(frame, code);
    }
}
