/*
 * call_touch.c - evaluates the rules of a function (foreign/function_rules.h) for the arguments of one call: the
 * memory and the objects that the call touches. It reads the program's memory as the function will. If a bad
 * pointer makes that fault, the call depends on all operations; if the function follows the pointer, too, the
 * program crashes (call.c).
 *
 * Left out are memory and state that no other thread can change or see: memory that cannot be written, hidden state
 * that no imported function writes, and the standard output where it is not judged. Blocks of the heap that only
 * this thread knows are marked (`own`): they are checked for errors, and are no part of the operation.
 */
#include "rt/call/call.h"

#include "rt/heap/heap.h"
#include "rt/hook/hook.h"
#include "rt/layout.h"
#include "rt/access/shared_access.h"
#include "trace/event.h"
#include "trace/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <wchar.h>

enum { REGISTERS = 6 };
/* The largest size of an extent. A larger one is a mistake, or stands for "no limit": the call depends on
 * all operations. */
static const uint64_t LONG = (uint64_t)1 << 31;

uint64_t rd_call_argument(const struct rd_call *c, unsigned n) {
    RD_ASSERT(n > 0 && n < RD_RULE_FIXED);
    return n <= REGISTERS ? c->frame->general[n - 1] : c->stack[n - 1 - REGISTERS];
}

static bool in_heap(uint64_t addr) { return addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT; }

/* Returns whether the table of shared memory says that no other thread uses the memory. */
static bool is_private(uint64_t addr, uint64_t size, bool writes) {
    return rd_rt.engine.world.unjoined && size && (writes || !rd_call_constant(addr)) &&
           rd_sharing_quietly(addr, size, writes);
}

void rd_call_add(struct rd_call *c, uint64_t addr, uint64_t size, bool writes, bool at_most) {
    addr = rd_mapped_files_twice ? rd_mapped_files_first(addr) : addr;
    bool own = rd_rt.sharing.version ? is_private(addr, size, writes)
                                     : in_heap(addr) && rd_heap_private_since(addr, c->own_from);
    if (own && c->to->count >= RD_EXTENTS_MAX / 2)
        return; /* half of the list is for memory that other threads may touch */
    if (!addr || !size || (!writes && rd_call_constant(addr)) || (own && at_most))
        return;
    c->wide |= size > LONG && !own;
    size = RD_MIN(size, LONG);
    struct rd_extent e = {.first = addr, .last = addr + RD_MIN(size, UINT64_MAX - addr) - 1, .bound = at_most};
    e.touch = writes ? RD_TOUCH_WRITE : RD_TOUCH_READ;
    e.own = own;
    c->wide |= !rd_extents_add(c->to, &e) && !own;
    RD_ASSERT(e.first <= e.last && c->to->count <= RD_EXTENTS_MAX);
}

void rd_call_add_object(struct rd_call *c, uint64_t name, unsigned touch) {
    RD_ASSERT(name && touch > RD_TOUCH_NONE && touch < RD_TOUCHES);
    struct rd_extent e = {.first = name, .last = name, .touch = (uint8_t)touch, .object = true};
    c->wide |= !rd_extents_add(c->to, &e);
}

uint64_t rd_call_state_name(uint64_t hash) {
    static_assert(RD_IO_NONE == 0, "no open file has a name in the first slot");
    return RD_FILES_AT + (hash & (RD_FILES_SLOT - 1));
}

/* ---- memory ---- */

/* Where the memory of a rule begins; 0: the pointer is null. */
static uint64_t start_of(const struct rd_call *c, const struct rd_rule *r) {
    RD_ASSERT(r->way <= RD_RULE_BEHIND);
    const uint64_t *at = (const uint64_t *)(uintptr_t)rd_call_argument(c, r->arg);
    if (r->way == RD_RULE_HERE || !at)
        return (uintptr_t)at;
    return at[r->way == RD_RULE_BEHIND];
}

/* One factor of a size: an argument, a difference of two, or a number stored at an argument. */
static uint64_t factor(const struct rd_call *c, const struct rd_rule *r, unsigned which) {
    RD_ASSERT(which < RD_COUNT(r->size_arg));
    uint64_t n = rd_call_argument(c, r->size_arg[which]);
    uint64_t less = which == 0 && r->less_arg ? rd_call_argument(c, r->less_arg) : 0;
    if (less)
        return n > less ? n - less : 0;
    RD_ASSERT(r->stored == 0 || r->stored == 4 || r->stored == 8);
    if (!r->stored || !n)
        return n;
    return r->stored == 4 ? *(const uint32_t *)(uintptr_t)n : *(const uint64_t *)(uintptr_t)n;
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t p;
    return __builtin_mul_overflow(a, b, &p) ? UINT64_MAX : p;
}

static uint64_t size_of(const struct rd_call *c, const struct rd_rule *r) {
    uint64_t n = r->bytes;
    RD_ASSERT(r->what == RD_RULE_BYTES);
    for (unsigned i = 0; i < RD_COUNT(r->size_arg); i++)
        if (r->size_arg[i])
            n = product(n, factor(c, r, i));
    return n;
}

uint64_t rd_call_string_size(uint64_t at, unsigned unit, uint64_t max) {
    static_assert(sizeof(wchar_t) == 4, "wide characters have four bytes");
    RD_ASSERT(unit == 1 || unit == sizeof(wchar_t));
    if (unit == 1) {
        uint64_t n = RD_REAL(strnlen)((const char *)(uintptr_t)at, max);
        return n < max ? n + 1 : n;
    }
    const wchar_t *s = (const wchar_t *)(uintptr_t)at;
    uint64_t n = 0;
    while (n < max && s[n])
        n++;
    return (n < max ? n + 1 : n) * unit;
}

/* The largest number of characters of a string. */
static uint64_t limit_of(const struct rd_call *c, const struct rd_rule *r) {
    return r->size_arg[0] ? rd_call_argument(c, r->size_arg[0]) : LONG;
}

/* Adds the memory of a rule with a size: bytes, strings, and results of formats. */
static void memory(struct rd_call *c, const struct rd_rule *r) {
    uint64_t at = start_of(c, r), size, other;
    if (!at)
        return;
    switch (r->what) {
    case RD_RULE_STRING:
        size = rd_call_string_size(at, r->unit, limit_of(c, r));
        break;
    case RD_RULE_LIKE:
        other = rd_call_argument(c, r->other);
        size = other ? rd_call_string_size(other, r->unit, limit_of(c, r)) : 0;
        if (r->behind)
            at += rd_call_string_size(at, r->unit, LONG) - r->unit;
        break;
    case RD_RULE_FORMED:
        size = rd_call_formed(c, r);
        if (size == UINT64_MAX) { /* not known before the call: at most as many bytes as there is room for */
            if (r->size_arg[0])
                rd_call_add(c, at, limit_of(c, r), r->writes, true);
            else
                c->wide = true;
            return;
        }
        size = RD_MIN(size, limit_of(c, r));
        break;
    default:
        size = size_of(c, r);
    }
    rd_call_add(c, at, size, r->writes, r->at_most);
}

static void parts(struct rd_call *c, const struct iovec *v, uint64_t count, bool writes) {
    for (uint64_t i = 0; v && i < count && !c->wide; i++)
        rd_call_add(c, (uintptr_t)v[i].iov_base, v[i].iov_len, writes, writes);
}

static void message(struct rd_call *c, const struct msghdr *m, bool writes) {
    if (!m)
        return;
    rd_call_add(c, (uintptr_t)m->msg_name, m->msg_namelen, writes, writes);
    rd_call_add(c, (uintptr_t)m->msg_control, m->msg_controllen, writes, writes);
    rd_call_add(c, (uintptr_t)m->msg_iov, m->msg_iovlen * sizeof *m->msg_iov, false, false);
    parts(c, m->msg_iov, m->msg_iovlen, writes);
}

static void list(struct rd_call *c, uint64_t at, bool writes) {
    const uint64_t *v = (const uint64_t *)(uintptr_t)at;
    uint64_t n = 0;
    for (; v && v[n] && !c->wide; n++)
        rd_call_add(c, v[n], rd_call_string_size(v[n], 1, LONG), false, false);
    if (v)
        rd_call_add(c, at, (n + 1) * sizeof *v, writes, false);
}

/* Adds the variable arguments, which are strings, from the second argument on. */
static void rest(struct rd_call *c) {
    uint64_t s;
    for (unsigned i = 2; (s = rd_call_argument(c, i)) != 0 && !c->wide; i++)
        rd_call_add(c, s, rd_call_string_size(s, 1, LONG), false, false);
}

/* Adds the whole block of the heap at an argument. */
static void block(struct rd_call *c, const struct rd_rule *r) {
    uint64_t at = rd_call_argument(c, r->arg);
    if (at && rd_heap_owns((const void *)(uintptr_t)at))
        rd_call_add(c, at, rd_heap_size((const void *)(uintptr_t)at), r->writes, true);
    else if (at)
        c->wide = true;
}

/* Adds the numbers that are not open among the descriptors of a poll(); the files of the others are the hook's. */
static void polled(struct rd_call *c, const struct pollfd *p, uint64_t count) {
    for (uint64_t i = 0; p && i < count && !c->wide; i++)
        if (p[i].fd >= 0 && rd_call_file_of(p[i].fd) == rd_call_number(p[i].fd))
            rd_call_add_object(c, rd_call_number(p[i].fd), RD_TOUCH_READ);
}

static void static_data(struct rd_call *c) {
    uint64_t first = 0, last = 0;
    rd_call_static_data(&first, &last);
    rd_call_add(c, first, last - first + 1, true, true);
}

/* Adds the string that strtok_r() goes on with. */
static void cut(struct rd_call *c, const struct rd_rule *r) {
    uint64_t at = rd_call_argument(c, r->arg), kept = rd_call_argument(c, r->other);
    if (!at && kept)
        at = *(const uint64_t *)(uintptr_t)kept;
    if (at)
        rd_call_add(c, at, rd_call_string_size(at, r->unit, LONG), true, true);
}

/* ---- objects ---- */

static unsigned touch_of(const struct rd_rule *r) { return r->writes ? RD_TOUCH_WRITE : RD_TOUCH_READ; }

static void stream(struct rd_call *c, const struct rd_rule *r) {
    const void *at = r->arg == RD_RULE_FIXED       ? stdin
                     : r->arg == RD_RULE_FIXED + 1 ? stdout
                     : r->arg == RD_RULE_FIXED + 2 ? stderr
                                                   : (const void *)(uintptr_t)rd_call_argument(c, r->arg);
    struct rd_stream_names n = rd_call_stream(at);
    if (n.stream) { /* inline functions of <stdio.h> (feof_unlocked) access the memory of the stream itself */
        rd_call_add_object(c, n.stream, touch_of(r));
        rd_call_add(c, n.stream, RD_STREAM_SIZE, r->writes, true);
    }
    if (n.file)
        rd_call_add_object(c, n.file, touch_of(r));
    c->wide |= n.wide;
}

/* Adds the object that stands for the names of all files on disk. */
static void use_names(struct rd_call *c, unsigned touch) {
    static const char names[] = "names";
    rd_call_add_object(c, rd_call_state_name(rd_rule_state(names, sizeof names - 1)), touch);
}

/* Adds the names of files, and the file that a path leads to. */
static void path(struct rd_call *c, const struct rd_rule *r) {
    const char *name = (const char *)(uintptr_t)rd_call_argument(c, r->arg);
    use_names(c, touch_of(r));
    int directory = r->other ? (int)rd_call_argument(c, r->other) : AT_FDCWD;
    uint64_t file = name ? rd_call_file_at(directory, name) : 0;
    if (file)
        rd_call_add_object(c, file, touch_of(r));
}

static void descriptor(struct rd_call *c, int fd, unsigned touch) {
    uint64_t file = rd_call_file_of(fd);
    if (file)
        rd_call_add_object(c, file, touch);
}

/* Adds the memory that a command of fcntl() touches. */
static void by_command(struct rd_call *c, const struct rd_rule *r) {
    RD_ASSERT(r->what == RD_RULE_FCNTL);
    int command = (int)rd_call_argument(c, r->arg);
    uint64_t at = rd_call_argument(c, r->arg + 1u);
    bool asks = command == F_GETLK || command == F_OFD_GETLK;
    bool locks = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    if (asks || locks)
        rd_call_add(c, at, sizeof(struct flock), asks, false);
    c->wide |= command == F_GETOWN_EX || command == F_SETOWN_EX || command == F_GET_RW_HINT ||
               command == F_SET_RW_HINT || command == F_GET_FILE_RW_HINT || command == F_SET_FILE_RW_HINT;
}

static void closes(struct rd_call *c, const FILE *f) {
    if (f && f->_fileno >= 0)
        rd_call_add_object(c, rd_call_number(f->_fileno), RD_TOUCH_ADD);
}

/* With MAP_FIXED, mmap() replaces the memory that is mapped there. */
static void mapping(struct rd_call *c, const struct rd_rule *r) {
    if (rd_call_argument(c, r->arg) & MAP_FIXED)
        rd_call_add(c, rd_call_argument(c, 1), rd_call_argument(c, 2), true, true);
}

bool rd_call_is_plain_number(uint64_t number) {
    static const long numbers[] = {SYS_futex, SYS_gettid, SYS_getpid, SYS_getppid,    SYS_sched_yield, SYS_kill,
                                   SYS_tkill, SYS_tgkill, SYS_exit,   SYS_exit_group, SYS_membarrier,  SYS_getcpu};
    for (unsigned i = 0; i < RD_COUNT(numbers); i++)
        if ((uint64_t)numbers[i] == number)
            return true;
    return false;
}

static void state(struct rd_call *c, const struct rd_rule *r) {
    RD_ASSERT(r->state);
    if (r->writes || rd_call_may_write(r->state))
        rd_call_add_object(c, rd_call_state_name(r->state), touch_of(r));
}

static void use_memory(struct rd_call *c, const struct rd_rule *r) {
    RD_ASSERT(r->what <= RD_RULE_CUT); /* the kinds of rules before it are about memory, those behind it are not */
    switch (r->what) {
    case RD_RULE_BYTES:
    case RD_RULE_STRING:
    case RD_RULE_LIKE:
    case RD_RULE_FORMED:
        memory(c, r);
        break;
    case RD_RULE_FORMAT:
    case RD_RULE_SCAN:
        rd_call_format(c, r);
        break;
    case RD_RULE_PARTS:
        parts(c, (const struct iovec *)(uintptr_t)rd_call_argument(c, r->arg), rd_call_argument(c, r->size_arg[0]),
              r->writes);
        break;
    case RD_RULE_MESSAGE:
        message(c, (const struct msghdr *)(uintptr_t)rd_call_argument(c, r->arg), r->writes);
        break;
    case RD_RULE_LIST:
        list(c, rd_call_argument(c, r->arg), r->writes);
        break;
    case RD_RULE_REST:
        rest(c);
        break;
    case RD_RULE_BLOCK:
        block(c, r);
        break;
    case RD_RULE_STATIC:
        static_data(c);
        break;
    case RD_RULE_VARIABLE:
        rd_call_add(c, r->state, r->bytes, r->writes, true);
        break;
    case RD_RULE_CUT:
        cut(c, r);
        break;
    default:
        rd_call_cxx(c, r);
    }
}

/* Adds the memory and the objects of one rule. */
static void one(struct rd_call *c, const struct rd_rule *r) {
    RD_ASSERT(r->what <= RD_RULE_CALLS);
    switch (r->what) {
    case RD_RULE_NULL:
        c->wide |= rd_call_argument(c, r->arg) == 0;
        break;
    case RD_RULE_FCNTL:
        by_command(c, r);
        break;
    case RD_RULE_CLOSES: /* ADD: two closes of one number commute, except for its file, which is an object, too */
        rd_call_add_object(c, rd_call_number((int)rd_call_argument(c, r->arg)), RD_TOUCH_ADD);
        break;
    case RD_RULE_FCLOSES:
        closes(c, (const FILE *)(uintptr_t)rd_call_argument(c, r->arg));
        break;
    case RD_RULE_POLLED:
        polled(c, (const struct pollfd *)(uintptr_t)rd_call_argument(c, r->arg),
               rd_call_argument(c, r->size_arg[0]));
        break;
    case RD_RULE_REPLACES:
        mapping(c, r);
        break;
    case RD_RULE_SYSCALL:
        c->wide |= !rd_call_is_plain_number(rd_call_argument(c, r->arg));
        break;
    case RD_RULE_STREAM:
        stream(c, r);
        break;
    case RD_RULE_FD:
        descriptor(c, (int)rd_call_argument(c, r->arg), touch_of(r));
        break;
    case RD_RULE_DIR:
        use_names(c, RD_TOUCH_READ);
        rd_call_add_object(c, rd_call_argument(c, r->arg), touch_of(r));
        break;
    case RD_RULE_PATH:
        path(c, r);
        break;
    case RD_RULE_STATE:
        state(c, r);
        break;
    case RD_RULE_WIDE:
        c->wide = true;
        break;
    case RD_RULE_CALLS:
        break;
    default:
        use_memory(c, r);
    }
}

void rd_call_touch(struct rd_call *c) {
    RD_ASSERT(c->to->count == 0 && !c->wide && c->callee->rule_count <= RD_RULES_MAX);
    for (uint32_t i = 0; i < c->callee->rule_count && !c->wide; i++)
        one(c, &c->callee->rules[i]);
}
