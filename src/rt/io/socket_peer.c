/*
 * socket_peer.c - finds the other socket that a call on a socket acts on (open_file.h): the listener at an address,
 * the receiver of a datagram. If no socket of this program is known to have the address, or several may have it,
 * the call depends on all operations.
 */
#include "rt/io/open_file.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/un.h>

static bool is_local(const struct sockaddr *a) {
    if (a->sa_family == AF_INET) {
        uint32_t host = ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr);
        return host >> 24 == 127 || host == 0;
    }
    const struct in6_addr *host = &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(host) || IN6_IS_ADDR_UNSPECIFIED(host) ||
           (IN6_IS_ADDR_V4MAPPED(host) && host->s6_addr[12] == 127);
}

/* A hash of the port of an Internet address of this machine, or of a Unix address; 0: it is neither. An abstract
 * Unix address begins with a 0 byte and may contain more of them. */
static uint64_t name_of(const struct sockaddr *a, socklen_t size) {
    if (a->sa_family == AF_INET || a->sa_family == AF_INET6)
        return is_local(a) ? rd_hash2(AF_INET, ((const struct sockaddr_in *)(const void *)a)->sin_port) : 0;
    if (a->sa_family != AF_UNIX || size <= offsetof(struct sockaddr_un, sun_path))
        return 0;
    const struct sockaddr_un *u = (const struct sockaddr_un *)(const void *)a;
    size_t n = size - offsetof(struct sockaddr_un, sun_path);
    uint64_t h = AF_UNIX;
    for (size_t i = 0; i < n && (u->sun_path[i] || i == 0 || !u->sun_path[0]); i++)
        h = rd_hash2(h, (unsigned char)u->sun_path[i]);
    return h;
}

/* The hash of the address that getsockname() or getpeername() (`get`) returns. */
static uint64_t own_name(int fd, long get) {
    RD_CHECK(get == SYS_getsockname || get == SYS_getpeername);
    struct sockaddr_storage a;
    socklen_t size = sizeof a;
    return rd_kernel(get, fd, &a, &size) == 0 ? name_of((struct sockaddr *)&a, RD_MIN(size, sizeof a)) : 0;
}

void rd_io_listens(int fd) {
    struct rd_io_look at = rd_io_look(fd);
    if (!at.file)
        return;
    at.file->listening = true;
    at.file->name = own_name(fd, SYS_getsockname);
}

static uint64_t name_given(const struct sockaddr *to, socklen_t size) {
    return to && size >= sizeof to->sa_family ? name_of(to, size) : 0;
}

/* The newest socket with the name; *more: there are others with the same hash; their addresses may differ, or
 * they may be closed by now. */
static struct rd_io_file *find(uint64_t name, bool datagrams, bool *more) {
    struct rd_io_file *found = NULL;
    *more = false;
    for (struct rd_io_file *f = rd_io_files(); f && name; f = f->next) {
        if (f->name != name || !(datagrams ? f->datagrams : f->listening))
            continue;
        *more |= found != NULL;
        found = found ? found : f;
    }
    return found;
}

struct rd_io_file *rd_io_listener(const struct sockaddr *to, socklen_t size) {
    bool more;
    return find(name_given(to, size), false, &more);
}

void rd_io_calls(struct rd_io_look *at, const struct sockaddr *to, socklen_t size) {
    bool more;
    if (at->file->datagrams) { /* another thread may be about to send: its receiver is not known any more */
        at->file->receiver = 0;
        return;
    }
    at->peer = find(name_given(to, size), false, &more);
    at->anybody = !at->peer || more;
}

void rd_io_directed(int fd, const struct sockaddr *to, socklen_t size) {
    int saved = errno;
    struct rd_io_look at = rd_io_look(fd);
    if (at.file && at.file->datagrams)
        at.file->receiver = name_given(to, size);
    errno = saved;
}

void rd_io_sends(struct rd_io_look *at, const struct sockaddr *to, socklen_t size) {
    bool more;
    if (!at->file->datagrams)
        return;
    at->peer = find(to ? name_given(to, size) : at->file->receiver, true, &more);
    at->anybody = !at->peer || more;
}

void rd_io_bound(int fd, struct rd_io_file *f) {
    int saved = errno;
    if (f->datagrams && !f->name)
        f->name = own_name(fd, SYS_getsockname);
    errno = saved;
}

/* Returns whether the socket is a client that the listener has not accepted yet. */
static bool is_connecting(const struct rd_io_file *listener, const struct rd_io_file *client) {
    const struct rd_io_file *f = listener->connecting;
    while (f && f != client)
        f = f->connecting;
    return f != NULL;
}

void rd_io_connected(int fd, struct rd_io_file *client, struct rd_io_file *listener) {
    RD_CHECK(listener->listening && client->kind == RD_IO_SOCKET);
    client->name = own_name(fd, SYS_getsockname);
    client->closed = !listener->shared;
    if (is_connecting(listener, client)) /* the program calls connect() again to ask for the result */
        return;
    client->connecting = NULL;
    struct rd_io_file **end = &listener->connecting;
    while (*end)
        end = &(*end)->connecting;
    *end = client;
}

/* Finds the client of the connection by its address. Clients of a Unix socket have none: they are accepted in the
 * order in which they connected. */
void rd_io_accepted(int fd, struct rd_io_file *listener) {
    struct rd_io_file *f = rd_io_made(fd, RD_IO_SOCKET, true);
    RD_CHECK(listener->kind == RD_IO_SOCKET);
    uint64_t name = own_name(fd, SYS_getpeername);
    struct rd_io_file **at = &listener->connecting;
    while (*at && name && (*at)->name != name)
        at = &(*at)->connecting;
    struct rd_io_file *client = *at;
    if (client) {
        *at = client->connecting;
        client->connecting = NULL;
        f->addr = client->addr;
    }
    f->closed = client != NULL && !client->shared && !listener->shared;
    if (!client && rd_rt.threaded)
        rd_rt.engine.rec.out->waited_outside = 1;
}
