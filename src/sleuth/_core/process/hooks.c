/* The hooks of the recorder: imports, output, children, the end of the program.
 *
 * A function written in C is replaced by changing the pointer in its method definition: the function object
 * that the program sees stays the same.  Imports are seen in `SourceLoader.get_code`, by which the import
 * system asks a source loader for code.  The original runs first (caches, warnings, syntax errors); then the
 * code is replaced by its recorded form.
 */
#define _GNU_SOURCE
#include "hooks.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dynamic.h"
#include "events.h"
#include "identity.h"
#include "names.h"
#include "place.h"
#include "probe.h"
#include "ring.h"
#include "starters.h"
#include "twins.h"
#include "twins_read.h"

static int is_quiet;
static struct stat first_stderr;
static int has_stderr;

static int
is_owner(void)
{
    return ring.control && ring.control->owner == (uint32_t)getpid();
}

/* --- methods in C */

typedef PyObject *(*Fast)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);

static PyMethodDef *
definition(PyObject *owner, const char *name)
{
    PyObject *found = PyObject_GetAttrString(owner, name);
    PyMethodDef *method = NULL;
    if (found && Py_IS_TYPE(found, &PyMethodDescr_Type)) {
        method = ((PyMethodDescrObject *)found)->d_method;
    }
    else if (found && PyCFunction_CheckExact(found)) {
        method = ((PyCFunctionObject *)found)->m_ml;
    }
    Py_XDECREF(found);   /* the module or type has a reference */
    PyErr_Clear();
    return method;
}

static void
exchange(PyObject *owner, const char *name, int flags, PyCFunction *original, PyCFunction ours)
{
    PyMethodDef *method = owner ? definition(owner, name) : NULL;
    if (method && method->ml_flags == flags && !*original) {
        *original = method->ml_meth;
        method->ml_meth = ours;
    }
}

void
hooks_exchange(PyObject *owner, const char *name, int flags, PyCFunction *original, PyCFunction ours)
{
    exchange(owner, name, flags, original, ours);
}

/* --- output */

static PyCFunction text_write, string_write;

static int
stream_number(PyObject *stream)
{
    static const char *const names[] = {"stdout", "stderr", "__stdout__", "__stderr__"};
    for (int i = 0; i < 4; i++) {
        if (PySys_GetObject(names[i]) == stream) {
            return 1 + i % 2;
        }
    }
    return 0;
}

static void
note_output(PyObject *stream, PyObject *text)
{
    if (ring.on && PyUnicode_CheckExact(text)) {
        int number = stream_number(stream);
        if (number) {
            event_output(number, text);
        }
    }
}

static PyObject *
write_to_text(PyObject *self, PyObject *text)
{
    note_output(self, text);
    return text_write(self, text);
}

static PyObject *
write_to_string(PyObject *self, PyObject *text)
{
    note_output(self, text);
    return string_write(self, text);
}

/* --- ends and children */

static PyCFunction os_exit, os_execv, os_execve, os_spawn, os_spawnp, fork_exec;

static PyObject *
exit_now(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int overflow;
    if (is_owner() && count == 1 && !names && PyLong_CheckExact(args[0])) {
        long status = PyLong_AsLongAndOverflow(args[0], &overflow);
        if (!overflow && status == (int)status) {   /* else os._exit raises, and the program goes on */
            hooks_finish(ENDING_OS_EXIT, (int)status);
        }
    }
    return ((Fast)(void (*)(void))os_exit)(module, args, count, names);
}

static PyObject *
become(PyCFunction original, PyObject *module, PyObject *const *args, Py_ssize_t count,
       PyObject *names)
{
    int is_ours = is_owner();
    if (is_ours) {
        ring.control->ending = ENDING_EXEC;
    }
    PyObject *result = original == os_execv
        ? ((PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t))(void (*)(void))original)(
              module, args, count)
        : ((Fast)(void (*)(void))original)(module, args, count, names);
    if (is_ours) {
        ring.control->ending = ENDING_NONE;   /* exec has returned, so it failed */
    }
    return result;
}

static PyObject *
become_v(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return become(os_execv, module, args, count, NULL);
}

static PyObject *
become_ve(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return become(os_execve, module, args, count, names);
}

static void
note_child(PyObject *result, const char *how)
{
    if (result && is_owner() && PyLong_CheckExact(result)) {
        long pid = PyLong_AsLong(result);
        if (pid > 0) {
            event_child((uint64_t)pid, how);
        }
    }
}

static PyObject *
spawn_varargs(PyObject *module, PyObject *args)
{
    PyObject *result = fork_exec(module, args);
    note_child(result, "subprocess");
    return result;
}

static PyObject *
spawn_fast(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    typedef PyObject *(*Function)(PyObject *, PyObject *const *, Py_ssize_t);
    PyObject *result = ((Function)(void (*)(void))fork_exec)(module, args, count);
    note_child(result, "subprocess");
    return result;
}

static PyObject *
spawn(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *result = ((Fast)(void (*)(void))os_spawn)(module, args, count, names);
    note_child(result, "spawn");
    return result;
}

static PyObject *
spawnp(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *result = ((Fast)(void (*)(void))os_spawnp)(module, args, count, names);
    note_child(result, "spawn");
    return result;
}

/* A test begins or has ended: the events that follow go into another trace, or into none.  The plugin for
 * pytest announces that by an audit event of its own; the name of the trace is appended to its list. */
static void
change_trace(uint32_t kind, PyObject *args)
{
    PyObject *text = PyTuple_GET_SIZE(args) > 0 ? PyTuple_GET_ITEM(args, 0) : NULL;
    PyObject *names = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 1) : NULL;
    Py_ssize_t size = 0;
    const char *words = text && PyUnicode_CheckExact(text) ? PyUnicode_AsUTF8AndSize(text, &size)
                                                           : NULL;
    PyErr_Clear();
    if (!words || !ring.on || !is_owner()) {
        return;
    }
    ring_take_mail();
    if (!ring.on || !ring_next_segment()) {
        return;
    }
    probe_begin_anew();
    const void *parts[] = {words};
    const size_t sizes[] = {(size_t)size};
    uint8_t *answer;
    int64_t length = ring_ask(kind, parts, sizes, 1, ASK_ALONE, &answer);
    if (length > 0 && names && PyList_CheckExact(names)) {
        PyObject *name = PyUnicode_DecodeUTF8((const char *)answer, length, "replace");
        if (name) {
            PyList_Append(names, name);
            Py_DECREF(name);
        }
        PyErr_Clear();
    }
    free(answer);
}

/* The audit hook.  (`subprocess.Popen` is raised before a child is started, when _posixsubprocess is loaded:
 * that is the time to hook it.) */
static int
audit(const char *event, PyObject *args, void *data)
{
    if (event[0] == 'c' && strcmp(event, "cpython.PyInterpreterState_New") == 0) {
        identity_stop();   /* the other interpreter would run the wrapped destructors at the same time */
    }
    if (event[0] == 'i' && strcmp(event, "import") == 0 && PyTuple_CheckExact(args)) {
        starters_note_import(args);
    }
    if (event[0] == 's' && strncmp(event, "sleuth.", 7) == 0) {
        uint32_t kind = strcmp(event, "sleuth.test") == 0 ? MAIL_TEST
                      : strcmp(event, "sleuth.tested") == 0 ? MAIL_TESTED : 0;
        if (kind && PyTuple_CheckExact(args)) {
            change_trace(kind, args);
        }
    }
    if (event[0] == 's' && ring.on && !fork_exec && strcmp(event, "subprocess.Popen") == 0) {
        PyObject *module = loaded_module("_posixsubprocess");
        if (module) {
            exchange(module, "fork_exec", METH_VARARGS, &fork_exec, spawn_varargs);
            exchange(module, "fork_exec", METH_FASTCALL, &fork_exec,
                     (PyCFunction)(void (*)(void))spawn_fast);
        }
    }
    return 0;
}

static void
in_forked_child(void)
{
    Control *control = ring.control;
    if (!control || !ring.on) {
        return;
    }
    ring_stop();
    uint32_t at = __atomic_fetch_add(&control->children, 1, __ATOMIC_RELAXED);
    if (at < RING_MAX_CHILDREN) {
        control->child_pid[at] = (uint32_t)getpid();
    }
}

static void
say(const uint8_t *text, size_t size)
{
    struct stat now;
    /* Only if it is still the standard error of the start: the program may have put another file there. */
    if (!is_quiet && has_stderr && fstat(2, &now) == 0 && now.st_dev == first_stderr.st_dev
        && now.st_ino == first_stderr.st_ino) {
        while (size > 0) {
            ssize_t written = write(2, text, size);
            if (written <= 0) {
                return;
            }
            text += written;
            size -= (size_t)written;
        }
    }
}

void
hooks_finish(int ending, int status)
{
    if (!is_owner() || ring.control->ending == ENDING_EXIT
        || ring.control->ending == ENDING_OS_EXIT) {
        return;
    }
    ring.control->status = status;
    ring.control->ending = (uint32_t)ending;
    ring_stop();
    identity_stop();
    uint8_t *answer;
    int64_t size = ring_ask(MAIL_FINISH, NULL, NULL, 0, ASK_ALONE, &answer);
    if (size > 0) {
        say(answer, (size_t)size);
    }
    else if (size < 0) {
        static const char lost[] =
            "sleuth: the collector has died or stands still; the trace is incomplete\n";
        say((const uint8_t *)lost, sizeof(lost) - 1);
    }
    free(answer);
}

/* --- imports */

static PyObject *get_code_original, *file_get_data, *file_source_to_code;
static PyTypeObject *file_loader;
static PyObject *name_of_get_data, *name_of_source_to_code;

/* Ask the collector about a module; return the size of the answer, which the caller has to free, or -1.
 * Other threads may run meanwhile. */
static int64_t
ask_of(uint32_t kind, const char *name, const char *path, const char *text, size_t size,
       uint8_t **answer)
{
    const void *parts[] = {name, path, text};
    const size_t sizes[] = {strlen(name), strlen(path), size};
    ring_take_mail();
    return ring_ask(kind, parts, sizes, 3, ASK_YIELDING, answer);
}

static PyObject *
code_of(uint32_t kind, const char *name, const char *path, const char *source, size_t size)
{
    uint8_t *answer = NULL;
    if (!ring.on || !is_owner()) {
        return NULL;
    }
    int64_t length = ask_of(kind, name, path, source, size, &answer);
    PyObject *code = length < 0 ? NULL : place_module(answer, (size_t)length);
    free(answer);
    return code;
}

PyObject *
hooks_recorded_code(const char *name, const char *path, const char *source, size_t size)
{
    return code_of(MAIL_MODULE, name, path, source, size);
}

static char *
read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    char *text = NULL;
    *size = 0;
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < RING_MAILBOX / 2
        && (text = malloc((size_t)info.st_size + 1)) != NULL) {
        ssize_t got;
        while (*size < (size_t)info.st_size
               && (got = read(fd, text + *size, (size_t)info.st_size - *size)) > 0) {
            *size += (size_t)got;
        }
    }
    close(fd);
    return text;
}

static void
say_plain(const char *name, const char *path, const char *why)
{
    uint8_t *answer = NULL;
    if (ring.on && is_owner()) {
        ask_of(MAIL_PLAIN, name, path, why, strlen(why), &answer);
    }
    free(answer);
}

void
hooks_say_plain(const char *name, const char *path, const char *why)
{
    if (ring.on && is_owner()) {
        say_plain(name, path, why);
    }
}

static const char *
text_in(PyObject *dict, const char *key)
{
    PyObject *found = PyDict_GetItemString(dict, key);
    const char *text = found && PyUnicode_CheckExact(found) ? PyUnicode_AsUTF8(found) : NULL;
    PyErr_Clear();
    return text ? text : "";
}

void
hooks_list_modules(void)
{
    PyObject *type, *value, *traceback;
    if (!ring.on || !is_owner()) {
        return;
    }
    PyErr_Fetch(&type, &value, &traceback);
    ring_take_mail();   /* first: other threads run meanwhile, and may remove modules */
    PyObject *modules = loaded_modules(), *name, *module;
    Py_ssize_t at = 0, room = modules ? PyDict_GET_SIZE(modules) : 0;
    const void **parts = calloc((size_t)room * 2 + 1, sizeof(void *));
    size_t *sizes = calloc((size_t)room * 2 + 1, sizeof(size_t));
    int count = 0;
    while (parts && sizes && count < 2 * room && PyDict_Next(modules, &at, &name, &module)) {
        const char *text = PyUnicode_CheckExact(name) ? PyUnicode_AsUTF8(name) : NULL;
        if (text && PyModule_CheckExact(module)) {
            const char *file = text_in(PyModule_GetDict(module), "__file__");
            parts[count] = text;
            sizes[count++] = strlen(text);
            parts[count] = file;
            sizes[count++] = strlen(file);
        }
    }
    uint8_t *answer = NULL;
    if (parts && sizes) {
        ring_ask(MAIL_LOADED, parts, sizes, count, ASK_YIELDING, &answer);
    }
    free(answer);
    free(parts);
    free(sizes);
    PyErr_Restore(type, value, traceback);
}

/* Tell whether a loader reads and compiles as the usual one does: only then the code is that of the file. */
static int
is_usual_loader(PyTypeObject *type)
{
    return find_in_type(type, &name_of_get_data, "get_data") == file_get_data
        && find_in_type(type, &name_of_source_to_code, "source_to_code") == file_source_to_code;
}

static int
is_for_files(PyObject *loader)
{
    return PyType_IsSubtype(Py_TYPE(loader), file_loader) && is_usual_loader(Py_TYPE(loader));
}

/* Return the module's name if its loader is not the usual one: then the code that it compiles is recorded in
 * dynamic.c.  NULL: it is the usual one. */
static const char *
name_for_compiling(PyObject *loader, PyObject *fullname)
{
    const char *name = !is_for_files(loader) && PyUnicode_CheckExact(fullname)
        ? PyUnicode_AsUTF8(fullname) : NULL;
    PyErr_Clear();
    return name;
}

static PyObject *
recorded_for(PyObject *loader, PyObject *fullname)
{
    const char *name = PyUnicode_CheckExact(fullname) ? PyUnicode_AsUTF8(fullname) : NULL;
    if (!name) {
        return NULL;
    }
    if (!is_for_files(loader)) {
        say_plain(name, "", "its loader is not the usual one for source files");
        return NULL;
    }
    static PyObject *name_of_path;
    PyObject *wanted = kept_name(&name_of_path, "path");
    PyObject *path = wanted ? PyObject_GenericGetAttr(loader, wanted) : NULL;
    const char *path_text = path && PyUnicode_CheckExact(path) ? PyUnicode_AsUTF8(path) : NULL;
    PyObject *code = NULL;
    if (path_text) {
        size_t size;
        char *source = read_file(path_text, &size);
        if (source) {
            code = hooks_recorded_code(name, path_text, source, size);
            free(source);
        }
        else {
            say_plain(name, path_text, "its source could not be read");
        }
    }
    Py_XDECREF(path);
    return code;
}

static void hook_pytest(void);

static PyObject *
get_code(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    const char *name = ring.on && count == 2 ? name_for_compiling(args[0], args[1]) : NULL;
    Loading before = dynamic_loading(name);
    PyObject *plain = PyObject_Vectorcall(get_code_original, args, (size_t)count, names);
    dynamic_loaded(before);
    if (!plain || !ring.on || count != 2 || !PyCode_Check(plain)) {
        return plain;
    }
    hook_pytest();
    PyObject *recorded = twins_has(plain) ? NULL : recorded_for(args[0], args[1]);
    if (!recorded) {
        PyErr_Clear();
        return plain;
    }
    Py_DECREF(plain);
    return recorded;
}

/* --- pytest's assertion rewriting: its loader compiles and runs test modules itself */

static PyObject *exec_module_original;

static const char *
text_attribute(PyObject *owner, const char *name, PyObject **keep)
{
    *keep = owner ? PyObject_GetAttrString(owner, name) : NULL;
    const char *text = *keep && PyUnicode_CheckExact(*keep) ? PyUnicode_AsUTF8(*keep) : NULL;
    PyErr_Clear();
    return text;
}

static PyObject *
pytest_code(PyObject *spec)
{
    PyObject *name_object = NULL, *path_object = NULL, *code = NULL;
    const char *name = text_attribute(spec, "name", &name_object);
    const char *path = text_attribute(spec, "origin", &path_object);
    size_t size = 0;
    char *source = name && path ? read_file(path, &size) : NULL;
    if (source) {
        code = code_of(MAIL_PYTEST, name, path, source, size);
        free(source);
    }
    Py_XDECREF(name_object);
    Py_XDECREF(path_object);
    return code;
}

/* Do what the original does before it runs a module: pytest remembers the modules that it has rewritten.
 * 0, or -1 with an exception. */
static int
remember_rewritten(PyObject *hook, PyObject *module, PyObject *spec)
{
    /* (Each step only if the ones before it succeeded.) */
    PyObject *names = PyObject_GetAttrString(hook, "_rewritten_names");
    PyObject *name = names ? PyObject_GetAttrString(module, "__name__") : NULL;
    PyObject *origin = name ? PyObject_GetAttrString(spec, "origin") : NULL;
    PyObject *pathlib = origin ? PyImport_ImportModule("pathlib") : NULL;
    PyObject *path = pathlib ? PyObject_CallMethod(pathlib, "Path", "O", origin) : NULL;
    int result = path ? PyObject_SetItem(names, name, path) : -1;
    Py_XDECREF(names);
    Py_XDECREF(name);
    Py_XDECREF(origin);
    Py_XDECREF(pathlib);
    Py_XDECREF(path);
    return result;
}

/* Set `__builtins__` if it is missing, where a module's code finds the builtins; -1 with an exception. */
static int
add_builtins(PyObject *globals)
{
    static PyObject *builtins;
    PyObject *name = kept_name(&builtins, "__builtins__");
    int has = name ? PyDict_Contains(globals, name) : -1;
    return has ? has : PyDict_SetItem(globals, name, PyEval_GetBuiltins());
}

static PyObject *
exec_module(PyObject *unused, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    int is_ours = count == 2 && ring.on && PyModule_Check(args[1]);
    PyObject *spec = is_ours ? PyObject_GetAttrString(args[1], "__spec__") : NULL;
    PyObject *code = spec ? pytest_code(spec) : NULL;
    if (!code || remember_rewritten(args[0], args[1], spec) < 0
        || add_builtins(PyModule_GetDict(args[1])) < 0) {
        PyErr_Clear();
        Py_XDECREF(code);
        Py_XDECREF(spec);
        return PyObject_Vectorcall(exec_module_original, args, (size_t)count, names);
    }
    PyObject *globals = PyModule_GetDict(args[1]);
    PyObject *result = PyEval_EvalCode(code, globals, globals);
    Py_DECREF(code);
    Py_DECREF(spec);
    return result;
}

static PyMethodDef hook_methods[] = {
    {"get_code", (PyCFunction)(void (*)(void))get_code, METH_FASTCALL | METH_KEYWORDS,
     "Concrete implementation of InspectLoader.get_code."},
    {"exec_module", (PyCFunction)(void (*)(void))exec_module, METH_FASTCALL | METH_KEYWORDS, NULL},
    {NULL},
};

/* Replace a method written in Python by our function; return the original (new reference), or NULL with an
 * exception. */
static PyObject *
replace_method(PyObject *type, PyMethodDef *ours)
{
    PyObject *original = PyObject_GetAttrString(type, ours->ml_name);
    PyObject *function = original ? PyCFunction_New(ours, NULL) : NULL;
    PyObject *method = function ? PyInstanceMethod_New(function) : NULL;
    Py_XDECREF(function);
    if (!method || PyObject_SetAttrString(type, ours->ml_name, method) < 0) {
        Py_CLEAR(original);
    }
    Py_XDECREF(method);
    return original;
}

static void
hook_pytest(void)
{
    PyObject *module = exec_module_original ? NULL : loaded_module("_pytest.assertion.rewrite");
    PyObject *hook = module
        ? PyDict_GetItemString(PyModule_GetDict(module), "AssertionRewritingHook") : NULL;
    if (hook && PyType_Check(hook)) {
        exec_module_original = replace_method(hook, &hook_methods[1]);
        PyErr_Clear();
    }
}

static int
hook_imports(void)
{
    PyObject *external = PyImport_ImportModule("_frozen_importlib_external");
    PyObject *source_loader = external ? PyObject_GetAttrString(external, "SourceLoader") : NULL;
    PyObject *loader = external ? PyObject_GetAttrString(external, "SourceFileLoader") : NULL;
    if (!source_loader || !loader || !PyType_Check(loader)) {
        Py_XDECREF(source_loader);
        Py_XDECREF(loader);
        Py_XDECREF(external);
        return -1;
    }
    file_loader = (PyTypeObject *)loader;
    file_get_data = find_in_type(file_loader, &name_of_get_data, "get_data");
    file_source_to_code = find_in_type(file_loader, &name_of_source_to_code, "source_to_code");
    if (file_get_data && file_source_to_code) {
        get_code_original = replace_method(source_loader, &hook_methods[0]);
    }
    else {
        PyErr_SetString(PyExc_RuntimeError, "the loader of source files is not the usual one");
    }
    Py_DECREF(source_loader);
    Py_DECREF(external);
    return get_code_original ? 0 : -1;
}

int
hooks_install(int quiet)
{
    is_quiet = quiet;
    has_stderr = fstat(2, &first_stderr) == 0;
    if (PySys_AddAuditHook(audit, NULL) < 0 || hook_imports() < 0) {
        return -1;
    }
    if (identity_start() < 0 || twins_read_start() < 0 || starters_install() < 0
        || dynamic_install() < 0) {
        return -1;
    }
    PyObject *io = PyImport_ImportModule("_io");
    PyObject *posix = PyImport_ImportModule("posix");
    PyObject *text = io ? PyObject_GetAttrString(io, "TextIOWrapper") : NULL;
    PyObject *string = io ? PyObject_GetAttrString(io, "StringIO") : NULL;
    exchange(text, "write", METH_O, &text_write, write_to_text);
    exchange(string, "write", METH_O, &string_write, write_to_string);
    const int fast = METH_FASTCALL | METH_KEYWORDS;
    exchange(posix, "_exit", fast, &os_exit, (PyCFunction)(void (*)(void))exit_now);
    exchange(posix, "execv", METH_FASTCALL, &os_execv, (PyCFunction)(void (*)(void))become_v);
    exchange(posix, "execve", fast, &os_execve, (PyCFunction)(void (*)(void))become_ve);
    exchange(posix, "posix_spawn", fast, &os_spawn, (PyCFunction)(void (*)(void))spawn);
    exchange(posix, "posix_spawnp", fast, &os_spawnp, (PyCFunction)(void (*)(void))spawnp);
    Py_XDECREF(text);
    Py_XDECREF(string);
    Py_XDECREF(io);
    Py_XDECREF(posix);
    pthread_atfork(NULL, NULL, in_forked_child);
    return 0;
}
