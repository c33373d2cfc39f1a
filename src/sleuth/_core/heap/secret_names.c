/* The rule by which a name means a secret; the core and the collector share it.
 *
 * A name means a secret if it contains one of the names in the user's list.  Capitals count as small letters,
 * in any script.  ASCII characters other than letters and digits separate words, and so does a capital inside
 * a name: `apiKey` and `X-Api-Key` contain `api_key`.  A listed name of few Latin letters, such as `pwd`, is
 * often part of an unrelated word: it must be a word of its own.
 */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include "secret_names.h"

#include "ring.h"

#define MOST_SECRETS (RING_SECRETS / 2)
#define LONGEST_WORD 4       /* a listed name up to this length must be a word of its own */
#define ROOM 512             /* for names of usual length */
#define OTHER_LETTER (1u << 31)

typedef struct { const char *text; size_t size; uint32_t letters; int is_word; } Secret;

static struct {
    int is_loaded, count;
    Py_ssize_t shortest;
    char given[RING_SECRETS];
    char folded[2 * RING_SECRETS];   /* (a small letter can have more bytes than its capital) */
    Secret secrets[MOST_SECRETS];
} list;

/* --- names in one form */

static inline Py_UCS4
folded(Py_UCS4 c)
{
    if (c < 128) {
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    }
    return Py_UNICODE_TOLOWER(Py_UNICODE_TOUPPER(c));   /* (some letters have two small forms) */
}

static inline int
is_separator(Py_UCS4 c)
{
    return c < 128 && !Py_ISALNUM((unsigned char)c);
}

static inline uint32_t
letter(Py_UCS4 c)
{
    c = folded(c);
    return c >= 128 ? OTHER_LETTER : c >= 'a' && c <= 'z' ? 1u << (c - 'a') : 0;
}

static char *
put_utf8(char *p, Py_UCS4 c)
{
    if (c < 0x80) {
        *p++ = (char)c;
        return p;
    }
    if (c < 0x800) {
        *p++ = (char)(0xC0 | c >> 6);
    }
    else {
        if (c < 0x10000) {
            *p++ = (char)(0xE0 | c >> 12);
        }
        else {
            *p++ = (char)(0xF0 | c >> 18);
            *p++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *p++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *p++ = (char)(0x80 | (c & 0x3F));
    return p;
}

#define CHARACTER(name, i) PyUnicode_READ((name).kind, (name).data, (i))

/* Tell whether a capital begins a word: it follows a character that is no capital, or a small letter follows
 * it, as in `APIKey`. */
static int
begins_word(Name name, Py_ssize_t at)
{
    return at > 0 && Py_UNICODE_ISUPPER(CHARACTER(name, at))
        && (!Py_UNICODE_ISUPPER(CHARACTER(name, at - 1))
            || (at + 1 < name.length && Py_UNICODE_ISLOWER(CHARACTER(name, at + 1))));
}

/* Write a name in small letters, with one `_` between words; returns the end. */
static char *
fold(char *p, Name name, int splits)
{
    const char *begin = p;
    for (Py_ssize_t i = 0; i < name.length; i++) {
        Py_UCS4 c = CHARACTER(name, i);
        int separates = is_separator(c);
        if ((separates || (splits && begins_word(name, i))) && (p == begin || p[-1] != '_')) {
            *p++ = '_';
        }
        if (!separates) {
            p = put_utf8(p, folded(c));
        }
    }
    return p;
}

/* --- the list of secrets */

/* Decode UTF-8, invalid bytes as they are; return the number of characters. */
static Py_ssize_t
read_utf8(Py_UCS4 *out, const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    Py_UCS4 *first = out;
    while (p < end) {
        int more = *p < 0xC2 ? 0 : *p < 0xE0 ? 1 : *p < 0xF0 ? 2 : *p < 0xF5 ? 3 : 0;
        Py_UCS4 c = more ? *p & (0x3F >> more) : *p;
        int i = 1;
        while (i <= more && p + i < end && (p[i] & 0xC0) == 0x80) {
            c = c << 6 | (p[i++] & 0x3F);
        }
        if (i <= more || c > 0x10FFFF) {
            c = *p;
            i = 1;
        }
        *out++ = c;
        p += i;
    }
    return out - first;
}

static void
add_secret(char *begin, const char *end)
{
    Secret *secret = &list.secrets[list.count++];
    *secret = (Secret){begin, (size_t)(end - begin), 0, end - begin <= LONGEST_WORD};
    for (const char *p = begin; p < end; p++) {
        secret->letters |= (unsigned char)*p >= 128 ? OTHER_LETTER : letter((unsigned char)*p);
        secret->is_word &= *p >= 'a' && *p <= 'z';
    }
}

/* Load the list: names in UTF-8, each ended by a 0, and another 0 at the end. */
static void
load(const char *given)
{
    static Py_UCS4 text[RING_SECRETS];
    char *p = list.folded;
    list.is_loaded = 1;
    list.count = 0;
    list.shortest = RING_SECRETS;
    memcpy(list.given, given, RING_SECRETS);
    while (*given && list.count < MOST_SECRETS) {
        size_t size = strlen(given);
        Name name = {PyUnicode_4BYTE_KIND, text, read_utf8(text, given, size)};
        char *end = fold(p, name, 0);
        add_secret(p, end);
        list.shortest = name.length < list.shortest ? name.length : list.shortest;
        p = end;
        given += size + 1;
    }
}

/* --- comparing */

static inline int
is_latin(char c)
{
    return c >= 'a' && c <= 'z';
}

/* Tell whether the text at this place is a word, or its plural. */
static int
is_word_at(const char *begin, const char *end, const char *at, size_t size)
{
    const char *behind = at + size;
    if (at > begin && is_latin(at[-1])) {
        return 0;
    }
    behind += behind < end && *behind == 's';
    return behind == end || !is_latin(*behind);
}

static int
contains_secret(const char *begin, const char *end, uint32_t letters)
{
    for (int i = 0; i < list.count; i++) {
        const Secret *secret = &list.secrets[i];
        if (secret->letters & ~letters) {
            continue;
        }
        const char *at = begin;
        while ((at = memmem(at, (size_t)(end - at), secret->text, secret->size)) != NULL) {
            if (!secret->is_word || is_word_at(begin, end, at, secret->size)) {
                return 1;
            }
            at++;
        }
    }
    return 0;
}

/* A quick check by the letters that occur: most names lack a letter of each listed name. */
static int
may_contain_secret(Name name, uint32_t *letters)
{
    uint32_t found = 0;
    for (Py_ssize_t i = 0; i < name.length; i++) {
        found |= letter(CHARACTER(name, i));
    }
    *letters = found;
    for (int i = 0; i < list.count; i++) {
        if (!(list.secrets[i].letters & ~found)) {
            return 1;
        }
    }
    return 0;
}

int
secret_names_has(Name name)
{
    uint32_t letters;
    char small[ROOM];
    if (!may_contain_secret(name, &letters)) {
        return 0;
    }
    size_t most = (size_t)name.length * 5;
    char *text = most <= ROOM ? small : PyMem_RawMalloc(most);
    if (!text) {
        return 1;   /* no memory to compare it: it is hidden */
    }
    int found = contains_secret(text, fold(text, name, 0), letters)
        || contains_secret(text, fold(text, name, 1), letters);
    if (text != small) {
        PyMem_RawFree(text);
    }
    return found;
}

int
secret_names_has_utf8(const char *text, size_t size)
{
    Py_UCS4 small[ROOM];
    int is_ascii = 1;
    for (size_t i = 0; i < size; i++) {
        is_ascii &= (unsigned char)text[i] < 128;
    }
    if (is_ascii) {
        return secret_names_has((Name){PyUnicode_1BYTE_KIND, text, (Py_ssize_t)size});
    }
    Py_UCS4 *read = size <= ROOM ? small : PyMem_RawMalloc(size * sizeof(Py_UCS4));
    if (!read) {
        return 1;
    }
    int found = secret_names_has((Name){PyUnicode_4BYTE_KIND, read, read_utf8(read, text, size)});
    if (read != small) {
        PyMem_RawFree(read);
    }
    return found;
}

Py_ssize_t
secret_names_shortest(void)
{
    if (!list.is_loaded) {
        load(ring.control->secrets);
    }
    return list.shortest;
}

/* --- for the collector */

PyDoc_STRVAR(hides_doc,
"hides(secrets, name)\n--\n\n"
"Tell whether a value with this name is hidden.  The secrets are in UTF-8, each with a 0.");

static PyObject *
hides(PyObject *module, PyObject *args)
{
    const char *given, *name;
    Py_ssize_t size, name_size;
    char whole[RING_SECRETS] = {0};
    if (!PyArg_ParseTuple(args, "y#s#", &given, &size, &name, &name_size)) {
        return NULL;
    }
    if (size >= RING_SECRETS) {
        PyErr_SetString(PyExc_ValueError, "the list of secret names is too long");
        return NULL;
    }
    memcpy(whole, given, (size_t)size);
    if (!list.is_loaded || memcmp(list.given, whole, RING_SECRETS) != 0) {
        load(whole);
    }
    return PyBool_FromLong(secret_names_has_utf8(name, (size_t)name_size));
}

static PyMethodDef methods[] = {
    {"hides", hides, METH_VARARGS, hides_doc},
    {NULL},
};

int
secret_names_init(PyObject *module)
{
    return PyModule_AddFunctions(module, methods);
}
