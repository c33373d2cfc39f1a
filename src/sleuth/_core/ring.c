/* The program's end of the shared memory.  Never takes a lock: the interpreter's is enough. */
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

Ring ring;

#ifdef SLEUTH_GUARDS
uint64_t ring_fault;
#endif

#define PATIENCE_MS 10000   /* without a heartbeat for so long the collector is given up */
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

/* Map the file with a page behind it that nobody can touch; in a build with guards there is one behind
 * each segment, so that a record that runs over its end is found where that happens. */
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

/* Whether the head says what the file can hold. */
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
    ring.on = 1;
    return 0;
}

void
ring_stop(void)
{
    ring.on = 0;
    ring.limit = NULL;   /* nothing more is written, not even by the probe that runs */
}

/* Wait until the word is no longer `value`; false if the collector has died meanwhile. */
static int
wait_alive(uint32_t *word, uint32_t value)
{
    uint64_t beat = __atomic_load_n(&ring.control->heartbeat, __ATOMIC_ACQUIRE);
    struct timespec since, now;
    clock_gettime(CLOCK_MONOTONIC, &since);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) {
        ring_wait(word, value, 20);
        uint64_t seen = __atomic_load_n(&ring.control->heartbeat, __ATOMIC_ACQUIRE);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (seen != beat) {
            beat = seen;
            since = now;
        }
        else if ((now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000
                 > PATIENCE_MS) {
            ring.control->gone = 1;
            ring.on = 0;
            return 0;
        }
    }
    return 1;
}

int
ring_next_segment(void)
{
    Control *control = ring.control;
    uint64_t number = ring.segment >> 32;
    if (!ring.on) {
        return 0;
    }
    int64_t plain = (ring.pos - ring.base) - ring.long_bytes;
    ring.credit += 8 * plain;
    ring.earned += plain;
    control->used[number % control->segments] = (uint32_t)(ring.pos - ring.base);
    number++;
    __atomic_store_n(&control->position, number << 32, __ATOMIC_RELEASE);
    ring_ring();
    while (number - __atomic_load_n(&control->consumed, __ATOMIC_ACQUIRE) >= control->segments) {
        uint32_t low = (uint32_t)control->consumed;
        if (!wait_alive((uint32_t *)&control->consumed, low)) {
            return 0;
        }
    }
    start_segment(number);
    return ring.on;
}

int64_t
ring_ask(uint32_t kind, const void *const *parts, const size_t *sizes, int count)
{
    Control *control = ring.control;
    size_t total = 0;
    if (!control || control->gone || control->owner != (uint32_t)getpid()) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        if (total + sizes[i] + 8 > RING_MAILBOX) {
            return -1;
        }
        uint64_t size = sizes[i];
        memcpy(ring.mail + total, &size, 8);
        memcpy(ring.mail + total + 8, parts[i], sizes[i]);
        total += 8 + sizes[i];
    }
    control->mail_kind = kind;
    control->mail_size = (uint32_t)total;
    __atomic_store_n(&control->mail_state, MAIL_REQUEST, __ATOMIC_RELEASE);
    ring_ring();
    int answered = wait_alive(&control->mail_state, MAIL_REQUEST);
    int64_t size = answered ? (int64_t)control->mail_size : -1;
    __atomic_store_n(&control->mail_state, MAIL_IDLE, __ATOMIC_RELEASE);
    return size;
}
