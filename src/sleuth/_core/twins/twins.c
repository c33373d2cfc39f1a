/* The plain twins of recorded code.
 *
 * The interpreter runs the code with probes.  Code that reads its attributes is shown the twin, which is what
 * the compiler makes without probes (`twins_read.c`): so tools that read bytecode work as they do without
 * Sleuth.  The tables of the twin are packed by `record/rewrite/twins.py`; a code object is made of them when
 * it is first read.  The twin is stored in the recorded code's extra data, and dies with it.  Code objects
 * among its constants are the recorded ones, each with a twin of its own.
 */
#include "twins.h"

#include <opcode.h>
#include <stdlib.h>

enum { CODE, LINES, HANDLERS, CONSTANTS, OFFSETS, PARTS };

typedef struct { uint32_t stack, sizes[PARTS]; } Head;

typedef struct {
    PyObject *plain;   /* owned; NULL until it is first read */
    int is_changed;    /* the program has made a changed copy of the code: see twins_is_first_change */
    Head head;
    uint8_t data[];
} Twin;

static Py_ssize_t extra = -1;
static PyInterpreterState *home;   /* other interpreters have other indexes of extra data */

static void
forget(void *data)
{
    Twin *twin = data;
    if (twin) {
        Py_XDECREF(twin->plain);
        free(twin);
    }
}

int
twins_start(void)
{
    extra = CODE_EXTRA_INDEX(forget);
    home = PyInterpreterState_Get();
    return extra < 0 ? -1 : 0;
}

static Twin *
twin_of(PyObject *code)
{
    void *found = NULL;
    if (extra < 0 || !PyCode_Check(code) || PyInterpreterState_Get() != home
        || CODE_GET_EXTRA(code, extra, &found) < 0) {
        return NULL;
    }
    return found;
}

static size_t
size_of(const Head *head)
{
    size_t size = 0;
    for (int i = 0; i < PARTS; i++) {
        size += head->sizes[i];
    }
    return size;
}

static const uint8_t *
part(const Twin *twin, int which)
{
    const uint8_t *at = twin->data;
    for (int i = 0; i < which; i++) {
        at += twin->head.sizes[i];
    }
    return at;
}

static int
attach(PyObject *code, const Head *head, const uint8_t *data, PyObject *plain)
{
    size_t size = size_of(head);
    Twin *twin = malloc(sizeof(Twin) + size);
    if (!twin) {
        PyErr_NoMemory();
        return -1;
    }
    *twin = (Twin){.plain = Py_XNewRef(plain), .head = *head};
    memcpy(twin->data, data, size);
    if (CODE_SET_EXTRA(code, extra, twin) < 0) {
        forget(twin);
        return -1;
    }
    return 0;
}

const uint8_t *
twins_attach(PyCodeObject *code, const uint8_t *at, const uint8_t *end)
{
    Head head;
    if ((size_t)(end - at) < sizeof(head)) {
        return NULL;
    }
    memcpy(&head, at, sizeof(head));
    at += sizeof(head);
    size_t size = size_of(&head);
    if ((size_t)(end - at) < size) {
        return NULL;
    }
    if (size > 0 && extra >= 0 && attach((PyObject *)code, &head, at, NULL) < 0) {
        return NULL;
    }
    return at + size;
}

int
twins_has(PyObject *code)
{
    return twin_of(code) != NULL;
}

int
twins_is_first_change(PyObject *code)
{
    Twin *twin = twin_of(code);
    return twin && !twin->is_changed && (twin->is_changed = 1);
}

/* --- making code */

static const uint8_t *
read_number(const uint8_t *at, uint32_t *value)
{
    int shift = 0;
    *value = 0;
    do {
        *value |= (uint32_t)(*at & 0x7F) << shift;
        shift += 7;
    } while (*at++ & 0x80);
    return at;
}

/* Make a code object (new reference) with the names, arguments and flags of `like`; NULL with an
 * exception, or if a part is NULL. */
static PyObject *
make(PyCodeObject *like, int stack, PyObject *bytes, PyObject *constants, PyObject *lines,
     PyObject *handlers)
{
    PyObject *variables = PyCode_GetVarnames(like), *free_names = PyCode_GetFreevars(like);
    PyObject *cells = PyCode_GetCellvars(like), *made = NULL;
    if (variables && free_names && cells && bytes && constants && lines && handlers) {
        made = (PyObject *)CODE_NEW(
            like->co_argcount, like->co_posonlyargcount, like->co_kwonlyargcount, like->co_nlocals,
            stack, like->co_flags, bytes, constants, like->co_names, variables, free_names, cells,
            like->co_filename, like->co_name, like->co_qualname, like->co_firstlineno, lines, handlers);
    }
    Py_XDECREF(variables);
    Py_XDECREF(free_names);
    Py_XDECREF(cells);
    return made;
}

static PyObject *
plain_constants(const Twin *twin, PyObject *all)
{
    const uint8_t *at = part(twin, CONSTANTS), *end = part(twin, CONSTANTS + 1);
    Py_ssize_t count = 0;
    for (const uint8_t *each = at; each < end; each++) {
        count += !(*each & 0x80);
    }
    PyObject *constants = PyTuple_New(count);
    for (Py_ssize_t i = 0; constants && i < count; i++) {
        uint32_t index;
        at = read_number(at, &index);
        if (index >= PyTuple_GET_SIZE(all)) {
            Py_DECREF(constants);
            PyErr_SetString(PyExc_ValueError, "no such constant");
            return NULL;
        }
        PyTuple_SET_ITEM(constants, i, Py_NewRef(PyTuple_GET_ITEM(all, index)));
    }
    return constants;
}

static PyObject *
bytes_of(const Twin *twin, int which)
{
    return PyBytes_FromStringAndSize((const char *)part(twin, which), twin->head.sizes[which]);
}

PyObject *
twins_plain(PyObject *code)
{
    Twin *twin = twin_of(code);
    if (!twin) {
        return code;
    }
    if (!twin->plain) {
        PyObject *bytes = bytes_of(twin, CODE), *lines = bytes_of(twin, LINES);
        PyObject *handlers = bytes_of(twin, HANDLERS);
        PyObject *constants = plain_constants(twin, ((PyCodeObject *)code)->co_consts);
        PyObject *plain = make((PyCodeObject *)code, (int)twin->head.stack, bytes, constants, lines,
                               handlers);
        Py_XDECREF(bytes);
        Py_XDECREF(lines);
        Py_XDECREF(handlers);
        Py_XDECREF(constants);
        if (twin->plain) {
            Py_XDECREF(plain);   /* a garbage collection meanwhile has run code that read it, too */
        }
        else {
            twin->plain = plain;
        }
    }
    return twin->plain;
}

PyObject *
twins_like(PyObject *code, PyObject *plain)
{
    Twin *twin = twin_of(code);
    PyCodeObject *old = (PyCodeObject *)code;
    PyObject *bytes = PyCode_GetCode(old);
    PyObject *made = make((PyCodeObject *)plain, old->co_stacksize, bytes, old->co_consts,
                          old->co_linetable, old->co_exceptiontable);
    Py_XDECREF(bytes);
    if (made && twin && attach(made, &twin->head, twin->data, plain) < 0) {
        Py_CLEAR(made);
    }
    return made;
}

PyObject *
twins_plain_throughout(PyObject *code)
{
    PyCodeObject *plain = (PyCodeObject *)twins_plain(code);
    if (!plain) {
        return NULL;
    }
    PyObject *old = plain->co_consts, *constants = PyTuple_New(PyTuple_GET_SIZE(old));
    int is_changed = 0;
    for (Py_ssize_t i = 0; constants && i < PyTuple_GET_SIZE(old); i++) {
        PyObject *constant = PyTuple_GET_ITEM(old, i);
        PyObject *seen = PyCode_Check(constant) ? twins_plain_throughout(constant)
                                                : Py_NewRef(constant);
        if (!seen) {
            Py_CLEAR(constants);
            break;
        }
        is_changed |= seen != constant;
        PyTuple_SET_ITEM(constants, i, seen);
    }
    PyObject *result = NULL;
    if (constants && !is_changed) {
        result = Py_NewRef((PyObject *)plain);
    }
    else if (constants) {
        PyObject *bytes = PyCode_GetCode(plain);
        result = make(plain, plain->co_stacksize, bytes, constants, plain->co_linetable,
                      plain->co_exceptiontable);
        Py_XDECREF(bytes);
    }
    Py_XDECREF(constants);
    return result;
}

/* Tell whether a constant is the code of a recorded comprehension (3.11): its events count as those of the
 * function around it. */
static int
is_part(PyObject *constant)
{
    if (!HAS_CODE_OF_COMPREHENSIONS || !twin_of(constant)) {
        return 0;
    }
    PyObject *name = ((PyCodeObject *)constant)->co_name;
    return PyUnicode_CompareWithASCIIString(name, "<listcomp>") == 0
        || PyUnicode_CompareWithASCIIString(name, "<setcomp>") == 0
        || PyUnicode_CompareWithASCIIString(name, "<dictcomp>") == 0;
}

PyObject *
twins_made_by_program(PyObject *code)
{
    PyObject *old = code ? ((PyCodeObject *)code)->co_consts : NULL, *constants = NULL;
    for (Py_ssize_t i = 0; old && i < PyTuple_GET_SIZE(old); i++) {
        if (!is_part(PyTuple_GET_ITEM(old, i))) {
            continue;
        }
        PyObject *plain = twins_plain_throughout(PyTuple_GET_ITEM(old, i));
        if (plain && !constants) {
            constants = PySequence_List(old);
        }
        if (!constants || !plain || PyList_SetItem(constants, i, plain) < 0) {
            Py_XDECREF(constants);
            Py_DECREF(code);
            return NULL;
        }
    }
    if (constants) {
        PyObject *tuple = PyList_AsTuple(constants);
        Py_DECREF(constants);
        if (!tuple) {
            Py_DECREF(code);
            return NULL;
        }
        Py_SETREF(((PyCodeObject *)code)->co_consts, tuple);   /* the code is new: nothing refers to it yet */
    }
    return code;
}

/* --- offsets: runs of units, each with the place of its first unit in the plain code */

typedef struct { const uint8_t *at, *end; int size, is_inserted, place, next; } Run;

static Run
first_run(const Twin *twin)
{
    return (Run){.at = part(twin, OFFSETS), .end = part(twin, PARTS)};
}

static int
next_run(Run *run)
{
    uint32_t size, off;
    if (run->at >= run->end) {
        return 0;
    }
    run->at = read_number(read_number(run->at, &size), &off);
    run->size = (int)(size >> 1);
    run->is_inserted = size & 1;
    run->place = run->next + (off & 1 ? -(int)(off >> 1) : (int)(off >> 1));
    run->next = run->place + (run->is_inserted ? 0 : run->size);
    return 1;
}

PlainUnit
twins_seen(PyObject *code, int unit)
{
    Twin *twin = twin_of(code);
    if (!twin || unit < 0) {
        return (PlainUnit){unit, 1};
    }
    int units = (int)(twin->head.sizes[CODE] / 2);
    Run run = first_run(twin);
    for (int start = 0; next_run(&run); start += run.size) {
        if (unit < start + run.size) {
            int place = run.place + (run.is_inserted ? 0 : unit - start);
            /* Instructions that were appended behind the last one are mapped to the last one. */
            return (PlainUnit){place < units ? place : units - 1, !run.is_inserted};
        }
    }
    return (PlainUnit){units - 1, 0};
}

int
twins_running(PyObject *code, int unit)
{
    Twin *twin = twin_of(code);
    if (!twin || unit < 0) {
        return unit;
    }
    int best = 0, best_place = -1;
    Run run = first_run(twin);
    for (int start = 0; next_run(&run); start += run.size) {
        if (run.is_inserted || run.place > unit) {
            continue;
        }
        int last = run.place + run.size - 1, place = unit < last ? unit : last;
        if (place > best_place) {
            best_place = place;
            best = start + place - run.place;
        }
    }
    return best;
}

/* --- instructions in special forms */

/* Tell whether the interpreter may join two such instructions; with a probe between them it does not. */
static int
has_pairs(uint8_t opcode)
{
    return opcode == LOAD_FAST || opcode == STORE_FAST || opcode == LOAD_CONST;
}

static void
copy_forms(const Run *run, int start, const uint8_t *running, const uint8_t *running_base,
           const uint8_t *seen_base, uint8_t *out)
{
    for (int i = 0; i < run->size; i++) {
        int from = 2 * (start + i), to = 2 * (run->place + i);
        if (running_base[from] == CACHE && seen_base[to] == CACHE) {
            memcpy(out + to, running + from, 2);
        }
        else if (running_base[from] == seen_base[to] && !has_pairs(seen_base[to])) {
            out[to] = running[from];
        }
    }
}

PyObject *
twins_specialised(PyObject *code, PyObject *running, PyObject *seen)
{
    Twin *twin = twin_of(code);
    PyObject *base = running && seen ? PyCode_GetCode((PyCodeObject *)code) : NULL;
    PyObject *made = NULL;
    if (twin && base) {
        made = PyBytes_FromStringAndSize(PyBytes_AS_STRING(seen), PyBytes_GET_SIZE(seen));
        Run run = first_run(twin);
        for (int start = 0; made && next_run(&run); start += run.size) {
            if (!run.is_inserted) {
                copy_forms(&run, start, (uint8_t *)PyBytes_AS_STRING(running),
                           (uint8_t *)PyBytes_AS_STRING(base), part(twin, CODE),
                           (uint8_t *)PyBytes_AS_STRING(made));
            }
        }
    }
    Py_XDECREF(base);
    Py_XDECREF(running);
    Py_XDECREF(seen);
    return made;
}
