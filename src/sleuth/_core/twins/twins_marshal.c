/* `marshal` reads code objects directly, not by their attributes: so it is given code that is plain
 * throughout. */
#include "twins_marshal.h"

#include "hooks.h"
#include "twins.h"

#define DEEPEST 200

static PyCFunction dumps_original, dump_original;

static PyObject *plain_value(PyObject *value, int depth);

static PyObject *
plain_items(PyObject *value, int depth)
{
    int is_list = PyList_CheckExact(value);
    PyObject *copy = is_list ? PyList_AsTuple(value) : Py_NewRef(value), *made = NULL;
    for (Py_ssize_t i = 0; copy && i < PyTuple_GET_SIZE(copy); i++) {
        PyObject *item = PyTuple_GET_ITEM(copy, i), *plain = plain_value(item, depth + 1);
        if (plain && plain != item && !made) {
            made = PySequence_List(copy);
        }
        if (!plain || (plain != item && !made)) {
            Py_XDECREF(plain);
            Py_CLEAR(made);
            Py_CLEAR(copy);
            return NULL;
        }
        if (made) {
            PyList_SetItem(made, i, Py_NewRef(plain));
        }
        Py_DECREF(plain);
    }
    Py_XDECREF(copy);
    if (made && !is_list) {
        PyObject *tuple = PyList_AsTuple(made);
        Py_DECREF(made);
        return tuple;
    }
    return made ? made : copy ? Py_NewRef(value) : NULL;
}

static PyObject *
plain_members(PyObject *value, int depth)
{
    PyObject *members = PySequence_Tuple(value);
    PyObject *plain = members ? plain_items(members, depth) : NULL, *made = NULL;
    if (plain && plain == members) {
        made = Py_NewRef(value);
    }
    else if (plain) {
        made = PyFrozenSet_CheckExact(value) ? PyFrozenSet_New(plain) : PySet_New(plain);
    }
    Py_XDECREF(members);
    Py_XDECREF(plain);
    return made;
}

static PyObject *
plain_entries(PyObject *value, int depth)
{
    PyObject *items = PyDict_Items(value);
    PyObject *plain = items ? plain_items(items, depth) : NULL, *made = NULL;
    if (plain && plain == items) {
        made = Py_NewRef(value);
    }
    else if (plain && (made = PyDict_New()) != NULL && PyDict_MergeFromSeq2(made, plain, 1) < 0) {
        Py_CLEAR(made);
    }
    Py_XDECREF(items);
    Py_XDECREF(plain);
    return made;
}

/* Return the value, or a copy in which all code is plain (new reference); NULL with an exception. */
static PyObject *
plain_value(PyObject *value, int depth)
{
    if (depth < DEEPEST) {
        if (PyCode_Check(value)) {
            return twins_plain_throughout(value);
        }
        if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
            return plain_items(value, depth);
        }
        if (PyDict_CheckExact(value)) {
            return plain_entries(value, depth);
        }
        if (PyAnySet_CheckExact(value)) {
            return plain_members(value, depth);
        }
    }
    return Py_NewRef(value);
}

typedef PyObject *(*Plain)(PyObject *, PyObject *const *, Py_ssize_t);
typedef PyObject *(*Named)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static PyObject *
with_plain(PyCFunction original, PyObject *module, PyObject *const *args, Py_ssize_t count,
           PyObject *names)
{
    PyObject *given[8];
    Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (count < 1 || all > 8) {
        return MARSHAL_CALL(original, module, args, count, names);
    }
    PyObject *value = plain_value(args[0], 0);
    if (!value) {
        return NULL;
    }
    memcpy(given, args, (size_t)all * sizeof(PyObject *));
    given[0] = value;
    PyObject *result = MARSHAL_CALL(original, module, given, count, names);
    Py_DECREF(value);
    return result;
}

static PyObject *
dumps(MARSHAL_PARAMETERS)
{
    return with_plain(dumps_original, module, args, count, MARSHAL_NAMES);
}

static PyObject *
dump(MARSHAL_PARAMETERS)
{
    return with_plain(dump_original, module, args, count, MARSHAL_NAMES);
}

void
twins_marshal_start(void)
{
    PyObject *module = PyImport_ImportModule("marshal");
    hooks_exchange(module, "dumps", MARSHAL_FLAGS, &dumps_original, (PyCFunction)(void (*)(void))dumps);
    hooks_exchange(module, "dump", MARSHAL_FLAGS, &dump_original, (PyCFunction)(void (*)(void))dump);
    Py_XDECREF(module);
    PyErr_Clear();
}
