/*
 * fds_back.c - puts the descriptors that were open at the checkpoint back after an execution (fds.h).
 *
 * Of the objects that an execution has touched, these need not be made anew: a pipe that was empty at the
 * checkpoint (this file empties it), an eventfd (its counter is written again), a pair of Unix sockets in which no
 * data waited, and a listener. All others are made anew. The kernel identifies the members of an epoll by their
 * open file descriptions, not by their numbers: if a member was made anew, the epoll must be, too. If no member was
 * ready at the checkpoint and the members were only emptied, one epoll_wait() is enough: it drops members that are
 * not ready any more from the ready list.
 */
#include "rt/io/fds.h"

#include "rt/isolate/kept.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/uio.h>

enum { EVENTS = 64 };

static struct rd_fds_kept *kept(void) { return &rd_kept()->open; }

static int fd_of(const struct rd_fds_object *o, unsigned side) {
    RD_CHECK(o->end[side] >= 0 && (uint32_t)o->end[side] < rd_fds.ends);
    return rd_fds.end[o->end[side]].fd;
}

/* Returns whether reading all data puts the object back: both ends were open, and no data waited. */
static bool can_empty(const struct rd_fds_object *o) {
    return o->end[0] >= 0 && o->end[1] >= 0 && !o->content[0].parts && !o->content[1].parts;
}

/* Puts the counter of an eventfd back. Reads it first, in a way that does not block; -EAGAIN: it is 0. */
static bool event_back(const struct rd_fds_object *o) {
    int fd = fd_of(o, 0);
    uint64_t now;
    struct {
        void *at;
        uint64_t size;
    } part = {&now, sizeof now};
    RD_CHECK(o->kind == RD_FDS_EVENT && o->value != UINT64_MAX);
    long r = rd_raw(SYS_preadv2, fd, &part, 1L, -1L, -1L, (long)RWF_NOWAIT);
    if (r != sizeof now && r != -EAGAIN)
        return false;
    return !o->value || rd_raw(SYS_write, fd, &o->value, sizeof o->value) == sizeof o->value;
}

/* Puts an object back without making it anew; false: it must be made anew. */
static bool content_back(unsigned object) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    RD_CHECK(kept()->touched[object]);
    if (kept()->touched[object] & RD_FDS_SHAPE)
        return false;
    switch ((enum rd_fds_kind)o->kind) {
    case RD_FDS_PIPE:
        if (!can_empty(o))
            return false;
        rd_fds_empty_pipe(fd_of(o, 0));
        return true;
    case RD_FDS_EVENT:
        return !o->semaphore && event_back(o);
    case RD_FDS_LINK: /* a TCP connection is not the same after it was used: its buffers have grown */
    case RD_FDS_PAIR:
        if (!can_empty(o) || o->domain != AF_UNIX)
            return false;
        rd_fds_empty_socket(fd_of(o, 0));
        rd_fds_empty_socket(fd_of(o, 1));
        return true;
    case RD_FDS_LISTENER:
        rd_fds_empty_listener(fd_of(o, 0));
        return true;
    case RD_FDS_PLAIN:
        return true;
    case RD_FDS_EPOLL:
        break;
    }
    return false;
}

/* The same for an epoll. made: by object, 1 if it was made anew after this execution. */
static bool epoll_back(unsigned object, const bool made[RD_FDS_MAX]) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    struct epoll_event events[EVENTS];
    bool touched = kept()->touched[object], anew = kept()->touched[object] & RD_FDS_SHAPE;
    RD_CHECK(o->kind == RD_FDS_EPOLL);
    for (uint32_t i = 0; i < o->members; i++) {
        int member = rd_fds.end[o->member[i].end].object;
        RD_CHECK(member >= 0 && (uint32_t)member < rd_fds.objects && (unsigned)member != object);
        touched |= kept()->touched[member];
        anew |= made[member];
    }
    if (!touched && !anew)
        return true;
    kept()->touched[object] |= RD_FDS_CONTENT; /* for an epoll that has this one as a member */
    if (!anew && o->quiet && rd_raw(SYS_epoll_pwait, fd_of(o, 0), events, (long)EVENTS, 0L, NULL, 8L) == 0)
        return true;
    return false;
}

/* Opens the numbers of plain ends again that the execution has closed, from their hidden duplicates, which it
 * closes.
 */
static bool plain_back(void) {
    struct rd_fds_kept *k = kept();
    bool right = true;
    for (uint32_t i = 0; i < rd_fds.numbers; i++) {
        const struct rd_fds_number *n = &rd_fds.number[i];
        if (!k->gone[i] || rd_fds.object[rd_fds.end[n->end].object].kind != RD_FDS_PLAIN)
            continue;
        RD_CHECK(k->gone[i] != RD_FDS_CLOSED || k->spare[n->end] > rd_fds.hidden);
        if (k->gone[i] == RD_FDS_CLOSED)
            right &= rd_raw(SYS_dup3, k->spare[n->end] - 1, n->fd, (long)(n->cloexec ? O_CLOEXEC : 0)) == n->fd;
        else
            right &= rd_raw(SYS_fcntl, n->fd, (long)F_SETFD, (long)n->cloexec) == 0;
        k->gone[i] = 0;
    }
    for (uint32_t i = 0; i < rd_fds.ends; i++) {
        if (k->spare[i])
            rd_raw(SYS_close, k->spare[i] - 1);
        k->spare[i] = 0;
    }
    return right;
}

static void numbers_back(void) {
    for (uint32_t i = 0; i < rd_fds.numbers; i++)
        kept()->end_of[rd_fds.number[i].fd] = (uint16_t)(rd_fds.number[i].end + 1);
}

/* The state between two executions: all numbers and flags are as the notes say. */
static bool is_back(void) {
    const struct rd_fds_kept *k = kept();
    bool back = !k->written && !k->paths;
    for (uint32_t i = 0; i < rd_fds.numbers; i++)
        back &= !k->gone[i] && k->end_of[rd_fds.number[i].fd] == rd_fds.number[i].end + 1;
    for (uint32_t i = 0; i < rd_fds.ends; i++)
        back &= !k->spare[i] && !k->flags[i] && k->flags_now[i] == rd_fds.end[i].flags;
    for (uint32_t i = 0; i < rd_fds.objects; i++)
        back &= !k->touched[i];
    return back;
}

void rd_fds_begin(void) {
    RD_CHECK(!kept()->changed && !kept()->released);
    numbers_back();
    for (uint32_t i = 0; i < rd_fds.ends; i++)
        kept()->flags_now[i] = rd_fds.end[i].flags;
}

bool rd_fds_back(void) {
    struct rd_fds_kept *k = kept();
    bool made[RD_FDS_MAX] = {false}, right = true;
    k->unlinks = k->fifos_unlinked = 0;
    RD_ASSERT(k->changed || is_back());
    if (!k->changed)
        return true;
    RD_CHECK(!k->released);
    right &= !k->paths || rd_fds_fifos_back();
    rd_fds_path_back();
    right &= plain_back();
    right &= rd_fds_files_back(k->written);
    k->written = 0;
    for (unsigned i = 0; i < rd_fds.objects; i++) {
        unsigned at = rd_fds.order[i];
        bool epoll = rd_fds.object[at].kind == RD_FDS_EPOLL;
        RD_CHECK(at < rd_fds.objects && !made[at]); /* order is a permutation */
        if (epoll ? !epoll_back(at, made) : k->touched[at] && !content_back(at)) {
            made[at] = true;
            right &= rd_fds_make(at);
        }
    }
    for (uint32_t i = 0; i < rd_fds.objects; i++)
        k->touched[i] = 0;
    for (uint32_t i = 0; i < rd_fds.ends; i++) {
        if (k->flags[i])
            right &= rd_raw(SYS_fcntl, rd_fds.end[i].fd, (long)F_SETFL, (long)rd_fds.end[i].flags) == 0;
        k->flags[i] = 0;
        k->flags_now[i] = rd_fds.end[i].flags;
    }
    numbers_back();
    k->changed = 0;
    RD_CHECK(!right || is_back());
    return right;
}
