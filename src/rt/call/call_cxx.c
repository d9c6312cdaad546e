/*
 * call_cxx.c - the memory of C++ library objects that functions of libstdc++ touch (foreign/function_rules.h):
 * strings, streams with their buffers, and nodes of maps and sets. Their layout is part of libstdc++'s ABI, which
 * does not change.
 */
#include "rt/call/call.h"

#include "trace/event.h"
#include "trace/place.h"

#include <stdio.h>

/* std::string. Short strings are in `inside`, long ones in the heap. */
struct cxx_string {
    uint64_t data, size;
    union {
        uint64_t capacity;
        char inside[16];
    };
};

static void string(struct rd_call *c, uint64_t at, bool writes) {
    const struct cxx_string *s = (const struct cxx_string *)(uintptr_t)at;
    if (!s)
        return;
    bool inside = s->data == (uintptr_t)s->inside;
    rd_call_add(c, at, sizeof *s, writes, writes);
    if (!inside)
        rd_call_add(c, s->data, writes ? s->capacity + 1 : s->size + 1, writes, writes);
}

/* std::streambuf: the table of virtual functions, three pointers for input, three for output, and a locale. */
struct cxx_buffer {
    uint64_t table, in[3], out[3], locale;
};
/* Of a stream: the index before its virtual table of the offset to its std::ios base; in that base, the offset of
 * the pointer to the buffer; the sizes of the base and of the part before it. */
enum { BASE_OF_IOS = 3, BUFFER_AT = 232, IOS_SIZE = 264, STREAM_SIZE = 16 };

/* The C stream that a standard stream of libstdc++ writes to, as long as it has its own buffer; NULL: it is none.
 */
static const void *standard(const void *stream) {
    extern char std_cout __asm__("_ZSt4cout") __attribute__((weak)),
        std_cerr __asm__("_ZSt4cerr") __attribute__((weak)), std_clog __asm__("_ZSt4clog") __attribute__((weak)),
        std_cin __asm__("_ZSt3cin") __attribute__((weak));
    if (stream == &std_cout)
        return stdout;
    if (stream == &std_cerr || stream == &std_clog)
        return stderr;
    return stream == &std_cin ? stdin : NULL;
}

/* Returns whether the address is in a module that is not instrumented. The buffers of the standard streams are,
 * unless rdbuf() has set other ones. */
static bool is_library(uint64_t at) {
    return rd_place_module(rd_place_of(at)) >= 0 && !rd_place_is_instrumented(at);
}

static void buffer(struct rd_call *c, uint64_t at) {
    const struct cxx_buffer *b = (const struct cxx_buffer *)(uintptr_t)at;
    if (!b)
        return;
    rd_call_add(c, at, sizeof *b, true, true);
    if (rd_place_is_instrumented(b->table)) /* a class of the program: the library calls its virtual functions */
        c->wide = c->calls = true;
    if (b->out[0] && b->out[2] > b->out[0])
        rd_call_add(c, b->out[0], b->out[2] - b->out[0], true, true);
    if (b->in[0] && b->in[2] > b->in[0])
        rd_call_add(c, b->in[0], b->in[2] - b->in[0], false, true);
    rd_call_add_object(c, at, RD_TOUCH_WRITE);
}

static void stream(struct rd_call *c, uint64_t at) {
    if (!at)
        return;
    const int64_t *table = *(const int64_t *const *)(uintptr_t)at;
    uint64_t ios = at + (uint64_t)table[-BASE_OF_IOS], in_use = *(const uint64_t *)(uintptr_t)(ios + BUFFER_AT);
    const void *behind = is_library(in_use) ? standard((const void *)(uintptr_t)at) : NULL;
    if (behind) {
        struct rd_stream_names n = rd_call_stream(behind);
        if (n.stream)
            rd_call_add_object(c, n.stream, RD_TOUCH_WRITE);
        if (n.file)
            rd_call_add_object(c, n.file, RD_TOUCH_WRITE);
        c->wide |= n.wide;
    }
    if (behind) { /* only reads: printing also sets the width to 0, but that orders no more operations than the
                     output does */
        rd_call_add(c, ios, IOS_SIZE, false, true);
        return;
    }
    rd_call_add(c, at, STREAM_SIZE, true, true);
    rd_call_add(c, ios, IOS_SIZE, true, true);
    buffer(c, in_use);
}

/* std::_Rb_tree_node_base */
struct cxx_node {
    uint64_t colour, parent, left, right;
};
enum {
    DEEP = 64
}; /* the height of a red-black tree is below 2 log2 (nodes + 1), which the list cannot hold anyway */

static void add_node(struct rd_call *c, uint64_t at, bool writes) {
    if (at)
        rd_call_add(c, at, sizeof(struct cxx_node), writes, true);
}

static const struct cxx_node *node_at(uint64_t at) { return (const struct cxx_node *)(uintptr_t)at; }

static void add_children(struct rd_call *c, uint64_t at, bool writes) {
    if (!at)
        return;
    add_node(c, node_at(at)->left, writes);
    add_node(c, node_at(at)->right, writes);
}

/* Adds the nodes on the way to the next node in order, and to the one before. */
static void add_next(struct rd_call *c, uint64_t at, bool writes) {
    uint64_t next = node_at(at)->right, before = node_at(at)->left;
    for (unsigned i = 0; next && i < DEEP && !c->wide; i++, next = node_at(next)->left)
        add_node(c, next, writes);
    for (unsigned i = 0; before && i < DEEP && !c->wide; i++, before = node_at(before)->right)
        add_node(c, before, writes);
}

/*
 * Adds a node, its neighbours in order, its ancestors, and the children of all these; if the function writes, also
 * their children, too: all nodes that rotations on the way up can touch. In a large tree these are more
 * than a list of extents can hold, and the call depends on all operations.
 */
static void tree(struct rd_call *c, uint64_t at, bool writes) {
    if (at)
        add_next(c, at, writes);
    for (unsigned i = 0; at && i < DEEP && !c->wide; i++) {
        const struct cxx_node *n = (const struct cxx_node *)(uintptr_t)at;
        add_node(c, at, writes);
        add_children(c, at, writes);
        if (writes) {
            add_children(c, n->left, writes);
            add_children(c, n->right, writes);
        }
        const struct cxx_node *up = (const struct cxx_node *)(uintptr_t)n->parent;
        if (up && up->parent == at) { /* the root and the header are each other's parents */
            add_node(c, n->parent, writes);
            return;
        }
        at = n->parent;
    }
}

void rd_call_cxx(struct rd_call *c, const struct rd_rule *r) {
    static_assert(sizeof(struct cxx_string) == 32 && sizeof(struct cxx_buffer) == 64 &&
                      sizeof(struct cxx_node) == 32,
                  "libstdc++'s ABI");
    RD_CHECK(r->what >= RD_RULE_CXX_STRING && r->what <= RD_RULE_CXX_TREE);
    uint64_t at = rd_call_argument(c, r->arg);
    if (r->what == RD_RULE_CXX_STRING)
        string(c, at, r->writes);
    else if (r->what == RD_RULE_CXX_STREAM || r->what == RD_RULE_CXX_STRING_STREAM)
        stream(c, at);
    else if (r->what == RD_RULE_CXX_TREE)
        tree(c, at, r->writes);
    else
        c->wide = true;
}
