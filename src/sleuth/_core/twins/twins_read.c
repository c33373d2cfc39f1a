/* Shows the attributes and offsets of the plain twin to readers of code, frames and tracebacks.
 *
 * The descriptors that the program finds in the types stay the same objects; the C functions behind them are
 * replaced.  Code without a twin is shown unchanged, and only reading becomes slower.
 */
#include "twins_read.h"

#include "hooks.h"
#include "twins.h"
#include "twins_events.h"
#include "twins_marshal.h"

/* --- attributes */

static getter code_original, adaptive_original, lnotab_original, lasti_original;

#define FROM_TWIN(name) \
    static PyObject * \
    get_##name(PyObject *code, void *closure) \
    { \
        PyObject *plain = twins_plain(code); \
        return plain ? name##_original(plain, closure) : NULL; \
    }

FROM_TWIN(code)
FROM_TWIN(lnotab)

static PyObject *
get_adaptive(PyObject *code, void *closure)
{
    PyObject *plain = twins_plain(code);
    if (!plain || plain == code) {
        return plain ? adaptive_original(code, closure) : NULL;
    }
    PyObject *running = adaptive_original(code, closure);
    return twins_specialised(code, running, running ? adaptive_original(plain, closure) : NULL);
}

static PyObject *
frame_code(PyFrameObject *frame)
{
    return (PyObject *)FRAME_CODE(frame->f_frame);
}

/* Map an offset in bytes of the code that runs to the twin. */
static int
seen_offset(PyObject *code, int offset)
{
    const int unit = (int)sizeof(_Py_CODEUNIT);
    return offset < 0 ? offset : twins_seen(code, offset / unit).unit * unit;
}

static PyObject *
get_lasti(PyObject *frame, void *closure)
{
    PyObject *code = frame_code((PyFrameObject *)frame);
    PyObject *offset = lasti_original(frame, closure);
    if (!offset || !twins_has(code)) {
        return offset;
    }
    long value = PyLong_AsLong(offset);
    Py_DECREF(offset);
    return PyLong_FromLong(seen_offset(code, (int)value));
}

/* Some attributes are members, read directly from the structure: for these the type of member descriptors is
 * hooked. */
static descrgetfunc member_original;

static PyObject *
get_member_of_code(PyObject *descriptor, PyObject *code, PyObject *type)
{
    PyCodeObject *plain;
    Py_ssize_t offset = ((PyMemberDescrObject *)descriptor)->d_member->offset;
    switch (offset) {
    case offsetof(PyCodeObject, co_consts):
    case offsetof(PyCodeObject, co_linetable):
    case offsetof(PyCodeObject, co_exceptiontable):
        plain = (PyCodeObject *)twins_plain(code);
        return plain ? Py_NewRef(*(PyObject **)((char *)plain + offset)) : NULL;
    case offsetof(PyCodeObject, co_stacksize):
        plain = (PyCodeObject *)twins_plain(code);
        return plain ? PyLong_FromLong(plain->co_stacksize) : NULL;
    }
    return member_original(descriptor, code, type);
}

static PyObject *
get_member_of_traceback(PyObject *descriptor, PyObject *object, PyObject *type)
{
    PyTracebackObject *traceback = (PyTracebackObject *)object;
    if (((PyMemberDescrObject *)descriptor)->d_member->offset == offsetof(PyTracebackObject, tb_lasti)) {
        return PyLong_FromLong(seen_offset(frame_code(traceback->tb_frame), traceback->tb_lasti));
    }
    return member_original(descriptor, object, type);
}

static PyObject *
get_member(PyObject *descriptor, PyObject *object, PyObject *type)
{
    PyTypeObject *of = ((PyDescrObject *)descriptor)->d_type;
    if (of == &PyCode_Type && object && PyCode_Check(object)) {
        return get_member_of_code(descriptor, object, type);
    }
    if (of == &PyTraceBack_Type && object && PyTraceBack_Check(object)) {
        return get_member_of_traceback(descriptor, object, type);
    }
    return member_original(descriptor, object, type);
}

/* A traceback that the program makes itself: its offset is one in the twin. */
static newfunc traceback_original;

static PyObject *
new_traceback(PyTypeObject *type, PyObject *args, PyObject *names)
{
    PyObject *made = traceback_original(type, args, names);
    PyTracebackObject *traceback = (PyTracebackObject *)made;
    if (made && traceback->tb_lasti >= 0) {
        const int unit = (int)sizeof(_Py_CODEUNIT);
        PyObject *code = frame_code(traceback->tb_frame);
        if (twins_has(code)) {
            traceback->tb_lasti = twins_running(code, traceback->tb_lasti / unit) * unit;
        }
    }
    return made;
}

/* --- methods */

static PyCFunction positions_original, lines_original, sizeof_original, frame_sizeof_original;
static PyCFunction replace_original, replace_too_original;

static PyObject *
positions(PyObject *code, PyObject *unused)
{
    PyObject *plain = twins_plain(code);
    return plain ? positions_original(plain, unused) : NULL;
}

static PyObject *
lines(PyObject *code, PyObject *unused)
{
    PyObject *plain = twins_plain(code);
    return plain ? lines_original(plain, unused) : NULL;
}

static PyObject *
size_of_code(PyObject *code, PyObject *unused)
{
    PyObject *plain = twins_plain(code);
    return plain ? sizeof_original(plain, unused) : NULL;
}

/* The frame's size without the stack that the probes need. */
static PyObject *
size_of_frame(PyObject *frame, PyObject *unused)
{
    PyObject *code = frame_code((PyFrameObject *)frame), *plain = twins_plain(code);
    PyObject *size = plain ? frame_sizeof_original(frame, unused) : NULL;
    if (!size || plain == code) {
        return size;
    }
    long more = ((PyCodeObject *)code)->co_stacksize - ((PyCodeObject *)plain)->co_stacksize;
    long value = PyLong_AsLong(size);
    Py_DECREF(size);
    return PyLong_FromLong(value - more * (long)sizeof(PyObject *));
}

/* Tell whether only fields are replaced that don't affect the instructions: then the result is recorded,
 * too. */
static int
keeps_instructions(PyObject *names)
{
    static const char *const harmless[] = {"co_name", "co_qualname", "co_filename", "co_firstlineno",
                                           "co_flags"};
    Py_ssize_t count = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        int is_harmless = 0;
        for (int j = 0; j < 5 && !is_harmless; j++) {
            is_harmless = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), harmless[j]) == 0;
        }
        if (!is_harmless) {
            return 0;
        }
    }
    return 1;
}

static void
say_changed(PyObject *code)
{
    PyCodeObject *of = (PyCodeObject *)code;
    const char *name = PyUnicode_AsUTF8(of->co_qualname), *path = PyUnicode_AsUTF8(of->co_filename);
    char function[256];
    PyErr_Clear();
    if (name && path && twins_is_first_change(code)) {
        snprintf(function, sizeof(function), "%.240s()", name);   /* no module has such a name */
        hooks_say_plain(function, path, "the program has made a changed copy of this function's code: "
                                        "the copy runs unrecorded");
    }
}

static PyObject *
replaced(PyCFunction original, PyObject *code, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    typedef PyObject *(*Function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
    PyObject *plain = twins_plain(code);
    PyObject *made = plain ? ((Function)(void (*)(void))original)(plain, args, count, names) : NULL;
    if (!made || plain == code) {
        return made;
    }
    if (!keeps_instructions(names)) {
        say_changed(code);
        return twins_made_by_program(made);
    }
    PyObject *recorded = twins_like(code, made);
    Py_DECREF(made);
    return recorded;
}

static PyObject *
replace(PyObject *code, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return replaced(replace_original, code, args, count, names);
}

static PyObject *
replace_too(PyObject *code, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return replaced(replace_too_original, code, args, count, names);
}

static newfunc new_original;

static PyObject *
new_code(PyTypeObject *type, PyObject *args, PyObject *names)
{
    return twins_made_by_program(new_original(type, args, names));
}

/* --- equality */

static richcmpfunc compare_original;
static hashfunc hash_original;

static PyObject *
compare(PyObject *one, PyObject *other, int how)
{
    one = twins_plain(one);
    other = one ? twins_plain(other) : NULL;
    return other ? compare_original(one, other, how) : NULL;
}

static Py_hash_t
hash(PyObject *code)
{
    PyObject *plain = twins_plain(code);
    return plain ? hash_original(plain) : -1;
}

/* --- exchanging */

static PyObject *
descriptor(PyTypeObject *type, const char *name, PyTypeObject *kind)
{
    PyObject *found = PyObject_GetAttrString((PyObject *)type, name);
    PyErr_Clear();
    if (found && !Py_IS_TYPE(found, kind)) {
        Py_CLEAR(found);
    }
    Py_XDECREF(found);   /* the type has a reference */
    return found;
}

static void
exchange_getter(PyTypeObject *type, const char *name, getter *original, getter ours)
{
    PyObject *found = descriptor(type, name, &PyGetSetDescr_Type);
    if (found) {
        PyGetSetDef *definition = ((PyGetSetDescrObject *)found)->d_getset;
        *original = definition->get;
        definition->get = ours;
    }
}

/* Change the wrapper of a slot in its type's dictionary, by which the slot is called from Python. */
static void
exchange_wrapped(PyTypeObject *type, const char *name, void *original, void *ours)
{
    PyObject *found = descriptor(type, name, &PyWrapperDescr_Type);
    if (found && ((PyWrapperDescrObject *)found)->d_wrapped == original) {
        ((PyWrapperDescrObject *)found)->d_wrapped = ours;
    }
}

/* Keep the interpreter from specialising the access to a member, which would bypass our function: it does
 * not specialise members that are audited.  (The audit event itself comes from the function that ours
 * replaces.) */
static void
keep_asking(const char *name)
{
    PyObject *found = descriptor(&PyCode_Type, name, &PyMemberDescr_Type);
    if (found) {
        ((PyMemberDescrObject *)found)->d_member->flags |= READ_RESTRICTED;
    }
}

static void
exchange_members(void)
{
    keep_asking("co_consts");
    keep_asking("co_linetable");
    keep_asking("co_exceptiontable");
    member_original = PyMemberDescr_Type.tp_descr_get;
    PyMemberDescr_Type.tp_descr_get = get_member;
    exchange_wrapped(&PyMemberDescr_Type, "__get__", (void *)member_original, (void *)get_member);
    PyType_Modified(&PyCode_Type);   /* drops specialisations that were made before */
}

static void
exchange_slots(void)
{
    compare_original = PyCode_Type.tp_richcompare;
    hash_original = PyCode_Type.tp_hash;
    PyCode_Type.tp_richcompare = compare;
    PyCode_Type.tp_hash = hash;
    exchange_wrapped(&PyCode_Type, "__eq__", (void *)compare_original, (void *)compare);
    exchange_wrapped(&PyCode_Type, "__ne__", (void *)compare_original, (void *)compare);
    exchange_wrapped(&PyCode_Type, "__hash__", (void *)hash_original, (void *)hash);
    new_original = PyCode_Type.tp_new;
    PyCode_Type.tp_new = new_code;
    traceback_original = PyTraceBack_Type.tp_new;
    PyTraceBack_Type.tp_new = new_traceback;
}

int
twins_read_start(void)
{
    if (twins_start() < 0) {
        return -1;
    }
    PyObject *code = (PyObject *)&PyCode_Type, *frame = (PyObject *)&PyFrame_Type;
    const int fast = METH_FASTCALL | METH_KEYWORDS;
    exchange_getter(&PyCode_Type, "co_code", &code_original, get_code);
    exchange_getter(&PyCode_Type, "_co_code_adaptive", &adaptive_original, get_adaptive);
    exchange_getter(&PyCode_Type, "co_lnotab", &lnotab_original, get_lnotab);
    exchange_getter(&PyFrame_Type, "f_lasti", &lasti_original, get_lasti);
    hooks_exchange(code, "co_positions", METH_NOARGS, &positions_original, positions);
    hooks_exchange(code, "co_lines", METH_NOARGS, &lines_original, lines);
    hooks_exchange(code, "__sizeof__", METH_NOARGS, &sizeof_original, size_of_code);
    hooks_exchange(code, "replace", fast, &replace_original, (PyCFunction)(void (*)(void))replace);
    hooks_exchange(code, "__replace__", fast, &replace_too_original,
                   (PyCFunction)(void (*)(void))replace_too);
    hooks_exchange(frame, "__sizeof__", METH_NOARGS, &frame_sizeof_original, size_of_frame);
    exchange_slots();
    exchange_members();
    twins_events_start();
    twins_marshal_start();
    return 0;
}
