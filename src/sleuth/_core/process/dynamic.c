/* Code that the program compiles while it runs: by `compile`, or by `exec` and `eval` of a text.
 *
 * The code is first compiled as without Sleuth, with the same errors, warnings and audit events.  Then it is
 * replaced by its recorded form, which looks the same to its readers.  Code is recorded if recorded code
 * compiles it, or if its file is in scope: the collector decides.
 */
#include "dynamic.h"

#include <stdlib.h>

#include "hooks.h"
#include "names.h"
#include "place.h"
#include "ring.h"
#include "snippets.h"
#include "trees.h"
#include "twins.h"

enum { OWN, LOADED };                  /* namespaces: see record/rewrite/compiling.py */
enum { ANSWER_PLAIN = 0, ANSWER_ALL_PLAIN = 3 };

#define FLAGS_OF_CODE (PyCF_MASK | PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_DONT_IMPLY_DEDENT)

static PyCFunction compile_original, exec_original, eval_original;
static Names plain_names, told_names;

/* --- who compiles */

static Loading loading;

Loading
dynamic_loading(const char *name)
{
    Loading before = loading;
    loading = (Loading){_PyThreadState_GET(), name};
    return before;
}

void
dynamic_loaded(Loading before)
{
    loading = before;
}

static PyCodeObject *
caller_code(void)
{
    Frame *frame = CURRENT_FRAME(_PyThreadState_GET());
    while (frame && FRAME_IS_SHIM(frame)) {
        frame = frame->previous;
    }
    return frame ? FRAME_CODE(frame) : NULL;
}

/* Tell whether this is code of the standard library that compiles modules. */
static int
is_loader(PyCodeObject *code)
{
    static const char *const files[] = {
        "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>",
        "<frozen zipimport>", "<frozen runpy>", "<frozen importlib.abc>",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        if (PyUnicode_CompareWithASCIIString(code->co_filename, files[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* --- asking */

static void
say_too_many(const Snippet *snippet)
{
    if (names_add(&told_names, snippet)) {
        hooks_say_plain(snippet->name, snippet->path,
                        "of the code that was compiled under this name some ran plain: so many "
                        "different pieces were compiled that not all were rewritten");
    }
}

static PyObject *
ask(const Snippet *snippet, PyObject *plain)
{
    const char *source = snippet->source ? snippet->source : "";
    const void *parts[] = {snippet->name, snippet->path, snippet->text, &snippet->form, source};
    const size_t sizes[] = {strlen(snippet->name), strlen(snippet->path), snippet->size, sizeof(Form),
                            strlen(source)};
    uint8_t *answer = NULL;
    ring_take_mail();
    int64_t size = ring_ask(MAIL_COMPILED, parts, sizes, 5, ASK_YIELDING, &answer);
    PyObject *code = NULL;
    if (size > 0 && answer[0] == ANSWER_ALL_PLAIN) {
        names_add(&plain_names, snippet);
    }
    else if (size > 0 && answer[0] != ANSWER_PLAIN) {
        code = place_module(answer, (size_t)size);
        if (code && PyObject_RichCompareBool(code, plain, Py_EQ) != 1) {
            Py_CLEAR(code);
            hooks_say_plain(snippet->name, snippet->path, "compiled again it was not the same code");
        }
    }
    if (code && snippet->form.namespace == OWN) {
        snippets_keep(snippet, answer, (size_t)size);
        answer = NULL;
    }
    free(answer);
    PyErr_Clear();
    return code;
}

/* Tell whether to look for a recorded form; false: the code runs plain, or rewriting costs too much. */
static int
is_worth_it(const Snippet *snippet)
{
    if (names_has(&plain_names, snippet)) {
        return 0;
    }
    if (snippet->form.namespace != OWN || snippets_find(snippet).data) {
        return 1;
    }
    if (snippet->size < RING_MAILBOX / 2 && snippets_can_pay(snippet)) {
        return 1;
    }
    say_too_many(snippet);
    return 0;
}

/* Return the recorded form of code (new reference); NULL without an exception: it runs plain. */
static PyObject *
recorded_form(const Snippet *snippet, PyObject *plain)
{
    Known_answer known = snippet->form.namespace == OWN ? snippets_find(snippet)
                                                        : (Known_answer){NULL, 0};
    PyObject *code = known.data ? place_module(known.data, known.size) : ask(snippet, plain);
    PyErr_Clear();
    return code;
}

/* Read the text of a source, borrowed; false: it is neither text nor bytes, or contains a 0. */
static int
read_source(PyObject *source, Snippet *snippet)
{
    Py_ssize_t size = 0;
    if (PyUnicode_CheckExact(source)) {
        snippet->text = PyUnicode_AsUTF8AndSize(source, &size);
        snippet->form.kind = GIVEN_TEXT;
    }
    else if (PyBytes_CheckExact(source)) {
        snippet->text = PyBytes_AS_STRING(source);
        size = PyBytes_GET_SIZE(source);
    }
    PyErr_Clear();
    snippet->size = (size_t)size;
    return snippet->text && strlen(snippet->text) == snippet->size;
}

/* --- compile */

enum { SOURCE, FILENAME, MODE, FLAGS, DONT_INHERIT, OPTIMIZE, FEATURE_VERSION, PARAMETERS };
static const char *const parameters[] = {"source", "filename", "mode", "flags", "dont_inherit",
                                         "optimize", "_feature_version"};

static void
sort_arguments(PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **sorted)
{
    for (Py_ssize_t i = 0; i < count && i < FEATURE_VERSION; i++) {
        sorted[i] = args[i];
    }
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        for (int j = 0; j < PARAMETERS; j++) {
            if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), parameters[j]) == 0) {
                sorted[j] = args[count + i];
            }
        }
    }
}

/* Read a number without running code of the program; false: it is no int, or too large. */
static int
read_number(PyObject *given, long otherwise, long *number)
{
    int overflow = 0;
    *number = given && PyLong_Check(given) ? PyLong_AsLongAndOverflow(given, &overflow) : otherwise;
    return (!given || PyLong_Check(given)) && !overflow;
}

static int
read_mode(PyObject *mode)
{
    return !mode || !PyUnicode_Check(mode) ? 0
         : PyUnicode_CompareWithASCIIString(mode, "exec") == 0 ? Py_file_input
         : PyUnicode_CompareWithASCIIString(mode, "eval") == 0 ? Py_eval_input
         : PyUnicode_CompareWithASCIIString(mode, "single") == 0 ? Py_single_input : 0;
}

static int
read_form(PyObject **sorted, Form *form)
{
    long flags, dont_inherit, optimize, version;
    if (!read_number(sorted[FLAGS], 0, &flags) || !read_number(sorted[DONT_INHERIT], 0, &dont_inherit)
        || !read_number(sorted[OPTIMIZE], -1, &optimize)
        || !read_number(sorted[FEATURE_VERSION], -1, &version) || version != -1) {
        return 0;
    }
    PyCompilerFlags merged = {.cf_flags = (int)flags};
    if (!dont_inherit) {
        PyEval_MergeCompilerFlags(&merged);
    }
    form->mode = read_mode(sorted[MODE]);
    form->flags = merged.cf_flags & FLAGS_OF_CODE;
    form->optimize = (int8_t)optimize;
    return form->mode != 0;
}

/* Fill in how code was compiled, and by which code; false: it is not in scope, or not known. */
static int
read_compile(PyObject **sorted, PyObject *plain, Snippet *snippet)
{
    PyCodeObject *caller = caller_code();
    snippet->path = PyUnicode_AsUTF8(((PyCodeObject *)plain)->co_filename);
    if (!caller || !snippet->path) {
        PyErr_Clear();
        return 0;
    }
    snippet->form.by_recorded = (uint8_t)twins_has((PyObject *)caller);
    if (snippet->path[0] == '<' && !snippet->form.by_recorded) {
        return 0;
    }
    int is_loading = loading.state == _PyThreadState_GET();
    if (is_loading && !loading.name) {
        return 0;
    }
    snippet->name = is_loading ? loading.name : snippet->path;
    if (!sorted[SOURCE] || !read_form(sorted, &snippet->form)) {
        return 0;
    }
    int is_module = snippet->form.mode == Py_file_input && snippet->path[0] != '<';
    snippet->form.namespace = is_module && (is_loading || is_loader(caller)) ? LOADED : OWN;
    return 1;
}

/* Return the recorded form of code, or the code itself; takes the reference to it. */
static PyObject *
exchanged(const Snippet *snippet, PyObject *plain)
{
    snippets_earn(snippet);
    PyObject *recorded = is_worth_it(snippet) ? recorded_form(snippet, plain) : NULL;
    if (!recorded) {
        return plain;
    }
    Py_DECREF(plain);
    return recorded;
}

static PyObject *
exchanged_tree(Snippet *snippet, PyObject *plain, PyObject *tree)
{
    PyObject *bytes = names_has(&plain_names, snippet) ? NULL : trees_packed(tree);
    PyObject *source = bytes ? trees_cached_source(snippet->path) : NULL;
    if (bytes) {
        snippet->form.kind = GIVEN_TREE;
        snippet->text = PyBytes_AS_STRING(bytes);
        snippet->size = (size_t)PyBytes_GET_SIZE(bytes);
        snippet->source = source ? PyUnicode_AsUTF8(source) : NULL;
        PyErr_Clear();
        plain = exchanged(snippet, plain);
    }
    else if (snippet->form.by_recorded && names_add(&told_names, snippet)) {
        hooks_say_plain(snippet->name, snippet->path,
                        "it was compiled from a buffer, or from a syntax tree with nodes of the "
                        "program's own classes: neither is read");
    }
    Py_XDECREF(bytes);
    Py_XDECREF(source);
    return plain;
}

static PyObject *
compile(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    typedef PyObject *(*Function)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
    PyObject *plain = ((Function)(void (*)(void))compile_original)(module, args, count, names);
    if (!plain || !ring.on || !PyCode_Check(plain)) {
        return plain;
    }
    Snippet snippet = {0};
    PyObject *sorted[PARAMETERS] = {NULL};
    sort_arguments(args, count, names, sorted);
    if (!read_compile(sorted, plain, &snippet)) {
        return plain;
    }
    return read_source(sorted[SOURCE], &snippet) ? exchanged(&snippet, plain)
                                                 : exchanged_tree(&snippet, plain, sorted[SOURCE]);
}

/* --- exec and eval of a text */

/* Return the globals that code will run in, borrowed; NULL: the arguments are wrong, and the original
 * function will raise. */
static PyObject *
globals_of(PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    PyObject *globals = count > 1 ? args[1] : Py_None, *locals = count > 2 ? args[2] : Py_None;
    Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (count > 3 || (named && !EXEC_HAS_NAMES)) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i), *given = args[count + i];
        if (count < 2 && PyUnicode_CompareWithASCIIString(name, "globals") == 0) {
            globals = given;
        }
        else if (count < 3 && PyUnicode_CompareWithASCIIString(name, "locals") == 0) {
            locals = given;
        }
        else {
            return NULL;
        }
    }
    if (globals == Py_None) {
        globals = PyEval_GetGlobals();
    }
    int is_fine = globals && PyDict_Check(globals) && (locals == Py_None || PyMapping_Check(locals));
    return is_fine ? globals : NULL;
}

/* Set `__builtins__` if it is missing, as `exec` and `eval` do before they compile a text; 1 or 0, or -1 with
 * an exception. */
static int
add_builtins(PyObject *globals)
{
    static PyObject *kept;
    PyObject *name = kept_name(&kept, "__builtins__");
    int has = name ? PyDict_Contains(globals, name) : -1;
    return has ? has : PyDict_SetItem(globals, name, PyEval_GetBuiltins());
}

static int
read_text(PyObject *source, int mode, Snippet *snippet)
{
    PyCodeObject *caller = caller_code();
    if (!caller || !twins_has((PyObject *)caller) || !read_source(source, snippet)) {
        return 0;
    }
    while (mode == Py_eval_input && (*snippet->text == ' ' || *snippet->text == '\t')) {
        snippet->text++;
        snippet->size--;
    }
    PyCompilerFlags flags = {.cf_flags = 0};
    PyEval_MergeCompilerFlags(&flags);
    snippet->name = snippet->path = "<string>";
    snippet->form.mode = mode;
    snippet->form.flags = flags.cf_flags & FLAGS_OF_CODE;
    snippet->form.optimize = -1;
    snippet->form.by_recorded = 1;
    return 1;
}

/* Compile as `exec` and `eval` do, and return the recorded form if there is one (new reference); NULL with an
 * exception.  (Calling `compile` instead would raise a second audit event.) */
static PyObject *
code_of(const Snippet *snippet)
{
    static PyObject *kept;
    PyObject *path = kept_name(&kept, "<string>");
    PyCompilerFlags flags = _PyCompilerFlags_INIT;
    flags.cf_flags = PyCF_SOURCE_IS_UTF8 | (snippet->form.kind == GIVEN_TEXT ? PyCF_IGNORE_COOKIE : 0);
    PyEval_MergeCompilerFlags(&flags);
    PyObject *plain = path
        ? Py_CompileStringObject(snippet->text, path, snippet->form.mode, &flags, -1) : NULL;
    PyObject *recorded = plain ? recorded_form(snippet, plain) : NULL;
    if (!recorded) {
        return plain;
    }
    Py_DECREF(plain);
    return recorded;
}

typedef PyObject *(*Named)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
typedef PyObject *(*Plain)(PyObject *, PyObject *const *, Py_ssize_t);

static PyObject *
call_original(PyCFunction original, PyObject *module, PyObject *const *args, Py_ssize_t count,
              PyObject *names)
{
    if (original == eval_original && EVAL_FLAGS == METH_FASTCALL) {
        return ((Plain)(void (*)(void))original)(module, args, count);
    }
    return ((Named)(void (*)(void))original)(module, args, count, names);
}

static PyObject *
run(PyCFunction original, int mode, PyObject *module, PyObject *const *args, Py_ssize_t count,
    PyObject *names)
{
    Snippet snippet = {0};
    PyObject *globals = NULL, *given[5];
    Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    if (!ring.on || count < 1 || all > 5 || PyCode_Check(args[0])
        || !read_text(args[0], mode, &snippet) || !(globals = globals_of(args, count, names))) {
        return call_original(original, module, args, count, names);
    }
    snippets_earn(&snippet);
    if (!is_worth_it(&snippet)) {
        return call_original(original, module, args, count, names);
    }
    PyObject *code = add_builtins(globals) < 0 ? NULL : code_of(&snippet);
    if (!code) {
        return NULL;
    }
    memcpy(given, args, (size_t)all * sizeof(PyObject *));
    given[0] = code;
    PyObject *result = call_original(original, module, given, count, names);
    Py_DECREF(code);
    return result;
}

static PyObject *
exec(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return run(exec_original, Py_file_input, module, args, count, names);
}

static PyObject *
eval(EVAL_PARAMETERS)
{
    return run(eval_original, Py_eval_input, module, args, count, EVAL_NAMES);
}

int
dynamic_install(void)
{
    PyObject *builtins = PyImport_ImportModule("builtins");
    const int fast = METH_FASTCALL | METH_KEYWORDS;
    if (!builtins) {
        return -1;
    }
    hooks_exchange(builtins, "compile", fast, &compile_original, (PyCFunction)(void (*)(void))compile);
    hooks_exchange(builtins, "exec", fast, &exec_original, (PyCFunction)(void (*)(void))exec);
    hooks_exchange(builtins, "eval", EVAL_FLAGS, &eval_original, (PyCFunction)(void (*)(void))eval);
    Py_DECREF(builtins);
    return 0;
}
