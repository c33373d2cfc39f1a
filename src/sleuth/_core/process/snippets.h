/* What was answered about code that the program compiles, so that the same code is asked about once. */
#ifndef SLEUTH_SNIPPETS_H
#define SLEUTH_SNIPPETS_H

#include "compat.h"

enum { GIVEN_BYTES, GIVEN_TEXT, GIVEN_TREE };

/* How it was compiled, as `record/asked.py` reads it. */
typedef struct __attribute__((packed)) {
    int32_t mode, flags;
    int8_t optimize;
    uint8_t namespace, kind, by_recorded;
} Form;

typedef struct {
    Form form;
    const char *name, *path, *text;   /* the caller's; the text may be a packed tree */
    size_t size;                      /* of the text */
    const char *source;               /* of a tree: what is known of it, may be NULL */
} Snippet;

typedef struct { const uint8_t *data; size_t size; } Known_answer;

/* The answer about the same code; its data is NULL if there is none.  It lasts until the next one is kept. */
Known_answer snippets_find(const Snippet *snippet);
/* Keep an answer: taken over. */
void snippets_keep(const Snippet *snippet, uint8_t *answer, size_t size);
/* Whether there is work to spare for code that was not met before, or for the same once more. */
int snippets_can_pay(const Snippet *snippet);
/* Code was compiled: from this the credit grows. */
void snippets_earn(const Snippet *snippet);

/* Names of files, as many as there is room for: the oldest may be forgotten. */
typedef struct { uint64_t hashes[256]; } Names;
int names_has(const Names *names, const Snippet *snippet);
/* Gives whether it was not there. */
int names_add(Names *names, const Snippet *snippet);

#endif
