/* Readers of objects with members, and of matches. */
#include "fields_read.h"

#include <structmember.h>

int
visit_new(PyObject *value, const char *name, LayoutVisit visit, void *context)
{
    if (!value) {
        PyErr_Clear();
        return 0;
    }
    int is_enough = visit(context, NULL, name, value);   /* (visitors keep no numbers and texts) */
    Py_DECREF(value);
    return is_enough;
}

int
read_members(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    for (PyMemberDef *member = type->tp_members; member && member->name; member++) {
        void *place = (char *)object + member->offset;
        if (member->type == T_OBJECT_EX || member->type == T_OBJECT) {
            PyObject *value = *(PyObject **)place;
            if (value && visit(context, NULL, member->name, value)) {
                return 1;
            }
        }
        else if (member->type == T_INT
                 && visit_new(PyLong_FromLong(*(int *)place), member->name, visit, context)) {
            return 1;
        }
    }
    return 0;
}

/* --- matches */

#define MOST_GROUPS 20
#define LONGEST_GROUP 1000   /* longer groups are left out; the string itself is recorded */

/* As in sre.h; the same from 3.11 to 3.13. */
typedef struct {
    PyObject_VAR_HEAD
    PyObject *string, *regs, *pattern;
    Py_ssize_t pos, endpos, lastindex, groups;
    Py_ssize_t mark[1];
} Match;
_Static_assert(sizeof(Match) == SIZE_OF_MATCH, "not the match of this interpreter");

static PyObject *
piece(PyObject *string, Py_ssize_t start, Py_ssize_t end)
{
    if (PyUnicode_CheckExact(string)) {
        return end <= PyUnicode_GET_LENGTH(string) ? PyUnicode_Substring(string, start, end) : NULL;
    }
    if (PyBytes_CheckExact(string) && end <= PyBytes_GET_SIZE(string)) {
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(string) + start, end - start);
    }
    return NULL;
}

static int
visit_group(const Match *match, Py_ssize_t number, const char *name, LayoutVisit visit, void *context)
{
    Py_ssize_t start = match->mark[2 * number], end = match->mark[2 * number + 1];
    if (start < 0 || end < start) {
        return visit(context, NULL, name, Py_None);
    }
    if (end - start > LONGEST_GROUP) {
        return 0;
    }
    return visit_new(piece(match->string, start, end), name, visit, context);
}

int
read_match(PyObject *object, PyTypeObject *type, LayoutVisit visit, void *context)
{
    static char names[MOST_GROUPS][16];
    const Match *match = (const Match *)object;
    if (!match->string || !match->pattern || match->groups < 1 || match->groups > Py_SIZE(object) / 2) {
        return 0;   /* a match that is still being made */
    }
    if (visit_group(match, 0, "match", visit, context)) {
        return 1;
    }
    for (Py_ssize_t i = 1; i < match->groups && i <= MOST_GROUPS; i++) {
        PyOS_snprintf(names[i - 1], sizeof(names[0]), "group_%zd", i);
        if (visit_group(match, i, names[i - 1], visit, context)) {
            return 1;
        }
    }
    return visit_new(PyLong_FromSsize_t(match->mark[0]), "start", visit, context)
        || visit_new(PyLong_FromSsize_t(match->mark[1]), "end", visit, context)
        || visit(context, NULL, "string", match->string)
        || visit(context, NULL, "re", match->pattern);
}
