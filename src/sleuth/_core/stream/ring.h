/* The memory that the program's process shares with the collector: segments and a mailbox. */
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

/* Offsets are known to record/memory.py: they are compared below. */
typedef struct {
    uint64_t magic;
    uint32_t segments;
    uint32_t segment_size;
    uint64_t position;                       /* segment << 32 | bytes committed in it */
    uint64_t consumed;                       /* segments that the collector has taken */
    uint64_t heartbeat;                      /* the collector counts here while it lives */
    uint32_t stop;                           /* the collector asks to stop: 1 size, 2 disk, 3 error */
    uint32_t bell;                           /* rung for the collector */
    uint32_t mail_state;                     /* 0 idle, 1 request, 2 reply */
    uint32_t mail_kind;
    uint32_t mail_size;
    uint32_t owner;                          /* process id of the program */
    uint32_t ending;                         /* how it ends, see ENDING_ */
    int32_t status;
    uint32_t children;
    uint32_t orphans;                        /* events of frames that were not seen to begin */
    uint32_t cut;                            /* values that were cut */
    uint32_t gone;                           /* the collector was given up */
    uint32_t child_pid[RING_MAX_CHILDREN];
    uint32_t used[RING_MAX_SEGMENTS];        /* bytes in each closed segment */
    uint64_t salt;                           /* of the tags of hidden values */
    uint32_t hidden;                         /* how many values were hidden */
    uint32_t most_items;                     /* limits: items of one object */
    uint32_t most_text;                      /* bytes of one text */
    uint32_t most_numbers;                   /* items of one array or table */
    char secrets[RING_SECRETS];              /* names whose values are hidden, each with a 0 */
    uint64_t looked;                         /* items that were looked at */
    uint32_t life;                           /* a thread of the collector; none when that has died */
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


/* Whether events are written.  Scarce: so few segments are free that threads wait for the collector,
 * where they can let others run; the last ones are for what is written until then. */
enum { RING_OFF, RING_ON, RING_SCARCE };
#define RING_SPARE 8

/* Who may run while the collector is asked: other threads, or nobody. */
enum { ASK_YIELDING, ASK_ALONE };

/* How a record is kept from running over the end of its segment:
 *
 *     base ... pos ....... limit ............ end ...... the next segment
 *                          |--- RESERVE ------|- SLACK -|
 *
 * A record begins before `limit`: one comparison for each event.  Its fixed fields and small numbers take
 * RING_TAIL bytes at most; that is said, and checked by the compiler, where it is written.  Whatever can
 * be longer asks `ring_fits` first, and leaves RING_TAIL bytes for them.  A commit looks once more. */
#define RING_TAIL 6144
#define RING_RESERVE RING_TAIL
#define RING_SLACK 2048
#define RING_LEAST_SEGMENT (256u << 10)

typedef struct {
    int on;            /* events are written: see RING_ON */
    uint64_t moment;   /* how many events there are */
    int epoch;         /* another one in each segment: what was defined earlier must be again */
    uint8_t *pos;      /* where the next record begins */
    uint8_t *limit;    /* beyond this a new segment is due */
    uint8_t *end;      /* nothing is written beyond this; the slack follows */
    uint8_t *base;     /* its begin */
    uint64_t segment;  /* its number, shifted to where `position` has it */
    int64_t credit;    /* how many bytes of long text may still be written out */
    int64_t long_bytes;/* of which so much in this segment; contents of objects count too */
    int64_t earned;    /* bytes of all other records so far */
    Control *control;
    uint8_t *mail;
    uint8_t *segments;
    size_t stride;     /* from one segment to the next */
} Ring;

extern Ring ring;

int ring_attach(int fd);                 /* map it; 0, or -1 with errno */
int ring_next_segment(void);             /* hand over the full one; 0 when recording has ended */
void ring_stop(void);
void ring_overrun(void);                 /* a record does not fit: that must never be; recording ends */
/* Few segments are free: wait a little for more.  Other threads run meanwhile. */
void ring_wait_for_room(void);
/* Wait until no other thread's question is under way; these run meanwhile. */
void ring_take_mail(void);
/* Ask the collector something, the mail having been taken.  Gives the size of the answer, which is the
 * caller's to free, or -1: no answer. */
int64_t ring_ask(uint32_t kind, const void *const *parts, const size_t *sizes, int count, int how,
                 uint8_t **answer);
void ring_ring(void);                    /* wake the collector */
void ring_wait(uint32_t *word, uint32_t value, int milliseconds);

/* Is there room for so many bytes, and the rest of the record? */
static inline int
ring_fits(const uint8_t *pos, size_t size)
{
    return ring.end - pos >= (ptrdiff_t)(size + RING_TAIL);
}

/* For the tests of builds with guards: the record of that moment is taken for one that ran over. */
#ifdef SLEUTH_GUARDS
extern uint64_t ring_fault;
#define RING_FAULT (ring.moment + 1 == ring_fault)
#else
#define RING_FAULT 0
#endif

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
