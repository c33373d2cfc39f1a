/* Waiting for the collector.
 *
 * The program waits for a slow collector as long as it takes: no event is dropped.  If the collector dies,
 * the kernel writes that into a word of the shared memory (which needs no file descriptor), so it is noticed
 * at once.  If the collector is alive but its heartbeat stops (it was stopped by a signal, say), the program
 * goes on without it after PATIENCE_MS.  Only time that was spent waiting counts, in short pieces: so a
 * machine that was asleep, or a container that was paused with both processes in it, is no reason to give up.
 */
#define _GNU_SOURCE
#include "waiting.h"

#include <linux/futex.h>
#include <time.h>

#include "compat.h"
#include "ring.h"

#define NS_OF_MS INT64_C(1000000)
#define PATIENCE_MS 10000
#define BRIEFLY_MS 5      /* most answers come by then, and other threads needn't run meanwhile */
#define MOMENT_MS 20

static uint64_t beat;     /* the latest heartbeat */
static int64_t silent;    /* nanoseconds spent waiting since then */
static int64_t counted;   /* the time up to which waiting was counted: several threads may wait at once */

static int
is_dead(void)
{
    return (__atomic_load_n(&ring.control->life, __ATOMIC_ACQUIRE) & FUTEX_TID_MASK) == 0;
}

int
wait_is_worth_it(void)
{
    uint64_t seen = __atomic_load_n(&ring.control->heartbeat, __ATOMIC_ACQUIRE);
    if (seen != beat) {
        beat = seen;
        silent = 0;
    }
    if (is_dead() || silent > PATIENCE_MS * NS_OF_MS) {
        ring.control->gone = 1;
        ring_stop();
    }
    return !ring.control->gone;
}

/* Tell whether the interpreter's lock can be released: this thread has it, and the interpreter is not about
 * to end. */
static int
can_yield(void)
{
    return !IS_FINALIZING() && _PyThreadState_GET() != NULL;
}

static int64_t
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 * NS_OF_MS + time.tv_nsec;
}

/* Sleep for a while, or until the word is no longer `value`, and count the time. */
static void
pause_for(uint32_t *word, uint32_t value, int milliseconds, int yields)
{
    int64_t most = 2 * milliseconds * NS_OF_MS, before = now();
    if (yields && can_yield()) {
        Py_BEGIN_ALLOW_THREADS
        ring_wait(word, value, milliseconds);
        Py_END_ALLOW_THREADS
    }
    else {
        ring_wait(word, value, milliseconds);
    }
    int64_t after = now(), waited = after - (before > counted ? before : counted);
    silent += waited < most ? waited : most;
    counted = after;
}

int
wait_for_change(uint32_t *word, uint32_t value, int yields)
{
    int milliseconds = BRIEFLY_MS;
    for (;;) {
        /* In this order: the collector may die after it has answered. */
        int is_worth_it = wait_is_worth_it();
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value) {
            return 1;
        }
        if (!is_worth_it) {
            return 0;
        }
        pause_for(word, value, milliseconds, yields && milliseconds == MOMENT_MS);
        milliseconds = MOMENT_MS;
    }
}

void
wait_aside(uint32_t *word, uint32_t value)
{
    pause_for(word, value, BRIEFLY_MS, 0);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) {
        pause_for(word, value, MOMENT_MS, 1);
    }
}
