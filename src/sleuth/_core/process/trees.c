/* Packs a syntax tree without running code of the program.
 *
 * Nodes are read from their own dictionaries, and only nodes of the interpreter's own types are accepted: a
 * derived class may run any code when an attribute is read.  A node becomes a dictionary with the name of its
 * type under the key "", and `marshal` writes the whole.
 */
#include "trees.h"

#include <marshal.h>

#include "names.h"

#define MOST_NODES 200000
#define DEEPEST 900          /* marshal supports 2,000 levels */

typedef struct { PyObject *types; int nodes; } Packing;

static PyObject *packed(Packing *packing, PyObject *value, int depth);

static const char *
short_name(PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    return dot ? dot + 1 : type->tp_name;
}

static int
is_node(Packing *packing, PyTypeObject *type)
{
    return PyDict_GetItemString(packing->types, short_name(type)) == (PyObject *)type;
}

static int
pack_fields(Packing *packing, PyObject *names, PyObject *from, PyObject *into, int depth)
{
    for (Py_ssize_t i = 0; names && PyTuple_CheckExact(names) && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        PyObject *value = PyUnicode_CheckExact(name) ? PyDict_GetItem(from, name) : NULL;
        PyObject *made = value ? packed(packing, value, depth + 1) : NULL;
        int result = made ? PyDict_SetItem(into, name, made) : value ? -1 : 0;
        Py_XDECREF(made);
        if (result < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
packed_node(Packing *packing, PyObject *node, int depth)
{
    static PyObject *kept_fields, *kept_attributes, *kept_type;
    PyTypeObject *type = Py_TYPE(node);
    PyObject **own = _PyObject_GetDictPtr(node);
    PyObject *made = PyDict_New(), *name = PyUnicode_FromString(short_name(type));
    PyObject *key = kept_name(&kept_type, "");
    int is_done = made && name && key && ++packing->nodes <= MOST_NODES
        && PyDict_SetItem(made, key, name) == 0;
    if (is_done && own && *own) {
        PyObject *fields = find_in_type(type, &kept_fields, "_fields");
        PyObject *attributes = find_in_type(type, &kept_attributes, "_attributes");
        is_done = pack_fields(packing, fields, *own, made, depth) == 0
            && pack_fields(packing, attributes, *own, made, depth) == 0;
    }
    Py_XDECREF(name);
    if (!is_done) {
        Py_CLEAR(made);
    }
    return made;
}

static PyObject *
packed_list(Packing *packing, PyObject *list, int depth)
{
    PyObject *made = PyList_New(0);
    for (Py_ssize_t i = 0; made && i < PyList_GET_SIZE(list); i++) {
        PyObject *item = packed(packing, PyList_GET_ITEM(list, i), depth + 1);
        if (!item || PyList_Append(made, item) < 0) {
            Py_CLEAR(made);
        }
        Py_XDECREF(item);
    }
    return made;
}

/* Tell whether a value is a constant of builtin types throughout. */
static int
is_constant(PyObject *value, int depth)
{
    if (PyTuple_CheckExact(value) && depth < DEEPEST) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); i++) {
            if (!is_constant(PyTuple_GET_ITEM(value, i), depth + 1)) {
                return 0;
            }
        }
        return 1;
    }
    if (PyFrozenSet_CheckExact(value) && depth < DEEPEST) {
        PyObject *items = PySequence_Tuple(value);
        int is_one = items && is_constant(items, depth + 1);
        Py_XDECREF(items);
        PyErr_Clear();
        return is_one;
    }
    return value == Py_None || value == Py_Ellipsis || PyBool_Check(value) || PyLong_CheckExact(value)
        || PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyFloat_CheckExact(value)
        || PyComplex_CheckExact(value);
}

static PyObject *
packed(Packing *packing, PyObject *value, int depth)
{
    if (depth > DEEPEST) {
        return NULL;
    }
    if (PyList_CheckExact(value)) {
        return packed_list(packing, value, depth);
    }
    if (is_constant(value, 0)) {
        return Py_NewRef(value);
    }
    return is_node(packing, Py_TYPE(value)) ? packed_node(packing, value, depth) : NULL;
}

PyObject *
trees_packed(PyObject *tree)
{
    PyObject *module = loaded_module("_ast");
    Packing packing = {module ? PyModule_GetDict(module) : NULL, 0};
    if (!module || !is_node(&packing, Py_TYPE(tree))) {
        return NULL;
    }
    PyObject *value = packed(&packing, tree, 0);
    PyObject *bytes = value ? PyMarshal_WriteObjectToString(value, Py_MARSHAL_VERSION) : NULL;
    Py_XDECREF(value);
    PyErr_Clear();
    return bytes;
}

PyObject *
trees_cached_source(const char *path)
{
    PyObject *module = loaded_module("linecache");
    PyObject *cache = module ? PyDict_GetItemString(PyModule_GetDict(module), "cache") : NULL;
    PyObject *entry = cache && PyDict_CheckExact(cache) ? PyDict_GetItemString(cache, path) : NULL;
    PyObject *lines = entry && PyTuple_CheckExact(entry) && PyTuple_GET_SIZE(entry) == 4
        ? PyTuple_GET_ITEM(entry, 2) : NULL;
    PyObject *text = NULL;
    int is_text = lines && PyList_CheckExact(lines);
    for (Py_ssize_t i = 0; is_text && i < PyList_GET_SIZE(lines); i++) {
        is_text = PyUnicode_CheckExact(PyList_GET_ITEM(lines, i));
    }
    if (is_text) {
        PyObject *nothing = PyUnicode_FromStringAndSize(NULL, 0);
        text = nothing ? PyUnicode_Join(nothing, lines) : NULL;
        Py_XDECREF(nothing);
    }
    PyErr_Clear();
    return text;
}
