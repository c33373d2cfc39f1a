/* Finds the call that started a thread, or that submitted the work of a pool's thread.
 *
 * The state of a new thread is made while its starter is still in the C function that starts it; so that
 * function finds the new state's id, which is never used again.  Work for the pools of the standard library
 * goes through a `SimpleQueue`.  When code of a pool puts an item there, the item's address is noted, which
 * stays valid while the item is in the queue; when the worker takes the item out, the address is found again.
 * No reference is kept, and queues of other code are not watched.
 */
#include "starters.h"

#include "calls.h"
#include "hooks.h"

static const Starter nobody;

/* --- the present starter */

/* Return the recorded call that runs in this thread; if there is none, the thread's own starter. */
static Starter
starter_now(PyThreadState *state)
{
    Thread *thread = this_thread(state);
    if (!thread) {
        return nobody;
    }
    Activation *caller = calls_running(thread, state);
    if (!caller) {
        return *thread_starter(thread);
    }
    /* The latest event may be of this call, or of a thread that ran meanwhile. */
    return (Starter){caller->call + 1, place_of(caller), ring.moment ? ring.moment - 1 : 0};
}

/* --- threads that have not run yet */

typedef struct { uint64_t id; Starter starter; int is_alive; } Started;
static Started *started;   /* ascending by id */
static size_t started_count, started_room;

static Started *
find_started(uint64_t id)
{
    size_t low = 0, high = started_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (started[middle].id < id) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low < started_count && started[low].id == id ? &started[low] : NULL;
}

/* Forget threads that have ended without running recorded code. */
static void
drop_ended(PyInterpreterState *interpreter)
{
    size_t kept = 0;
    for (size_t i = 0; i < started_count; i++) {
        started[i].is_alive = 0;
    }
    PyThreadState *state = PyInterpreterState_ThreadHead(interpreter);
    for (; state; state = PyThreadState_Next(state)) {
        Started *found = find_started(state->id);
        if (found) {
            found->is_alive = 1;
        }
    }
    for (size_t i = 0; i < started_count; i++) {
        if (started[i].is_alive && started[i].starter.call) {
            started[kept++] = started[i];
        }
    }
    started_count = kept;
}

static int
make_room(PyInterpreterState *interpreter)
{
    if (started_count < started_room) {
        return 1;
    }
    drop_ended(interpreter);
    if (started_count * 2 < started_room) {
        return 1;
    }
    size_t room = started_room ? started_room * 2 : 64;
    Started *grown = PyMem_RawRealloc(started, room * sizeof(Started));
    if (!grown) {
        ring_stop();
        return 0;
    }
    started = grown;
    started_room = room;
    return 1;
}

/* A thread was started: its state is the only one made since then, and waits for the interpreter's lock. */
static void
note_started(PyInterpreterState *interpreter, uint64_t since, Starter starter)
{
    PyThreadState *fresh = PyInterpreterState_ThreadHead(interpreter);
    PyThreadState *other = fresh ? PyThreadState_Next(fresh) : NULL;
    int is_certain = fresh && fresh->id > since && !(other && other->id > since);
    /* (If there are two new states, C code has attached a thread of its own meanwhile.) */
    if (is_certain && make_room(interpreter)) {
        started[started_count++] = (Started){fresh->id, starter, 1};
    }
}

Starter
starters_take(uint64_t id)
{
    Started *found = find_started(id);
    Starter starter = found ? found->starter : nobody;
    if (found) {
        found->starter = nobody;
    }
    return starter;
}

static PyCFunction thread_start_new_thread, thread_start_new, thread_start_joinable;

static PyObject *
start(PyCFunction original, PyObject *module, PyObject *args, PyObject *names)
{
    PyInterpreterState *interpreter = PyInterpreterState_Get();
    Starter starter = ring.on ? starter_now(_PyThreadState_GET()) : nobody;
    uint64_t since = LAST_THREAD_ID(interpreter);
    PyObject *result = original == thread_start_joinable
        ? ((PyCFunctionWithKeywords)(void (*)(void))original)(module, args, names)
        : original(module, args);
    if (result && starter.call && ring.on) {
        note_started(interpreter, since, starter);
    }
    return result;
}

static PyObject *
start_new_thread(PyObject *module, PyObject *args)
{
    return start(thread_start_new_thread, module, args, NULL);
}

static PyObject *
start_new(PyObject *module, PyObject *args)
{
    return start(thread_start_new, module, args, NULL);
}

static PyObject *
start_joinable(PyObject *module, PyObject *args, PyObject *names)
{
    return start(thread_start_joinable, module, args, names);
}

/* --- work in the queues of pools */

typedef struct { PyObject *item; Starter starter; } Work;   /* the item is only compared */
static Work *work;
static size_t work_count, work_room;

static inline size_t
work_place(PyObject *item, size_t room)
{
    return ((uintptr_t)item >> 4) * 0x9E3779B97F4A7C15ULL >> 20 & (room - 1);
}

static Work *
find_work(PyObject *item)
{
    if (!work_count) {
        return NULL;
    }
    for (size_t at = work_place(item, work_room);; at = (at + 1) & (work_room - 1)) {
        if (!work[at].item || work[at].item == item) {
            return work[at].item ? &work[at] : NULL;
        }
    }
}

static void
put_work(Work *table, size_t room, Work each)
{
    size_t at = work_place(each.item, room);
    while (table[at].item) {
        at = (at + 1) & (room - 1);
    }
    table[at] = each;
}

static int
grow_work(void)
{
    size_t room = work_room ? work_room * 2 : 256;
    Work *grown = PyMem_RawCalloc(room, sizeof(Work));
    if (!grown) {
        ring_stop();
        return 0;
    }
    for (size_t i = 0; i < work_room; i++) {
        if (work[i].item) {
            put_work(grown, room, work[i]);
        }
    }
    PyMem_RawFree(work);
    work = grown;
    work_room = room;
    return 1;
}

/* Remove an entry; entries behind it move up, so that no search stops at the gap. */
static void
drop_work(Work *found)
{
    size_t gap = (size_t)(found - work), mask = work_room - 1;
    for (size_t at = (gap + 1) & mask; work[at].item; at = (at + 1) & mask) {
        if (((at - work_place(work[at].item, work_room)) & mask) >= ((at - gap) & mask)) {
            work[gap] = work[at];
            gap = at;
        }
    }
    work[gap].item = NULL;
    work_count--;
}

static void
note_work(PyObject *item, Starter starter)
{
    Work *found = find_work(item);   /* an older item at the same address, which died in a queue */
    if (found) {
        drop_work(found);
    }
    if (starter.call && (work_count * 2 < work_room || grow_work())) {
        put_work(work, work_room, (Work){item, starter});
        work_count++;
    }
}

static int
ends_with(PyObject *text, const char *end)
{
    Py_ssize_t size = (Py_ssize_t)strlen(end);
    if (!PyUnicode_CheckExact(text) || !PyUnicode_IS_COMPACT_ASCII(text)
        || PyUnicode_GET_LENGTH(text) < size) {
        return 0;
    }
    const char *words = PyUnicode_DATA(text);
    return memcmp(words + PyUnicode_GET_LENGTH(text) - size, end, (size_t)size) == 0;
}

/* Tell whether the running code is that of a pool; with `names`, whether it is one of these functions. */
static int
is_in_pool(PyThreadState *state, const char *const *names)
{
    Frame *frame = CURRENT_FRAME(state);
    if (!frame || FRAME_IS_SHIM(frame)) {
        return 0;
    }
    PyCodeObject *code = FRAME_CODE(frame);
    if (!ends_with(code->co_filename, "/concurrent/futures/thread.py")
        && !ends_with(code->co_filename, "/multiprocessing/pool.py")) {
        return 0;
    }
    while (names && *names && PyUnicode_CompareWithASCIIString(code->co_name, *names) != 0) {
        names++;
    }
    return !names || *names;
}

static const char *const takers[] = {"_worker", "worker", "_handle_tasks", "_handle_results", NULL};

typedef PyObject *(*Put)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
typedef PyObject *(*Get)(PyObject *, PyTypeObject *, PyObject *const *, Py_ssize_t, PyObject *);
static PyCFunction queue_put, queue_get, queue_get_nowait;

static PyObject *
put(PyObject *queue, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    if (ring.on && count > 0 && args[0] != Py_None) {
        PyThreadState *state = _PyThreadState_GET();
        if (is_in_pool(state, NULL)) {
            note_work(args[0], starter_now(state));
        }
    }
    return ((Put)(void (*)(void))queue_put)(queue, args, count, names);
}

/* The thread takes an item of work: its starter is now the call that submitted the item. */
static void
begin_work(PyThreadState *state, PyObject *item)
{
    Work *found = find_work(item);
    Starter starter = found ? found->starter : nobody;
    Thread *thread = found ? this_thread(state) : thread_find(state);
    if (thread) {
        thread->work = starter;
    }
    found = find_work(item);
    if (found) {
        drop_work(found);
    }
}

static PyObject *
got(PyObject *item)
{
    if (item && ring.on) {
        PyThreadState *state = _PyThreadState_GET();
        if (is_in_pool(state, takers)) {
            begin_work(state, item);
        }
    }
    return item;
}

static PyObject *
get(PyObject *queue, PyTypeObject *type, PyObject *const *args, Py_ssize_t count, PyObject *names)
{
    return got(((Get)(void (*)(void))queue_get)(queue, type, args, count, names));
}

static PyObject *
get_nowait(PyObject *queue, PyTypeObject *type, PyObject *const *args, Py_ssize_t count,
           PyObject *names)
{
    return got(((Get)(void (*)(void))queue_get_nowait)(queue, type, args, count, names));
}

/* --- listening */

static void
listen_to_queues(PyObject *module)
{
    PyObject *type = PyObject_GetAttrString(module, "SimpleQueue");
    const int fast = METH_FASTCALL | METH_KEYWORDS;
    hooks_exchange(type, "put", fast, &queue_put, (PyCFunction)(void (*)(void))put);
    hooks_exchange(type, "get", METH_METHOD | fast, &queue_get, (PyCFunction)(void (*)(void))get);
    hooks_exchange(type, "get_nowait", METH_METHOD | fast, &queue_get_nowait,
                   (PyCFunction)(void (*)(void))get_nowait);
    Py_XDECREF(type);
    PyErr_Clear();
}

/* `_queue` is about to be imported: it is loaded right here, so that the import then finds it.  Later
 * would be too late: work may be put into a queue before the next event that a hook sees. */
void
starters_note_import(PyObject *args)
{
    PyObject *name = PyTuple_GET_SIZE(args) > 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (queue_put || !ring.on || !name || PyTuple_GET_ITEM(args, 1) != Py_None
        || !PyUnicode_CheckExact(name) || PyUnicode_CompareWithASCIIString(name, "_queue") != 0) {
        return;
    }
    PyObject *importing = PyImport_ImportModule("_frozen_importlib");
    PyObject *import = PyDict_GetItemString(PyEval_GetBuiltins(), "__import__");
    PyObject *module = importing && import
        ? PyObject_CallMethod(importing, "_find_and_load", "OO", name, import) : NULL;
    if (module && PyModule_CheckExact(module)) {
        listen_to_queues(module);
    }
    Py_XDECREF(module);
    Py_XDECREF(importing);
    PyErr_Clear();
}

int
starters_install(void)
{
    PyObject *thread = PyImport_ImportModule("_thread");
    if (!thread) {
        return -1;
    }
    hooks_exchange(thread, "start_new_thread", METH_VARARGS, &thread_start_new_thread,
                   start_new_thread);
    hooks_exchange(thread, "start_new", METH_VARARGS, &thread_start_new, start_new);
    hooks_exchange(thread, "start_joinable_thread", METH_VARARGS | METH_KEYWORDS,
                   &thread_start_joinable, (PyCFunction)(void (*)(void))start_joinable);
    Py_DECREF(thread);
    PyObject *queues = loaded_module("_queue");
    if (queues) {
        listen_to_queues(queues);
    }
    return 0;
}

void
starters_begin_anew(void)
{
    started_count = 0;
    PyMem_RawFree(work);
    work = NULL;
    work_room = work_count = 0;
}
