/*
 * stream.c - streams and their locks (stream.h). A stream calls libc's internal read and write, which no hook sees.
 * So when the program makes a stream of a pipe or a socket (fdopen), the hook makes it with fopencookie, over
 * functions that read and write as the hooks do: an own stream.
 */
#include "rt/hook/io/stream.h"

#include "rt/call/call.h"
#include "rt/hook/io/io.h"
#include "trace/event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BY_CALLER = 0x8000 }; /* glibc's _IO_USER_LOCK, set by __fsetlocking: calls on the stream do not lock it */

/* A stream that lets other threads run during its calls: an own stream, or one that the program made with
 * fopencookie. */
struct hooked_stream {
    FILE *file;
    int fd;      /* of an own stream; -1: the program's functions read and write */
    uint64_t pc; /* the program's last call on the stream */
    struct hooked_stream *next;
};

bool rd_streams_special;
static bool locked_by_hand; /* a module imports flockfile (rd_stream_locks) */
static struct hooked_stream *streams;

void rd_stream_locks(void) { rd_streams_special = locked_by_hand = true; }

static struct hooked_stream *find(const FILE *f) {
    struct hooked_stream *s = streams;
    while (s && s->file != f)
        s = s->next;
    return s;
}

static struct hooked_stream *add(FILE *f, int fd) {
    rd_rt_enter();
    struct hooked_stream *s = rd_arena_alloc(&rd_rt.arena, sizeof *s);
    *s = (struct hooked_stream){.file = f, .fd = fd, .next = streams};
    streams = s;
    rd_streams_special = true;
    rd_rt_leave();
    return s;
}

static void forget(const FILE *f) {
    for (struct hooked_stream **s = &streams; *s; s = &(*s)->next)
        if ((*s)->file == f) {
            *s = (*s)->next;
            return;
        }
}

/* ---- locks ---- */

/* The thread that holds the stream's lock in the model, or RD_TID_NONE. */
static rd_tid owner(const FILE *f) {
    const struct rd_object *o = rd_world_find(&rd_rt.engine.world, (uintptr_t)f, RD_OBJ_MUTEX);
    return o ? o->mutex.owner : RD_TID_NONE;
}

static bool held_by_another(const FILE *f) {
    rd_tid tid = owner(f);
    return tid != RD_TID_NONE && tid != rd_self->tid;
}

static int operate(unsigned kind, const FILE *f, uint64_t pc) {
    return rd_rt_op(
               (struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)f, .arg = RD_MUTEX_RECURSIVE, .pc = pc})
        .error;
}

struct rd_stream_hold rd_stream_take(FILE *f, uint64_t pc) {
    struct rd_stream_hold h = {NULL, pc};
    struct hooked_stream *s = find(f);
    bool mine = owner(f) == rd_self->tid;
    if (!mine && (s || locked_by_hand || held_by_another(f)) && !(f->_flags & BY_CALLER)) {
        operate(RD_OP_MUTEX_LOCK, f, pc);
        RD_ASSERT(owner(f) == rd_self->tid);
        h.stream = f;
    }
    if (s)
        s->pc = pc;
    return h;
}

void rd_stream_give(struct rd_stream_hold *h) {
    if (h->stream)
        operate(RD_OP_MUTEX_UNLOCK, h->stream, h->pc);
}

void rd_stream_touch(FILE *f, uint64_t pc) {
    if (!f || rd_rt.engine.world.unjoined == 0)
        return;
    int saved = errno;
    struct rd_stream_names n = find(f) ? (struct rd_stream_names){(uintptr_t)f, 0, false} : rd_call_stream(f);
    struct rd_call_object objects[] = {{n.stream, RD_TOUCH_WRITE, RD_STREAM_SIZE}, {n.file, RD_TOUCH_WRITE, 0}};
    if (n.wide)
        rd_call_objects_wide(objects, RD_COUNT(objects), f, pc);
    else
        rd_call_objects(objects, RD_COUNT(objects), f, pc);
    errno = saved;
}

RD_EXPORT void flockfile(FILE *f) {
    if (!rd_rt_active()) {
        RD_REAL(flockfile)(f);
        return;
    }
    rd_streams_special = true;
    operate(RD_OP_MUTEX_LOCK, f, RD_PC());
}

RD_EXPORT int ftrylockfile(FILE *f) {
    if (!rd_rt_active())
        return RD_REAL(ftrylockfile)(f);
    rd_streams_special = true;
    return operate(RD_OP_MUTEX_TRYLOCK, f, RD_PC());
}

RD_EXPORT void funlockfile(FILE *f) {
    if (!rd_rt_active())
        RD_REAL(funlockfile)(f);
    else if (operate(RD_OP_MUTEX_UNLOCK, f, RD_PC()) != 0)
        rd_hook_misuse("funlockfile of a stream that the thread has not locked", RD_PC());
}

/* ---- own streams ---- */

static ssize_t own_read(void *cookie, char *to, size_t size) {
    const struct hooked_stream *s = cookie;
    return rd_hook_read(s->fd, to, size, s->pc);
}

/* A cookie_write_function_t returns 0 for an error. */
static ssize_t own_write(void *cookie, const char *from, size_t size) {
    const struct hooked_stream *s = cookie;
    ssize_t n = rd_hook_write(s->fd, from, size, s->pc);
    return n < 0 ? 0 : n;
}

static int own_close(void *cookie) {
    const struct hooked_stream *s = cookie;
    return rd_hook_close(s->fd, s->pc);
}

/*
 * Gives the stream a buffer of the size that libc would choose: the size decides when the stream writes its data.
 */
static void set_buffer(FILE *f, int fd) {
    struct stat st;
    rd_rt_enter();
    if (fstat(fd, &st) == 0 && st.st_blksize > 0 && st.st_blksize <= 1 << 20)
        setvbuf(f, rd_arena_alloc(&rd_rt.arena, (size_t)st.st_blksize), _IOFBF, (size_t)st.st_blksize);
    rd_rt_leave();
}

/* False for a stream that libc would refuse (EINVAL), and for one that never blocks: libc makes those. */
static bool can_own(int fd, const char *mode) {
    if (!rd_rt_active())
        return false;
    struct rd_io_look at = rd_io_look(fd);
    bool both = strchr(mode, '+') != NULL;
    bool reads = both || mode[0] == 'r', writes = both || mode[0] != 'r';
    int allowed = at.flags & O_ACCMODE;
    return at.file && strchr("rwa", mode[0]) && mode[0] && at.file->kind != RD_IO_TERMINAL &&
           !(reads && allowed == O_WRONLY) && !(writes && allowed == O_RDONLY);
}

static FILE *own_stream(int fd, const char *mode) {
    struct hooked_stream *s = add(NULL, fd);
    cookie_io_functions_t calls = {.read = own_read, .write = own_write, .close = own_close};
    s->file = RD_REAL(fopencookie)(s, mode, calls);
    if (s->file)
        set_buffer(s->file, fd);
    return s->file;
}

RD_EXPORT FILE *fdopen(int fd, const char *mode) {
    return can_own(fd, mode) ? own_stream(fd, mode) : RD_REAL(fdopen)(fd, mode);
}

RD_EXPORT FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t calls) {
    FILE *f = RD_REAL(fopencookie)(cookie, mode, calls);
    if (f && rd_rt_active())
        add(f, -1);
    return f;
}

/* Returns whether the stream is an own stream, and its descriptor: libc's fileno() of it would be -1. */
static bool own(const FILE *f, int *fd) {
    const struct hooked_stream *s = rd_streams_special && f ? find(f) : NULL;
    *fd = s ? s->fd : -1;
    return *fd >= 0;
}

RD_EXPORT int fileno(FILE *f) {
    int fd;
    return own(f, &fd) ? fd : RD_REAL(fileno)(f);
}

RD_EXPORT int fileno_unlocked(FILE *f) {
    int fd;
    return own(f, &fd) ? fd : RD_REAL(fileno_unlocked)(f);
}

/* ---- the end of a stream, and all of them at once ---- */

RD_EXPORT int fclose(FILE *f) {
    if (rd_hook_on())
        rd_stream_touch(f, RD_PC());
    if (!rd_streams_special || !rd_rt_active())
        return RD_REAL(fclose)(f);
    struct rd_stream_hold h = rd_stream_take(f, RD_PC());
    int r = RD_REAL(fclose)(f);
    rd_self->ignore++; /* the stream's memory, with its lock, is freed: the unlock must not be checked against it */
    rd_stream_give(&h);
    rd_self->ignore--;
    rd_rt_enter();
    forget(f);
    rd_world_forget(&rd_rt.engine.world, (uintptr_t)f);
    rd_rt_leave();
    return r;
}

/* A stream that could switch threads when it is flushed: it has data to write, or another thread holds its lock. */
static FILE *unflushed(void) {
    for (struct hooked_stream *s = streams; s; s = s->next)
        if (s->file && (s->file->_IO_write_ptr > s->file->_IO_write_base || held_by_another(s->file)))
            return s->file;
    return NULL;
}

/*
 * libc's lock of the list of all streams must not be held while threads are switched, so fflush(NULL) flushes the
 * streams where that can happen before it calls libc.
 */
RD_EXPORT int fflush(FILE *f) {
    int r = 0;
    while (!f && rd_streams_special && rd_hook_on()) {
        FILE *next = unflushed();
        if (!next)
            break;
        struct rd_stream_hold h = rd_stream_take(next, RD_PC());
        r |= RD_REAL(fflush)(next);
        rd_stream_give(&h);
        if (r)
            break; /* the data stays in the buffer of a stream that cannot be written */
    }
    if (!f && rd_hook_on())
        rd_call_objects_wide(NULL, 0, RD_REAL(fflush), RD_PC());
    if (!f)
        return RD_REAL(fflush)(NULL) | r;
    RD_STREAM_LOCKED(f);
    return RD_REAL(fflush)(f);
}
