/* The shared memory, as the program's process uses it.  It needs no lock of its own: all callers hold the
 * interpreter's lock. */
#define _GNU_SOURCE
#include "ring.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"
#include "waiting.h"

Ring ring;

#ifdef SLEUTH_GUARDS
uint64_t ring_fault;
#endif

#define FIRST_CREDIT (16 << 20)

void
ring_wait(uint32_t *word, uint32_t value, int milliseconds)
{
    struct timespec time = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

void
ring_ring(void)
{
    __atomic_add_fetch(&ring.control->bell, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &ring.control->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void
start_segment(uint64_t number)
{
    Control *control = ring.control;
    ring.base = ring.segments + (number % control->segments) * ring.stride;
    ring.pos = ring.base;
    ring.end = ring.base + control->segment_size - RING_SLACK;
    ring.limit = ring.end - RING_RESERVE;
    ring.segment = number << 32;
    ring.epoch++;
    ring.long_bytes = 0;
}

static void *
map_file(void *where, int fd, size_t at, size_t size)
{
    return mmap(where, size, PROT_READ | PROT_WRITE, MAP_SHARED | (where ? MAP_FIXED : 0), fd,
                (off_t)at);
}

/* Map the file with an inaccessible page behind it.  In a build with guards there is one behind each segment,
 * so that a record that runs over the end of its segment crashes at once. */
static void *
map_guarded(int fd, size_t size, size_t segments, size_t segment_size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), head = RING_HEADER + RING_MAILBOX;
    size_t whole = (size + page - 1) / page * page;
#ifdef SLEUTH_GUARDS
    const char *fault = getenv("SLEUTH_OVERRUN_AT");
    ring_fault = fault ? strtoull(fault, NULL, 10) + 1 : 0;
    ring.stride = segment_size + page;
#else
    ring.stride = segment_size;
#endif
    size_t gaps = (ring.stride - segment_size) * segments;
    uint8_t *memory = mmap(NULL, whole + gaps + page, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || map_file(memory, fd, 0, gaps ? head : size) == MAP_FAILED) {
        return MAP_FAILED;
    }
    for (size_t i = 0; gaps && i < segments; i++) {
        if (map_file(memory + head + i * ring.stride, fd, head + i * segment_size, segment_size)
            == MAP_FAILED) {
            return MAP_FAILED;
        }
    }
    return memory;
}

/* Tell whether the header is ours, and the file as large as it says. */
static int
is_sound(const Control *control, size_t size)
{
    return control->magic == RING_MAGIC && control->segments > 0
        && control->segments <= RING_MAX_SEGMENTS && control->segment_size >= RING_LEAST_SEGMENT
        && size >= RING_HEADER + RING_MAILBOX + (size_t)control->segments * control->segment_size;
}

int
ring_attach(int fd)
{
    struct stat info;
    if (fstat(fd, &info) < 0) {
        return -1;
    }
    size_t size = (size_t)info.st_size;
    if (size < sizeof(Control)) {
        errno = EINVAL;
        return -1;
    }
    Control *control = map_file(NULL, fd, 0, RING_HEADER);
    if (control == MAP_FAILED) {
        return -1;
    }
    int is_ours = is_sound(control, size);
    uint32_t segments = control->segments, segment_size = control->segment_size;
    munmap(control, RING_HEADER);
    if (!is_ours) {
        errno = EINVAL;
        return -1;
    }
    void *memory = map_guarded(fd, size, segments, segment_size);
    if (memory == MAP_FAILED) {
        return -1;
    }
    control = memory;
    ring.control = control;
    ring.mail = (uint8_t *)memory + RING_HEADER;
    ring.segments = ring.mail + RING_MAILBOX;
    ring.credit = FIRST_CREDIT;
    control->owner = (uint32_t)getpid();
    start_segment(0);
    ring.on = RING_ON;
    return 0;
}

void
ring_stop(void)
{
    ring.on = RING_OFF;
    ring.limit = NULL;   /* nothing more is written, not even by the running probe */
}

/* Return how many segments are free, the one in use included, if the collector has taken `taken` ones. */
static uint64_t
free_segments(uint64_t taken)
{
    return ring.control->segments - ((ring.segment >> 32) - taken);
}

static uint64_t
taken_segments(void)
{
    return __atomic_load_n(&ring.control->consumed, __ATOMIC_ACQUIRE);
}

void
ring_wait_for_room(void)
{
    uint32_t *word = (uint32_t *)&ring.control->consumed;
    uint64_t taken = taken_segments();
    if (free_segments(taken) <= RING_SPARE && wait_is_worth_it()) {
        wait_aside(word, (uint32_t)taken);
        taken = taken_segments();
        /* While more than two segments are free, each thread goes on after a short wait. */
        while (ring.on && free_segments(taken) <= 2 && wait_for_change(word, (uint32_t)taken, 1)) {
            taken = taken_segments();
        }
    }
    if (ring.on && free_segments(taken) > RING_SPARE) {
        ring.on = RING_ON;
    }
}

int
ring_next_segment(void)
{
    Control *control = ring.control;
    uint64_t number = ring.segment >> 32;
    if (!ring.on || control->gone) {
        return 0;
    }
    int64_t plain = (ring.pos - ring.base) - ring.long_bytes;
    ring.credit += 8 * plain;
    ring.earned += plain;
    control->used[number % control->segments] = (uint32_t)(ring.pos - ring.base);
    number++;
    __atomic_store_n(&control->position, number << 32, __ATOMIC_RELEASE);
    ring_ring();
    uint64_t taken;
    while (number - (taken = taken_segments()) >= control->segments) {
        /* Other threads may not run meanwhile: the record must show the objects as they are now. */
        if (!wait_for_change((uint32_t *)&control->consumed, (uint32_t)taken, 0)) {
            return 0;
        }
    }
    start_segment(number);
    if (wait_is_worth_it() && ring.on && free_segments(taken) <= RING_SPARE) {
        ring.on = RING_SCARCE;
    }
    return ring.on;
}

static int mail_is_taken;

void
ring_take_mail(void)
{
    /* (A thread that was waiting for an answer when the interpreter began to end never comes back.) */
    while (mail_is_taken && !IS_FINALIZING() && !ring.control->gone) {
        uint32_t state = __atomic_load_n(&ring.control->mail_state, __ATOMIC_ACQUIRE);
        wait_aside(&ring.control->mail_state, state);
    }
}

static int64_t
put_question(const void *const *parts, const size_t *sizes, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        if (total + sizes[i] + 8 > RING_MAILBOX) {
            return -1;
        }
        uint64_t size = sizes[i];
        memcpy(ring.mail + total, &size, 8);
        memcpy(ring.mail + total + 8, parts[i], sizes[i]);
        total += 8 + sizes[i];
    }
    return (int64_t)total;
}

int64_t
ring_ask(uint32_t kind, const void *const *parts, const size_t *sizes, int count, int how,
         uint8_t **answer)
{
    Control *control = ring.control;
    *answer = NULL;
    if (!control || control->gone || control->owner != (uint32_t)getpid()
        /* (when the interpreter ends, another thread's request may be there) */
        || !wait_for_change(&control->mail_state, MAILBOX_REQUEST, 0)) {
        return -1;
    }
    int64_t total = put_question(parts, sizes, count);
    if (total < 0) {
        return -1;
    }
    mail_is_taken = 1;
    control->mail_kind = kind;
    control->mail_size = (uint32_t)total;
    __atomic_store_n(&control->mail_state, MAILBOX_REQUEST, __ATOMIC_RELEASE);
    ring_ring();
    int is_answered = wait_for_change(&control->mail_state, MAILBOX_REQUEST, how == ASK_YIELDING);
    int64_t size = is_answered ? (int64_t)control->mail_size : -1;
    /* A copy: another thread may send the next request before this answer is used. */
    if (size >= 0 && (*answer = malloc((size_t)size + 1)) != NULL) {
        memcpy(*answer, ring.mail, (size_t)size);
    }
    __atomic_store_n(&control->mail_state, MAILBOX_IDLE, __ATOMIC_RELEASE);
    mail_is_taken = 0;
    return *answer ? size : -1;
}
