/* The collector's answers about compiled code, and the credit that pays for new ones.
 *
 * * Rewriting takes a hundred times as long as compiling.  A program that compiles the same text again
 * and again pays once.  If a program compiles ever new texts, the first ones are rewritten, and later one
 * out of many: so it is never slowed down much, and the table stays small.  The credit depends on the
 * compiled texts and not on time, so the same program is recorded in the same way each time.
 */
#include "snippets.h"

#include <stdlib.h>

#define SLOTS 8192
#define MOST (SLOTS / 2)
#define MOST_BYTES (12 << 20)

/* The price of rewriting a text, and the credit for compiling one, in units of about 3 us. */
#define COST(snippet) (512 + (int64_t)length(snippet) / 4)
#define EARNED(snippet) (1 + (int64_t)length(snippet) / 16)
#define FIRST_CREDIT (160 << 10)

typedef struct { uint64_t hash; uint8_t *answer; size_t answer_size, key_size; char *key; } Entry;

static Entry entries[SLOTS];
static size_t count, bytes;
static int64_t credit = FIRST_CREDIT;

static uint64_t
mixed(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t word;
    for (; size >= 8; size -= 8, at += 8) {
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
        hash ^= hash >> 29;
    }
    for (; size; size--, at++) {
        hash = (hash ^ *at) * 0x100000001B3ULL;
    }
    return hash ^ hash >> 32;
}

static uint64_t
hash_of(const Snippet *snippet)
{
    uint64_t hash = mixed(1, &snippet->form, sizeof(Form));
    hash = mixed(hash, snippet->path, strlen(snippet->path) + 1);
    return mixed(hash, snippet->text, snippet->size) | 1;   /* never 0, which marks an empty slot */
}

static size_t
key_size(const Snippet *snippet)
{
    return sizeof(Form) + strlen(snippet->path) + 1 + snippet->size;
}

static int
is_key_of(const Entry *entry, const Snippet *snippet)
{
    size_t path = strlen(snippet->path) + 1;
    return entry->key_size == key_size(snippet)
        && memcmp(entry->key, &snippet->form, sizeof(Form)) == 0
        && memcmp(entry->key + sizeof(Form), snippet->path, path) == 0
        && memcmp(entry->key + sizeof(Form) + path, snippet->text, snippet->size) == 0;
}

/* Return the slot of a snippet, or the empty slot where it belongs. */
static Entry *
slot_of(const Snippet *snippet, uint64_t hash)
{
    size_t at = hash % SLOTS;
    while (entries[at].hash && !(entries[at].hash == hash && is_key_of(&entries[at], snippet))) {
        at = (at + 1) % SLOTS;
    }
    return &entries[at];
}

Known_answer
snippets_find(const Snippet *snippet)
{
    Entry *found = count ? slot_of(snippet, hash_of(snippet)) : NULL;
    return found && found->hash ? (Known_answer){found->answer, found->answer_size}
                                : (Known_answer){NULL, 0};
}

static void
forget_all(void)
{
    for (size_t i = 0; i < SLOTS; i++) {
        free(entries[i].answer);
        free(entries[i].key);
        entries[i] = (Entry){0};
    }
    count = bytes = 0;
}

static char *
key_of(const Snippet *snippet)
{
    size_t path = strlen(snippet->path) + 1;
    char *key = malloc(key_size(snippet));
    if (key) {
        memcpy(key, &snippet->form, sizeof(Form));
        memcpy(key + sizeof(Form), snippet->path, path);
        memcpy(key + sizeof(Form) + path, snippet->text, snippet->size);
    }
    return key;
}

void
snippets_keep(const Snippet *snippet, uint8_t *answer, size_t size)
{
    size_t all = size + key_size(snippet);
    if (count == MOST || bytes + all > MOST_BYTES) {
        forget_all();
    }
    uint64_t hash = hash_of(snippet);
    Entry *slot = slot_of(snippet, hash);
    char *key = slot->hash || all > MOST_BYTES ? NULL : key_of(snippet);
    if (!key) {
        free(answer);   /* another thread has stored it, it is too large, or there is no memory */
        return;
    }
    *slot = (Entry){hash, answer, size, key_size(snippet), key};
    count++;
    bytes += all;
}

/* The length of the source, roughly: a packed tree is much longer. */
static size_t
length(const Snippet *snippet)
{
    return snippet->form.kind == GIVEN_TREE ? snippet->size / 16 : snippet->size;
}

void
snippets_earn(const Snippet *snippet)
{
    if (credit < FIRST_CREDIT) {
        credit += EARNED(snippet);
    }
}

int
snippets_can_pay(const Snippet *snippet)
{
    if (credit < COST(snippet)) {
        return 0;
    }
    credit -= COST(snippet);
    return 1;
}

/* --- names of files */

static uint64_t
name_hash(const Snippet *snippet)
{
    return mixed(2 + snippet->form.by_recorded, snippet->path, strlen(snippet->path)) | 1;
}

int
names_has(const Names *names, const Snippet *snippet)
{
    uint64_t hash = name_hash(snippet);
    return names->hashes[(hash >> 8) % 256] == hash;
}

int
names_add(Names *names, const Snippet *snippet)
{
    uint64_t hash = name_hash(snippet), *slot = &names->hashes[(hash >> 8) % 256];
    int is_new = *slot != hash;
    *slot = hash;
    return is_new;
}
