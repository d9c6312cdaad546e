/*
 * fds_option.c - the options of a socket that is made anew. It asks the old socket and a new one for the value of
 * every option and notes the options that differ. Options that are no settings (the peer, the pending error) are
 * left out.
 */
#include "rt/io/fds.h"

#include "rt/raw.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

enum { SOCKET_OPTIONS = 82 }; /* the options of SOL_SOCKET have numbers below this */

/* Options of SOL_SOCKET that are no settings, or that getsockopt() changes. Options without a macro in older
 * headers are numbers of <asm-generic/socket.h>. */
static const uint8_t not_settings[] = {SO_TYPE,
                                       SO_ERROR,
                                       SO_PEERCRED,
                                       26 /* SO_GET_FILTER */,
                                       SO_PEERNAME,
                                       SO_ACCEPTCONN,
                                       SO_PEERSEC,
                                       SO_PROTOCOL,
                                       SO_DOMAIN,
                                       SO_INCOMING_CPU,
                                       55 /* SO_MEMINFO */,
                                       56 /* SO_INCOMING_NAPI_ID */,
                                       57 /* SO_COOKIE */,
                                       59 /* SO_PEERGROUPS */,
                                       71 /* SO_NETNS_COOKIE */,
                                       77 /* SO_PEERPIDFD */};

/* Settings of other levels. */
static const struct {
    int level, name;
} others[] = {
    {IPPROTO_TCP, TCP_NODELAY},   {IPPROTO_TCP, TCP_CORK},         {IPPROTO_TCP, TCP_KEEPIDLE},
    {IPPROTO_TCP, TCP_KEEPINTVL}, {IPPROTO_TCP, TCP_KEEPCNT},      {IPPROTO_TCP, TCP_SYNCNT},
    {IPPROTO_TCP, TCP_LINGER2},   {IPPROTO_TCP, TCP_DEFER_ACCEPT}, {IPPROTO_TCP, TCP_USER_TIMEOUT},
    {IPPROTO_TCP, TCP_FASTOPEN},  {IPPROTO_TCP, TCP_CONGESTION},   {IPPROTO_IP, IP_TOS},
    {IPPROTO_IP, IP_TTL},         {IPPROTO_IPV6, IPV6_V6ONLY},     {IPPROTO_IPV6, IPV6_TCLASS},
};

static bool get(int fd, struct rd_fds_option *o) {
    o->size = sizeof o->value;
    memset(o->value, 0, sizeof o->value);
    return rd_raw(SYS_getsockopt, fd, o->level, o->name, o->value, &o->size) == 0;
}

/* Sets the option, and returns whether it has the noted value then. The kernel doubles the size of a buffer that
 * setsockopt() asks for, so half of it is asked for. */
static bool set(int fd, const struct rd_fds_option *o) {
    struct rd_fds_option given = *o, now = *o;
    int size;
    RD_CHECK(o->size <= sizeof o->value);
    if (o->level == SOL_SOCKET && (o->name == SO_SNDBUF || o->name == SO_RCVBUF)) {
        memcpy(&size, o->value, sizeof size);
        size /= 2;
        memcpy(given.value, &size, sizeof size);
    }
    return rd_raw(SYS_setsockopt, fd, o->level, o->name, given.value, o->size) == 0 && get(fd, &now) &&
           now.size == o->size && memcmp(now.value, o->value, o->size) == 0;
}

/* Notes one option if its values differ. False: it cannot be set on a new socket, or there are too many. */
static bool note(struct rd_fds_options *o, int fd, int fresh, int level, int name) {
    struct rd_fds_option here = {.level = level, .name = name}, there = here;
    if (!get(fd, &here) || !get(fresh, &there))
        return true;
    if (here.size == there.size && memcmp(here.value, there.value, here.size) == 0)
        return true;
    if (o->count == RD_FDS_OPTIONS || !set(fresh, &here))
        return false;
    o->option[o->count++] = here;
    return true;
}

bool rd_fds_note_options(struct rd_fds_options *o, int fd, int fresh) {
    RD_CHECK(fd >= 0 && fresh >= 0 && fd != fresh);
    o->count = 0;
    for (int name = 1; name < SOCKET_OPTIONS; name++)
        if (!memchr(not_settings, name, sizeof not_settings) && !note(o, fd, fresh, SOL_SOCKET, name))
            return false;
    for (unsigned i = 0; i < RD_COUNT(others); i++)
        if (!note(o, fd, fresh, others[i].level, others[i].name))
            return false;
    return true;
}

bool rd_fds_set_options(const struct rd_fds_options *o, int fd) {
    RD_CHECK(!o || o->count <= RD_FDS_OPTIONS);
    for (uint32_t i = 0; o && i < o->count; i++)
        if (!set(fd, &o->option[i]))
            return false;
    return true;
}
