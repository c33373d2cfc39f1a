/* The extension module sleuth._flat: loops over trees in flat arrays that numpy has no function for. */
#include "compress.h"
#include "hang.h"
#include "order.h"
#include "ranking.h"

static PyMethodDef functions[] = {
    {"compress", compress, METH_VARARGS, compress_doc},
    {"hang", hang, METH_VARARGS, hang_doc},
    {"preorder", preorder, METH_VARARGS, preorder_doc},
    {"ranking", ranking, METH_VARARGS, ranking_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sleuth._flat",
    .m_doc = "Walks over trees that are flat arrays.",
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__flat(void)
{
    return PyModuleDef_Init(&definition);
}
