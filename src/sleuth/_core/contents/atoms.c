/* The values of objects whose class is derived from a builtin number or text.
 *
 * Methods of the class (`__int__`, `__str__`) are not called: they are code of the program.
 */
#include "atoms.h"

int
atoms_has(PyTypeObject *type)
{
    unsigned long kinds =
        Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_BYTES_SUBCLASS;
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE)
        && ((type->tp_flags & kinds) || PyType_IsSubtype(type, &PyFloat_Type)
            || PyType_IsSubtype(type, &PyComplex_Type));
}

PyObject *
atoms_value(PyObject *object)
{
    if (PyLong_Check(object)) {
        return PyLong_Type.tp_as_number->nb_positive(object);   /* makes an exact int of a subclass's */
    }
    if (PyUnicode_Check(object)) {
        return UNICODE_IS_READY(object) ? PyUnicode_FromObject(object) : NULL;
    }
    if (PyBytes_Check(object)) {
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
    }
    if (PyFloat_Check(object)) {
        return PyFloat_FromDouble(((PyFloatObject *)object)->ob_fval);
    }
    return PyComplex_FromCComplex(((PyComplexObject *)object)->cval);
}

Py_ssize_t
atoms_price(PyObject *object)
{
    Py_ssize_t bytes = PyUnicode_Check(object) ? PyUnicode_GET_LENGTH(object) * PyUnicode_KIND(object)
                     : PyBytes_Check(object) ? PyBytes_GET_SIZE(object)
                     : PyLong_Check(object) ? LONG_DIGITS(object) * (Py_ssize_t)sizeof(digit) : 1;
    return bytes / 16 + 1;
}
