/* The memory that the program's process shares with the collector: a header, a mailbox and segments. */
#ifndef SLEUTH_RING_H
#define SLEUTH_RING_H

#include "shared_numbers.h"

#include <stddef.h>
#include <stdint.h>

#define RING_MAGIC 0x314854554C53ULL
#define RING_MAX_SEGMENTS 256
#define RING_MAX_CHILDREN 256
#define RING_SECRETS 4096
#define RING_HEADER 8192
#define RING_MAILBOX (8u << 20)

/* The header.  record/memory.py has the same offsets: they are compared below. */
typedef struct {
    uint64_t magic;
    uint32_t segments;
    uint32_t segment_size;
    uint64_t position;                       /* segment << 32 | bytes committed in it */
    uint64_t consumed;                       /* segments that the collector has taken */
    uint64_t heartbeat;                      /* counted up by the collector while it is alive */
    uint32_t stop;                           /* the collector asks to stop: 1 size, 2 disk, 3 error */
    uint32_t bell;                           /* a futex that the collector waits for */
    uint32_t mail_state;                     /* 0 idle, 1 request, 2 reply */
    uint32_t mail_kind;
    uint32_t mail_size;
    uint32_t owner;                          /* process id of the program */
    uint32_t ending;                         /* how the program ends, see ENDING_ */
    int32_t status;
    uint32_t children;
    uint32_t orphans;                        /* dropped events of frames whose beginning was not recorded */
    uint32_t cut;                            /* values that were cut */
    uint32_t gone;                           /* the program's process no longer waits for the collector */
    uint32_t child_pid[RING_MAX_CHILDREN];
    uint32_t used[RING_MAX_SEGMENTS];        /* bytes in each closed segment */
    uint64_t salt;                           /* for the tags of hidden values */
    uint32_t hidden;                         /* how many values were hidden */
    uint32_t most_items;                     /* limit: items of one object */
    uint32_t most_text;                      /* limit: bytes of one text */
    uint32_t most_numbers;                   /* limit: items of one array or table */
    char secrets[RING_SECRETS];              /* names whose values are hidden, each with a 0 */
    uint64_t looked;                         /* items that were looked at, as a measure of the work */
    uint32_t life;                           /* id of a thread of the collector; 0 after its death */
} Control;

#define STANDS(field, offset) _Static_assert(offsetof(Control, field) == (offset), "record/memory.py has another offset")
STANDS(position, AT_POSITION);
STANDS(consumed, AT_CONSUMED);
STANDS(heartbeat, AT_HEARTBEAT);
STANDS(stop, AT_STOP);
STANDS(bell, AT_BELL);
STANDS(mail_state, AT_MAIL_STATE);
STANDS(mail_kind, AT_MAIL_KIND);
STANDS(mail_size, AT_MAIL_SIZE);
STANDS(owner, AT_OWNER);
STANDS(ending, AT_ENDING);
STANDS(status, AT_STATUS);
STANDS(children, AT_CHILDREN);
STANDS(orphans, AT_ORPHANS);
STANDS(cut, AT_CUT);
STANDS(gone, AT_GONE);
STANDS(child_pid, AT_CHILD_PID);
STANDS(used, AT_USED);
STANDS(salt, AT_SALT);
STANDS(hidden, AT_HIDDEN);
STANDS(most_items, AT_MOST_ITEMS);
STANDS(most_text, AT_MOST_TEXT);
STANDS(secrets, AT_SECRETS);
STANDS(looked, AT_LOOKED);
STANDS(life, AT_LIFE);
#undef STANDS


/* Whether events are written.  Scarce: only RING_SPARE segments are free.  Then threads wait for the
 * collector at the next probe where other threads may run; the free segments are for events until then. */
enum { RING_OFF, RING_ON, RING_SCARCE };
#define RING_SPARE 8

/* Whether other threads may run while the collector is asked. */
enum { ASK_YIELDING, ASK_ALONE };

/* How a record is kept from running over the end of its segment:
 *
 *     base ... pos ....... limit ............ end ...... the next segment
 *                          |--- RESERVE ------|- SLACK -|
 *
 * A record begins before `limit`: one comparison for each event.  Its fixed fields and small numbers take
 * RING_TAIL bytes at most: the code that writes it states their size, and the compiler checks it.  Before
 * longer values are written, `ring_fits` is asked, which leaves RING_TAIL bytes for the rest of the record.
 * `ring_commit` checks once more. */
#define RING_TAIL 6144
#define RING_RESERVE RING_TAIL
#define RING_SLACK 2048
#define RING_LEAST_SEGMENT (256u << 10)

typedef struct {
    int on;            /* whether events are written: RING_OFF, RING_ON, RING_SCARCE */
    uint64_t moment;   /* the number of events so far */
    int epoch;         /* changes with each segment: types and texts must be defined again */
    uint8_t *pos;      /* where the next record begins */
    uint8_t *limit;    /* a record that would begin behind this goes into a new segment */
    uint8_t *end;      /* nothing is written behind this; the slack follows */
    uint8_t *base;     /* where the segment begins */
    uint64_t segment;  /* the segment's number << 32, as in `position` */
    int64_t credit;    /* how many bytes of long texts may still be written */
    int64_t long_bytes;/* bytes of long texts and of contents in this segment */
    int64_t earned;    /* bytes of all other records in closed segments */
    Control *control;
    uint8_t *mail;
    uint8_t *segments;
    size_t stride;     /* bytes from one segment to the next */
} Ring;

extern Ring ring;

int ring_attach(int fd);                 /* map the memory and begin recording; 0, or -1 with errno */
int ring_next_segment(void);             /* close the segment, begin the next; 0: recording has ended */
void ring_stop(void);                    /* end recording */
void ring_overrun(void);                 /* end recording because a record does not fit: a bug of ours */
/* If few segments are free, wait a little for the collector; other threads may run meanwhile. */
void ring_wait_for_room(void);
/* Wait until no other thread uses the mailbox; other threads may run meanwhile. */
void ring_take_mail(void);
/* Send a request to the collector and wait for the answer; `ring_take_mail` comes first.  Return the size
 * of the answer, which the caller has to free; -1: no answer.  `how`: with ASK_YIELDING other threads may run
 * meanwhile. */
int64_t ring_ask(uint32_t kind, const void *const *parts, const size_t *sizes, int count, int how,
                 uint8_t **answer);
void ring_ring(void);                    /* wake the collector */
/* Sleep until the word is no longer `value` (a futex), or the time is over. */
void ring_wait(uint32_t *word, uint32_t value, int milliseconds);

/* Tell whether there is room for `size` bytes and the rest of the record. */
static inline int
ring_fits(const uint8_t *pos, size_t size)
{
    return ring.end - pos >= (ptrdiff_t)(size + RING_TAIL);
}

/* For tests of builds with guards: the record of this moment is treated as one that ran over the end. */
#ifdef SLEUTH_GUARDS
extern uint64_t ring_fault;
#define RING_FAULT (ring.moment + 1 == ring_fault)
#else
#define RING_FAULT 0
#endif

/* Make the record that ends at `pos` visible to the collector. */
static inline void
ring_commit(uint8_t *pos)
{
    if (__builtin_expect(pos > ring.end || RING_FAULT, 0)) {
        ring_overrun();
        return;
    }
    ring.pos = pos;
    __atomic_store_n(&ring.control->position, ring.segment | (uint64_t)(pos - ring.base),
                     __ATOMIC_RELEASE);
}

#endif
