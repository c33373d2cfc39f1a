/* Numbers that the C core shares with Python.
 * Made by tools/write_core_numbers.py: do not edit. */
#ifndef SLEUTH_SHARED_NUMBERS_H
#define SLEUTH_SHARED_NUMBERS_H

/* Kinds of records */
enum {
    KIND_THREAD = 1,
    KIND_TASK = 2,
    KIND_NAME = 3,
    KIND_CONTENTS = 64,
    KIND_UNSURE = 65,
    KIND_ENTER = 16,
    KIND_RETURN = 17,
    KIND_SUSPEND = 18,
    KIND_RESUME = 19,
    KIND_UNWIND = 20,
    KIND_LOST = 21,
    KIND_RAISE = 24,
    KIND_CATCH = 25,
    KIND_LOOP = 32,
    KIND_TURN = 33,
    KIND_ARM = 34,
    KIND_BIND = 40,
    KIND_UNBIND = 41,
    KIND_SET_ATTRIBUTE = 42,
    KIND_DELETE_ATTRIBUTE = 43,
    KIND_SET_ITEM = 44,
    KIND_DELETE_ITEM = 45,
    KIND_SET_SLICE = 46,
    KIND_DELETE_SLICE = 47,
    KIND_OUTPUT = 48,
    KIND_CHILD = 49,
    KIND_STOPPED = 50,
    KIND_CHANGED = 51,
    KIND_SPLICED = 52,
    KIND_PUT = 53,
};

/* What a record gives a name to */
enum {
    NAME_OF_THREAD = 1,
    NAME_OF_TASK = 2,
    NAME_OF_NAMESPACE = 3,
};

/* Flags of the beginning of a call */
enum {
    ENTER_DEFERRED = 1,
    ENTER_BY_RESUMER = 2,
    ENTER_INDIRECT = 4,
    ENTER_ELSEWHERE = 8,
    ENTER_CALLED = 16,
};

/* Flags of a call beside these */
enum {
    CALL_RESUMABLE = 32,
    CALL_STARTED = 64,
};

/* Flags of a suspension */
enum {
    SUSPEND_WAITS = 1,
    SUSPEND_HAS_PLACE = 2,
};

/* Beside the number of a stream */
enum {
    OUTPUT_HAS_PLACE = 4,
};

/* How calls end */
enum {
    OUTCOME_UNFINISHED = 0,
    OUTCOME_RETURNED = 1,
    OUTCOME_RAISED = 2,
    OUTCOME_SUSPENDED = 3,
    OUTCOME_LOST = 4,
};

/* Parts of objects */
enum {
    PART_SEQUENCE = 1,
    PART_MAPPING = 2,
    PART_SET = 3,
    PART_ATTRIBUTES = 4,
    PART_CELL = 5,
    PART_BYTES = 6,
    PART_SUMMARY = 7,
    PART_VALUE = 8,
};

/* Flags of parts */
enum {
    PART_IS_CUT = 1,
    PART_IS_WHOLE = 4,
    PART_IS_DIGEST = 8,
};

/* How a change was noticed */
enum {
    CAUSE_CALL = 1,
    CAUSE_LATER = 2,
};

/* What events touch */
enum {
    TOUCH_GIVEN = 1,
    TOUCH_WRITTEN = 2,
    TOUCH_SEEN = 3,
    TOUCH_BOUND = 4,
    TOUCH_PRINTED = 5,
    TOUCH_STARTED = 6,
};

/* Kinds of probes */
enum {
    OP_ENTER = 1,
    OP_START = 2,
    OP_RETURN = 3,
    OP_RETURN_CONST = 4,
    OP_SUSPEND = 5,
    OP_RESUME = 6,
    OP_UNWIND = 7,
    OP_CATCH = 8,
    OP_LOOP = 9,
    OP_TURN = 10,
    OP_ARM = 11,
    OP_BIND = 12,
    OP_BIND_SLOT = 13,
    OP_UNBIND = 14,
    OP_SET_ATTRIBUTE = 15,
    OP_DELETE_ATTRIBUTE = 16,
    OP_SET_ITEM = 17,
    OP_DELETE_ITEM = 18,
    OP_SET_SLICE = 19,
    OP_HANDLED = 20,
    OP_CALL = 21,
    OP_EXPOSE = 22,
    OP_COUNT = 23,
};

/* Flags of probes */
enum {
    FLAG_DEFERRED = 1,
    FLAG_PART = 2,
    FLAG_WAITS = 4,
    FLAG_IN_PLACE = 8,
    FLAG_UNPACKS = 16,
    FLAG_SECRET = 32,
    FLAG_CELL = 64,
    FLAG_GLOBAL = 128,
};

/* Questions to the collector */
enum {
    MAIL_MODULE = 1,
    MAIL_FINISH = 2,
    MAIL_PYTEST = 3,
    MAIL_PLAIN = 4,
    MAIL_LOADED = 5,
    MAIL_TEST = 6,
    MAIL_TESTED = 7,
    MAIL_COMPILED = 8,
};

/* States of the mailbox */
enum {
    MAILBOX_IDLE = 0,
    MAILBOX_REQUEST = 1,
    MAILBOX_REPLY = 2,
};

/* How the program ends */
enum {
    ENDING_NONE = 0,
    ENDING_EXIT = 1,
    ENDING_OS_EXIT = 2,
    ENDING_EXEC = 3,
};

/* Offsets of fields of the shared memory */
enum {
    AT_POSITION = 16,
    AT_CONSUMED = 24,
    AT_HEARTBEAT = 32,
    AT_STOP = 40,
    AT_BELL = 44,
    AT_MAIL_STATE = 48,
    AT_MAIL_KIND = 52,
    AT_MAIL_SIZE = 56,
    AT_OWNER = 60,
    AT_ENDING = 64,
    AT_STATUS = 68,
    AT_CHILDREN = 72,
    AT_ORPHANS = 76,
    AT_CUT = 80,
    AT_GONE = 84,
    AT_CHILD_PID = 88,
    AT_USED = 1112,
    AT_SALT = 2136,
    AT_HIDDEN = 2144,
    AT_MOST_ITEMS = 2148,
    AT_MOST_TEXT = 2152,
    AT_SECRETS = 2160,
    AT_LOOKED = 6256,
    AT_LIFE = 6264,
};

/* Sizes */
enum {
    SIZE_OF_CALL = 42,
    SIZE_OF_END = 32,
};

/* Distances */
enum {
    DISTANCE_OF_ASKED = 32,
};

#endif
