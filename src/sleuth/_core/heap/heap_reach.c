/* Finds the objects that an object leads to, up to a bound: code that gets the object may change them. */
#include "heap_inside.h"

#define REACHED 32
#define REACHED_ITEMS 256
typedef struct { PyObject *objects[REACHED]; int count, items; } Reach;

static int
reach_one(void *context, PyObject *key, const char *name, PyObject *value)
{
    Reach *reach = context;
    if (reach->count == REACHED || reach->items++ > REACHED_ITEMS) {
        return 1;
    }
    /* (Functions and classes would lead to all objects of their module.) */
    if (heap_is_atom(value) || PyFunction_Check(value) || PyType_Check(value) || PyModule_Check(value)) {
        return 0;
    }
    for (int i = 0; i < reach->count; i++) {
        if (reach->objects[i] == value) {
            return 0;
        }
    }
    reach->objects[reach->count++] = value;
    return 0;
}

static int
reach_referent(PyObject *value, void *context)
{
    return reach_one(context, NULL, NULL, value);
}

/* Follow an object without recorded contents, such as a bound method, a partial or a map object. */
static void
reach_through(PyObject *object, Reach *reach)
{
    PyTypeObject *type = Py_TYPE(object);
    if (type->tp_traverse && !PyFunction_Check(object) && !PyType_Check(object) && !PyModule_Check(object)
        && !PyFrame_Check(object) && PyObject_IS_GC(object)) {
        type->tp_traverse(object, reach_referent, reach);
    }
}

void
heap_reach(PyObject *object, int (*found)(void *, PyObject *), void *context)
{
    Reach reach = {{object}, 1, 0};
    for (int at = 0; at < reach.count; at++) {
        PyObject *next = reach.objects[at];
        int layout = layout_of(Py_TYPE(next)), part = layout_part(layout);
        Known *known = identity_find(next);
        if (known && !known->is_probable && (known->flags & FLAG_DESCRIBED)
            && (layout & LAYOUT_MUTABLE) && found(context, next)) {
            break;
        }
        if (!heap_pay(layout_price_of_gaps(next, layout))) {
            continue;
        }
        if (part && part != PART_BYTES) {
            layout_visit(next, part, layout, reach_one, &reach);
        }
        if ((layout & LAYOUT_ATTRIBUTES) && !(layout & LAYOUT_CLASS)) {
            layout_visit(next, PART_ATTRIBUTES, layout, reach_one, &reach);
        }
        if (!part && identity_base(Py_TYPE(next)) != &PyBaseObject_Type) {
            reach_through(next, &reach);
        }
    }
    heap_count_looked(reach.items);
}
