/* Functions for the collector that Python lacks: futexes in the shared memory, and the exit status of a
 * process that is no child. */
#define _GNU_SOURCE
#include "shared.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

static uint32_t *
word_at(Py_buffer *memory, Py_ssize_t offset)
{
    if (offset < 0 || offset % 4 || offset + 4 > memory->len) {
        PyErr_SetString(PyExc_ValueError, "no such word");
        return NULL;
    }
    return (uint32_t *)((char *)memory->buf + offset);
}

PyDoc_STRVAR(wait_doc,
"wait(memory, offset, value, milliseconds)\n--\n\n"
"Sleep until the word at the offset is no longer the value, or the time is over.");

static PyObject *
memory_wait(PyObject *module, PyObject *args)
{
    Py_buffer memory;
    Py_ssize_t offset;
    unsigned int value;
    int milliseconds;
    if (!PyArg_ParseTuple(args, "w*nIi", &memory, &offset, &value, &milliseconds)) {
        return NULL;
    }
    uint32_t *word = word_at(&memory, offset);
    if (word) {
        Py_BEGIN_ALLOW_THREADS
        ring_wait(word, value, milliseconds);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&memory);
    if (!word) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(post_doc,
"post(memory, offset, value)\n--\n\nWrite a word and wake whoever waits for it.");

static PyObject *
memory_post(PyObject *module, PyObject *args)
{
    Py_buffer memory;
    Py_ssize_t offset;
    unsigned int value;
    if (!PyArg_ParseTuple(args, "w*nI", &memory, &offset, &value)) {
        return NULL;
    }
    uint32_t *word = word_at(&memory, offset);
    if (word) {
        __atomic_store_n(word, value, __ATOMIC_RELEASE);
        syscall(SYS_futex, word, FUTEX_WAKE, 64, NULL, NULL, 0);
    }
    PyBuffer_Release(&memory);
    if (!word) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(leave_will_doc,
"leave_will(memory, offset)\n--\n\n"
"Write this thread's number into the word; when the thread ends the kernel takes it out again.");

static PyObject *
memory_leave_will(PyObject *module, PyObject *args)
{
    /* The list of robust locks that a thread holds.  (This replaces glibc's list: our threads hold none.) */
    static struct { struct robust_list_head head; struct robust_list held; } will;
    Py_buffer memory;
    Py_ssize_t offset;
    if (!PyArg_ParseTuple(args, "w*n", &memory, &offset)) {
        return NULL;
    }
    uint32_t *word = word_at(&memory, offset);
    if (word) {
        will.held.next = &will.head.list;
        will.head.list.next = &will.held;
        will.head.futex_offset = (long)((char *)word - (char *)&will.held);
        /* If this fails, the collector's death is noticed only by its missing heartbeat. */
        long failed = syscall(SYS_set_robust_list, &will.head, sizeof(will.head));
        uint32_t number = failed ? FUTEX_TID_MASK : (uint32_t)syscall(SYS_gettid);
        __atomic_store_n(word, number, __ATOMIC_RELEASE);
    }
    PyBuffer_Release(&memory);
    if (!word) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* From Linux 6.15 on the kernel gives the exit status of any process through a pidfd. */
struct PidfdInfo {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    int32_t exit_code;
};
#define PIDFD_INFO_WANT_EXIT (1UL << 3)
#define PIDFD_INFO_REQUEST _IOWR(0xFF, 11, struct PidfdInfo)

PyDoc_STRVAR(exit_status_doc,
"exit_status(pidfd)\n--\n\n"
"Give the wait status of an ended process, or None where the kernel does not tell.");

static PyObject *
memory_exit_status(PyObject *module, PyObject *args)
{
    int fd;
    if (!PyArg_ParseTuple(args, "i", &fd)) {
        return NULL;
    }
    struct PidfdInfo info = {.mask = PIDFD_INFO_WANT_EXIT};
    if (ioctl(fd, PIDFD_INFO_REQUEST, &info) < 0 || !(info.mask & PIDFD_INFO_WANT_EXIT)) {
        Py_RETURN_NONE;
    }
    return PyLong_FromLong(info.exit_code);
}

static PyMethodDef memory_methods[] = {
    {"wait", memory_wait, METH_VARARGS, wait_doc},
    {"post", memory_post, METH_VARARGS, post_doc},
    {"leave_will", memory_leave_will, METH_VARARGS, leave_will_doc},
    {"exit_status", memory_exit_status, METH_VARARGS, exit_status_doc},
    {NULL},
};

int
shared_init(PyObject *module)
{
    return PyModule_AddFunctions(module, memory_methods);
}
