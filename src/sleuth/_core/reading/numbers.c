/* Sets of numbers, packed as bytes: the ids of objects and sites that a segment has records of. */
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

static size_t
slot_of(const uint64_t *slots, size_t room, uint64_t number)
{
    size_t mask = room - 1;
    size_t slot = (size_t)((number * 0x9E3779B97F4A7C15u) >> 32) & mask;
    while (slots[slot] != 0 && slots[slot] != number) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static int
widen(Numbers *numbers)
{
    size_t room = numbers->room ? numbers->room * 2 : 256;
    uint64_t *slots = PyMem_Calloc(room, sizeof(uint64_t));
    if (slots == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < numbers->room; i++) {
        if (numbers->slots[i] != 0) {
            slots[slot_of(slots, room, numbers->slots[i])] = numbers->slots[i];
        }
    }
    PyMem_Free(numbers->slots);
    numbers->slots = slots;
    numbers->room = room;
    return 0;
}

int
numbers_add(Numbers *numbers, uint64_t number)
{
    if (number == 0) {
        numbers->has_zero = 1;
        return 0;
    }
    if (number == numbers->recent) {
        return 0;
    }
    numbers->recent = number;
    if (numbers->count * 2 >= numbers->room && widen(numbers) < 0) {
        return -1;
    }
    size_t slot = slot_of(numbers->slots, numbers->room, number);
    if (numbers->slots[slot] == 0) {
        numbers->slots[slot] = number;
        numbers->count++;
    }
    return 0;
}

void
numbers_free(Numbers *numbers)
{
    PyMem_Free(numbers->slots);
    memset(numbers, 0, sizeof *numbers);
}

static int
by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

PyObject *
numbers_pack(const Numbers *numbers)
{
    size_t count = 0, total = numbers->count + (size_t)numbers->has_zero, size = 0;
    uint64_t *sorted = PyMem_Malloc((total + 1) * sizeof(uint64_t));
    uint8_t *bytes = PyMem_Malloc(total * 10 + 1);
    if (sorted == NULL || bytes == NULL) {
        PyMem_Free(sorted);
        PyMem_Free(bytes);
        return PyErr_NoMemory();
    }
    if (numbers->has_zero) {
        sorted[count++] = 0;
    }
    for (size_t i = 0; i < numbers->room; i++) {
        if (numbers->slots[i] != 0) {
            sorted[count++] = numbers->slots[i];
        }
    }
    if (count > 1) {
        qsort(sorted, count, sizeof(uint64_t), by_size);
    }
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t step = sorted[i] - last;
        for (; step > 0x7F; step >>= 7) {
            bytes[size++] = (uint8_t)(step & 0x7F) | 0x80;
        }
        bytes[size++] = (uint8_t)step;
        last = sorted[i];
    }
    PyObject *packed = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
    PyMem_Free(sorted);
    PyMem_Free(bytes);
    return packed;
}

PyDoc_STRVAR(numbers_doc, "numbers(packed) -> bytes\n\n"
"The numbers of a packed set in order, eight bytes each, in the machine's order.");

static PyObject *
numbers(PyObject *module, PyObject *args)
{
    const uint8_t *at;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "y#:numbers", &at, &size)) {
        return NULL;
    }
    const uint8_t *end = at + size;
    Py_ssize_t count = 0;
    for (const uint8_t *byte = at; byte < end; byte++) {
        count += *byte < 0x80;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(uint64_t));
    if (result == NULL) {
        return NULL;
    }
    char *next = PyBytes_AS_STRING(result);
    uint64_t last = 0, step = 0;
    int shift = 0, is_first = 1;
    for (; at < end; at++) {
        if (shift > 63) {
            break;
        }
        step |= (uint64_t)(*at & 0x7F) << shift;
        shift += 7;
        if (*at < 0x80) {
            if (step > UINT64_MAX - last || (step == 0 && !is_first)) {
                break;
            }
            last += step;
            memcpy(next, &last, sizeof last);
            next += sizeof last;
            step = 0;
            shift = is_first = 0;
        }
    }
    if (at < end || shift != 0) {
        Py_DECREF(result);
        PyErr_SetString(PyExc_ValueError, "a packed set of numbers is malformed");
        return NULL;
    }
    return result;
}

PyMethodDef numbers_functions[] = {
    {"numbers", numbers, METH_VARARGS, numbers_doc},
    {NULL, NULL, 0, NULL},
};
