/* The globals of recorded modules.
 *
 * A store by the module's own recorded code is an event with the name of the variable.  Other code sets
 * globals too: a test that patches a module, `from x import *`, `setattr(module, ...)`.  The version of the
 * dictionary shows that something was stored there; a hash of its contents shows whether other code did it.
 * Names like `__spec__` belong to the interpreter and are left out.
 */
#include "namespace.h"

#include "heap.h"
#include "identity.h"
#include "thread.h"
#include "write.h"

#define MOST 4096            /* modules; for further ones only stores by recorded code are noticed */
#define REMEMBERED 256

typedef struct {
    PyObject *dict;          /* only compared, unless a frame of the module runs */
    uint32_t number;         /* its object number; 0: its contents are not in this trace yet */
    uint32_t module;         /* the module whose stores are events; other stores are found by comparing */
    uint32_t world;          /* heap_world when it was last looked at */
    int is_set;              /* recorded code has set a name there without an event */
    uint32_t hash;
    uint64_t version;
} Namespace;

static Namespace *namespaces[MOST];
static int count;
static Namespace *cache[REMEMBERED];
static Namespace *stored;    /* recorded code is just setting a name there */

static inline uint64_t
version_of(PyObject *dict)
{
    return ((PyDictObject *)dict)->ma_version_tag;
}

static Namespace *
find(PyObject *dict)
{
    Namespace **slot = &cache[((uintptr_t)dict >> 5) % REMEMBERED];
    if (likely(*slot && (*slot)->dict == dict)) {
        return *slot;
    }
    for (int i = 0; i < count; i++) {
        if (namespaces[i]->dict == dict) {
            return *slot = namespaces[i];
        }
    }
    return NULL;
}

static void
settle(Namespace *namespace)
{
    namespace->version = version_of(namespace->dict);
    namespace->world = heap_world;
    namespace->is_set = 0;
}

void
namespace_begin(PyObject *globals, uint32_t module, int is_modest)
{
    Namespace *other = is_modest ? find(globals) : NULL;
    if (other && other->module != module && other->number) {
        return;
    }
    Known *known = heap_is_on && PyDict_CheckExact(globals) ? identity_known(globals) : NULL;
    Namespace *namespace = known ? find(globals) : NULL;
    if (!known || (!namespace && count == MOST)) {
        return;
    }
    if (!namespace) {
        namespace = PyMem_RawCalloc(1, sizeof(Namespace));
        if (!namespace) {
            return;
        }
        namespaces[count++] = namespace;
    }
    namespace->dict = globals;
    namespace->module = module;
    namespace->number = known->number;
    heap_own(globals);
    namespace->hash = heap_names_hash(globals);
    heap_write_names(globals, 0, 0, 0);
    settle(namespace);
}

/* The module's body ran before this trace began: write its globals now, and the module's name. */
static void
tell_late(PyObject *globals)
{
    Namespace *namespace = find(globals);
    namespace_begin(globals, namespace ? namespace->module : 0, 0);
    namespace = find(globals);
    PyObject *name = PyDict_GetItemString(globals, "__name__");
    if (namespace && namespace->number && name && PyUnicode_CheckExact(name)) {
        DEFINE(300, {
            *p++ = KIND_NAME;
            *p++ = NAME_OF_NAMESPACE;
            p = put_varint(p, (uint64_t)namespace->number << 1);
            VALUE(name);
        });
    }
}

void
namespaces_begin_anew(void)
{
    for (int i = 0; i < count; i++) {
        namespaces[i]->number = 0;
    }
    stored = NULL;
}

uint64_t
namespace_id(PyObject *globals)
{
    Namespace *namespace = heap_is_on ? find(globals) : NULL;
    return namespace ? (uint64_t)namespace->number << 1 : 0;
}

int
namespace_is_of(PyObject *globals, uint32_t module)
{
    Namespace *namespace = heap_is_on ? find(globals) : NULL;
    return namespace && namespace->number && namespace->module == module;
}

static void
look(Namespace *namespace, int cause, uint64_t place)
{
    if (heap_can_pay((PyObject *)namespace->dict)) {
        uint32_t hash = heap_names_hash(namespace->dict);
        if (hash != namespace->hash) {
            namespace->hash = hash;
            heap_write_names(namespace->dict, cause, place, namespace->world);
        }
    }
    settle(namespace);
}

void
namespace_check(PyObject *globals)
{
    namespace_settle();
    Namespace *namespace = find(globals);
    if (namespace && unlikely(!namespace->number)) {
        tell_late(globals);
    }
    else if (namespace && unlikely(version_of(globals) != namespace->version)) {
        if (namespace->world != heap_world || namespace->is_set) {
            look(namespace, CAUSE_LATER, 0);
        }
        else {
            namespace->version = version_of(globals);
        }
    }
}

int
namespace_look(PyObject *globals, uint64_t place)
{
    Namespace *namespace = count ? find(globals) : NULL;
    if (!namespace || !namespace->number) {
        return namespace != NULL;
    }
    namespace_settle();
    if (version_of(globals) != namespace->version) {
        look(namespace, CAUSE_CALL, place);
    }
    return 1;
}

void
namespace_store(PyObject *globals, PyObject *name, PyObject *value, uint32_t module)
{
    Namespace *namespace = find(globals);
    if (namespace && namespace->number && namespace->module == module) {
        namespace->hash += heap_name_change(globals, name, value);
        stored = namespace;
    }
}

void
namespace_note_set(PyObject *globals)
{
    Namespace *namespace = count ? find(globals) : NULL;
    if (namespace) {
        namespace->is_set = 1;
    }
}

void
namespace_settle(void)
{
    if (stored) {
        stored->version = version_of(stored->dict);
        stored = NULL;
    }
}
