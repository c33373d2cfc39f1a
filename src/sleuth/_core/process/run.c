/* Runs a program, recorded, as the interpreter itself would.
 *
 * The frames of the bootstrap are removed from the thread before the program starts, so that the program runs
 * at depth 0, without extra lines in a traceback.  `run` never returns: it ends the interpreter in the same
 * steps as the interpreter's own main function.
 */
#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hooks.h"
#include "ring.h"

static int end_status;
static PyObject *main_module;   /* a reference that the interpreter's main function owns */

static void
at_exit(void)
{
    hooks_finish(ENDING_EXIT, end_status);
}

/* Return the exit status that an uncaught exception gives, without running code of the program. */
static int
status_of(PyObject *exception)
{
    if (!PyObject_TypeCheck(exception, (PyTypeObject *)PyExc_SystemExit)) {
        return 1;
    }
    PyObject *code = ((PySystemExitObject *)exception)->code;
    if (!code || code == Py_None) {
        return 0;
    }
    /* Also an int of a derived class, such as pytest's: reading it runs none of its methods. */
    return PyLong_Check(code) ? (int)PyLong_AsLong(code) & 0xFF : 1;
}

enum { BY_INTERRUPT = -1 };

/* Print the uncaught exception; return the exit status, or BY_INTERRUPT. */
static int
report(void)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    end_status = value ? status_of(value) : 1;
    int is_interrupt = type == PyExc_KeyboardInterrupt;
    PyErr_Clear();
    PyErr_Restore(type, value, traceback);
    if (is_interrupt) {
        end_status = 128 + SIGINT;
    }
    PyErr_Print();   /* ends the process for SystemExit */
    return is_interrupt ? BY_INTERRUPT : 1;
}

static void
end(int status)
{
    if (status != BY_INTERRUPT) {
        Py_Exit(status);
    }
    /* An uncaught interrupt ends the process by the signal, as a shell expects. */
    Py_FinalizeEx();
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &action, NULL);
    kill(getpid(), SIGINT);
    _exit(128 + SIGINT);
}

static void
delete_key(PyObject *dict, const char *name)
{
    if (PyDict_DelItemString(dict, name) < 0) {
        PyErr_Clear();
    }
}

static void
flush(const char *name)
{
    PyObject *stream = PySys_GetObject(name);
    if (stream && stream != Py_None) {
        PyObject *result = PyObject_CallMethod(stream, "flush", NULL);
        Py_XDECREF(result);
        PyErr_Clear();
    }
}

/* Release the reference to the main module that the interpreter's main function holds: it would do so
 * before it prints an exception and ends, but the program never returns to it.  A module with a reference
 * left would be torn down in another way. */
static void
release_main(void)
{
    Py_CLEAR(main_module);
}

/* Run code in the main module and take the reference to it; return the exit status.  The code may be
 * NULL, with an exception. */
static int
run_code(PyObject *code, PyObject *main)
{
    PyObject *result = code ? PyEval_EvalCode(code, main, main) : NULL;
    Py_XDECREF(code);
    hooks_list_modules();
    if (!result) {
        release_main();
        return report();
    }
    Py_DECREF(result);
    return 0;
}

/* Remove the names that the main module has only while a script runs. */
static void
forget_file(void)
{
    PyObject *modules = loaded_modules();
    PyObject *module = modules ? PyDict_GetItemString(modules, "__main__") : NULL;
    if (module && PyModule_Check(module)) {
        delete_key(PyModule_GetDict(module), "__file__");
        delete_key(PyModule_GetDict(module), "__cached__");
    }
    PyErr_Clear();
}

/* Return the recorded form of code, or the code itself; takes the reference to it. */
static PyObject *
recorded(PyObject *plain, const char *name, const char *path, const char *source, size_t size)
{
    PyObject *code = hooks_recorded_code(name, path, source, size);
    if (!code) {
        PyErr_Clear();
        return plain;
    }
    Py_DECREF(plain);
    return code;
}

static char *
read_stream(FILE *file, size_t *size)
{
    size_t room = 1 << 16;
    char *text = malloc(room + 1);
    *size = 0;
    while (text) {
        size_t got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (got == 0) {
            text[*size] = 0;
            break;
        }
        if (*size == room) {
            room *= 2;
            text = realloc(text, room + 1);
        }
    }
    rewind(file);
    return text;
}

static void
set_main_loader(PyObject *main, PyObject *path, const char *kind)
{
    PyObject *external = PyImport_ImportModule("_frozen_importlib_external");
    PyObject *loader = external ? PyObject_CallMethod(external, kind, "sO", "__main__", path) : NULL;
    if (loader) {
        PyDict_SetItemString(main, "__loader__", loader);
    }
    Py_XDECREF(loader);
    Py_XDECREF(external);
    PyErr_Clear();
}

/* Tell whether the pending syntax error is about text that the compiler could decode.  Then it is the error
 * that the interpreter itself would print; compiling again would repeat warnings. */
static int
is_text(const char *source, size_t size)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    int result = strlen(source) == size;
    if (value && PyObject_TypeCheck(value, (PyTypeObject *)PyExc_SyntaxError)) {
        PyObject *line = ((PySyntaxErrorObject *)value)->lineno;
        PyObject *words = ((PySyntaxErrorObject *)value)->msg;
        PyObject *text = PyUnicode_DecodeUTF8(source, (Py_ssize_t)size, NULL);
        result = result && line && PyLong_CheckExact(line) && PyLong_AsLong(line) > 0
            && (text || (words && PyUnicode_Check(words) && PyUnicode_GET_LENGTH(words) > 0
                         && PyUnicode_READ_CHAR(words, 0) != '('));   /* "(unicode error) ..." */
        Py_XDECREF(text);
        PyErr_Clear();
    }
    PyErr_Restore(type, value, traceback);
    return result;
}

static int
run_script(PyObject *path, PyObject *main)
{
    PyObject *encoded = PyUnicode_EncodeFSDefault(path);
    const char *name = encoded ? PyBytes_AS_STRING(encoded) : "";
    FILE *file = fopen(name, "rb");
    if (!file) {
        return report();
    }
    size_t size;
    char *source = read_stream(file, &size);
    PyObject *code = NULL;
    if (source && strlen(source) == size) {
        PyCompilerFlags flags = _PyCompilerFlags_INIT;
        code = Py_CompileStringObject(source, path, Py_file_input, &flags, -1);
    }
    if (!code && !(source && is_text(source, size))) {
        /* Not Python, or no text: let the interpreter report it. */
        PyErr_Clear();
        PyCompilerFlags flags = _PyCompilerFlags_INIT;
        end_status = 1;
        int status = PyRun_AnyFileExFlags(file, name, 1, &flags) != 0;
        end_status = status;
        return status;
    }
    fclose(file);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyDict_SetItemString(main, "__file__", path);
    PyDict_SetItemString(main, "__cached__", Py_None);
    set_main_loader(main, path, "SourceFileLoader");
    PyErr_Restore(type, value, traceback);
    if (code) {
        code = recorded(code, "__main__", name, source, size);
    }
    int status = run_code(code, main);
    free(source);
    flush("stderr");
    flush("stdout");
    forget_file();
    release_main();
    return status;
}

static int
run_command(PyObject *command, PyObject *main)
{
    PyObject *encoded = PyUnicode_AsUTF8String(command);
    if (!encoded) {
        return report();
    }
    const char *source = PyBytes_AS_STRING(encoded);
    PyObject *name = PyUnicode_FromString("<string>");
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    flags.cf_flags |= PyCF_IGNORE_COOKIE;
    PyObject *code = Py_CompileStringObject(source, name, Py_file_input, &flags, -1);
    if (code) {
#if PY_VERSION_HEX >= 0x030D0000
        /* From 3.13 on tracebacks show the lines of a command. */
        PyObject *linecache = PyImport_ImportModule("linecache");
        PyObject *done = linecache
            ? PyObject_CallMethod(linecache, "_register_code", "OOO", name, command, name) : NULL;
        Py_XDECREF(done);
        Py_XDECREF(linecache);
        PyErr_Clear();
#endif
        code = recorded(code, "__main__", "<string>", source, strlen(source));
    }
    int status = run_code(code, main);
    release_main();
    return status;
}

static int
run_module(PyObject *name, int alter_argv)
{
    PyObject *runpy = PyImport_ImportModule("runpy");
    PyObject *run = runpy ? PyObject_GetAttrString(runpy, "_run_module_as_main") : NULL;
    release_main();
    Py_XDECREF(runpy);
    PyObject *result = run ? PyObject_CallFunction(run, "Oi", name, alter_argv) : NULL;
    hooks_list_modules();
    Py_XDECREF(run);
    if (!result) {
        return report();
    }
    Py_DECREF(result);
    return 0;
}

/* Reset the main module to its state before any code has run in it; return its dictionary, borrowed. */
static PyObject *
clean_main(void)
{
    PyObject *main = PyModule_GetDict(PyImport_AddModule("__main__"));
    PyObject *builtins = Py_NewRef(PyDict_GetItemString(main, "__builtins__"));
    PyObject *annotations = PyDict_New();
    PyObject *importlib = PyImport_ImportModule("_frozen_importlib");
    PyObject *loader = importlib ? PyObject_GetAttrString(importlib, "BuiltinImporter") : NULL;
    PyDict_Clear(main);
    PyObject *name = PyUnicode_FromString("__main__");
    PyDict_SetItemString(main, "__name__", name);
    PyDict_SetItemString(main, "__doc__", Py_None);
    PyDict_SetItemString(main, "__package__", Py_None);
    PyDict_SetItemString(main, "__loader__", loader ? loader : Py_None);
    PyDict_SetItemString(main, "__spec__", Py_None);
    PyDict_SetItemString(main, "__annotations__", annotations);
    PyDict_SetItemString(main, "__builtins__", builtins);
    Py_XDECREF(name);
    Py_XDECREF(loader);
    Py_XDECREF(importlib);
    Py_XDECREF(annotations);
    Py_XDECREF(builtins);
    return main;
}

/* Set a list of `sys` to a copy: the bootstrap's frame, which never ends, has a reference to the list. */
static void
set_list(const char *name, PyObject *list)
{
    PyObject *copy = PyList_GetSlice(list, 0, PyList_GET_SIZE(list));
    if (copy) {
        PySys_SetObject(name, copy);
        PyObject_GC_UnTrack(list);
        Py_DECREF(copy);
    }
}

/* Release the references to the main module that the bootstrap's frame and its function hold: the frame never
 * ends, and the module has to die as it does without Sleuth. */
static void
forget_frame(Frame *frame)
{
    PyObject *function = FRAME_FUNCTION(frame);
    Py_CLEAR(frame->f_locals);
    for (Py_ssize_t left = Py_REFCNT(function); left > 0; left--) {
        Py_DECREF(function);
    }
}

PyDoc_STRVAR(run_doc,
"run(fd, quiet, kind, target, argv, orig_argv)\n--\n\n"
"Attach to the collector's memory and run a program; never returns.");

static PyObject *
run(PyObject *module, PyObject *args)
{
    int fd, quiet;
    const char *kind;
    PyObject *target, *argv, *orig_argv;
    if (!PyArg_ParseTuple(args, "iisUOO", &fd, &quiet, &kind, &target, &argv, &orig_argv)) {
        return NULL;
    }
    if (ring_attach(fd) < 0) {
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    close(fd);
    if (hooks_install(quiet) < 0) {
        return NULL;
    }
    Py_AtExit(at_exit);
    /* The bootstrap's frame, which holds the arguments, is removed below. */
    Py_INCREF(target);
    char how = kind[0];
    set_list("argv", argv);
    set_list("orig_argv", orig_argv);
    PyObject_GC_UnTrack(args);
    PyObject_GC_UnTrack(module);
    PyObject *main = clean_main();
    main_module = PyImport_AddModule("__main__");
    PyThreadState *state = _PyThreadState_GET();
    forget_frame(CURRENT_FRAME(state));
    CURRENT_FRAME(state) = NULL;
    reset_recursion(state);
    int status = how == 's' ? run_script(target, main)
               : how == 'c' ? run_command(target, main)
               : run_module(target, how == 'm');
    end(status);
    return NULL;
}

static PyMethodDef run_methods[] = {
    {"run", run, METH_VARARGS, run_doc},
    {NULL},
};

int
run_init(PyObject *module)
{
    return PyModule_AddFunctions(module, run_methods);
}
