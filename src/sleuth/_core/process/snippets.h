/* The collector's answers about code that the program compiles, so that it is asked once about the same
 * code. */
#ifndef SLEUTH_SNIPPETS_H
#define SLEUTH_SNIPPETS_H

#include "compat.h"

enum { GIVEN_BYTES, GIVEN_TEXT, GIVEN_TREE };

/* How code was compiled, as `record/asked.py` reads it. */
typedef struct __attribute__((packed)) {
    int32_t mode, flags;
    int8_t optimize;
    uint8_t namespace, kind, by_recorded;
} Form;

typedef struct {
    Form form;
    const char *name, *path, *text;   /* borrowed; the text may be a packed tree */
    size_t size;                      /* of the text */
    const char *source;               /* of a tree: its source if linecache has it, else NULL */
} Snippet;

typedef struct { const uint8_t *data; size_t size; } Known_answer;

/* Return the answer about the same code, valid until the next one is stored; data NULL: there is none. */
Known_answer snippets_find(const Snippet *snippet);
/* Store an answer, and take it over: the caller must not free it. */
void snippets_keep(const Snippet *snippet, uint8_t *answer, size_t size);
/* Pay for rewriting code that has no stored answer; false: the credit is too small. */
int snippets_can_pay(const Snippet *snippet);
/* Code was compiled: the credit grows. */
void snippets_earn(const Snippet *snippet);

/* A set of file names, by hash.  A new name can displace an older one. */
typedef struct { uint64_t hashes[256]; } Names;
int names_has(const Names *names, const Snippet *snippet);
/* Add the file name of a snippet; return whether it was not there. */
int names_add(Names *names, const Snippet *snippet);

#endif
