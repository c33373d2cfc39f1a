/* The tasks of asyncio: the running one is read from the dict in which asyncio's C code keeps it. */
#include "tasks.h"

#include "names.h"
#include "write.h"

PyObject *tasks_of_loops;   /* a reference, since the module can be gone while finalisers run */
typedef struct { PyObject *task; Py_hash_t name; uint32_t number; } Task;
static Task task_table[1024];
static uint32_t task_count;

static PyObject *
find_tasks(void)
{
    if (!tasks_of_loops) {
        PyObject *module = loaded_module("_asyncio");
        if (module) {
            PyObject *found = PyDict_GetItemString(PyModule_GetDict(module), "_current_tasks");
            if (found && PyDict_CheckExact(found)) {
                tasks_of_loops = Py_NewRef(found);
            }
        }
        PyErr_Clear();
    }
    return tasks_of_loops;
}

/* Return the running task of this thread, borrowed; with several loops, that of the loop that runs here. */
static PyObject *
running_task(void)
{
    PyObject *tasks = find_tasks();
    PyObject *key, *value, *found = NULL;
    Py_ssize_t at = 0, size = tasks ? PyDict_GET_SIZE(tasks) : 0;
    if (size == 0) {
        return NULL;
    }
    PyObject *loop = NULL;
    int is_mine = size == 1 && !threads_are_several;   /* else it may be the task of another thread's loop */
    if (!is_mine) {
        PyObject *module = loaded_module("_asyncio");
        PyObject *get = module ? PyDict_GetItemString(PyModule_GetDict(module), "_get_running_loop")
                               : NULL;
        loop = get && PyCFunction_CheckExact(get) ? PyObject_CallNoArgs(get) : NULL;
        PyErr_Clear();
    }
    while (PyDict_Next(tasks, &at, &key, &value)) {
        if (is_mine || key == loop) {
            found = value;
            break;
        }
    }
    Py_XDECREF(loop);
    return found;
}

static uint32_t
task_number(PyObject *task)
{
    Py_hash_t hash = 0;
    PyObject *name = NULL;
    static PyObject *name_of_getter;
    PyObject *get_name = find_in_type(Py_TYPE(task), &name_of_getter, "get_name");
    if (get_name && Py_IS_TYPE(get_name, &PyMethodDescr_Type)
        && strcmp(PyDescr_TYPE(get_name)->tp_name, "_asyncio.Task") == 0) {
        name = PyObject_CallOneArg(get_name, task);   /* C code: a field of the task */
        PyErr_Clear();
    }
    if (name && PyUnicode_CheckExact(name)) {
        hash = PyObject_Hash(name);
    }
    Task *slot = &task_table[((uintptr_t)task >> 5) % 1024];
    if (slot->task != task || slot->name != hash) {
        *slot = (Task){task, hash, ++task_count};
        DEFINE(300, {
            *p++ = KIND_NAME;
            *p++ = NAME_OF_TASK;
            p = put_varint(p, slot->number);
            VALUE(name);
        });
    }
    Py_XDECREF(name);
    return slot->number;
}

void
task_note(Thread *thread)
{
    PyObject *task = running_task();
    if (task == thread->task_object && (task || !thread->task)) {
        return;
    }
    thread->task_object = task;
    uint32_t number = task ? task_number(task) : 0;
    if (number != thread->task) {
        thread->task = number;
        DEFINE(16, {
            *p++ = KIND_TASK;
            p = put_varint(p, number);
        });
    }
}

void
tasks_begin_anew(void)
{
    memset(task_table, 0, sizeof(task_table));
    task_count = 0;
}
