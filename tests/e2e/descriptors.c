/*
 * descriptors KIND ACTION: a descriptor that is open before the first thread is created, and two threads that leave
 * it in another state in every execution. Prints all that a program can observe of it, at the start, from each
 * call, and at the end.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

static int ends[2], copy = -1, watch = -1, null;
static const char *kind, *action;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char told[8192];
static size_t length;

static int is(const char *what) { return strcmp(kind, what) == 0; }
static int begins(const char *what) { return strncmp(kind, what, strlen(what)) == 0; }
static int does(const char *what) { return strcmp(action, what) == 0; }

static void tell(const char *what, long value) {
    length += (size_t)snprintf(told + length, sizeof told - length, " %s=%ld", what, value);
    assert(length < sizeof told);
}

/* The result of a call, or its error as a negative number. */
static long result(long r) { return r < 0 ? -errno : r; }

static void look(const char *what, int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP};
    int waiting = -1, type = 0;
    socklen_t size = sizeof type;
    tell(what, fcntl(fd, F_GETFL) < 0 ? -1 : fcntl(fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE | O_APPEND));
    tell("cloexec", fcntl(fd, F_GETFD));
    tell("ready", poll(&p, 1, 0) < 0 ? -1 : p.revents);
    if (begins("pipe") || begins("pair"))
        tell("waiting", ioctl(fd, FIONREAD, &waiting) == 0 ? waiting : -1);
    if (begins("pipe"))
        tell("size", result(fcntl(fd, F_GETPIPE_SZ)));
    if (begins("pair"))
        tell("buffer", getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &type, &size) == 0 ? type : -1);
    if (begins("link")) {
        struct sockaddr_storage own, peer;
        socklen_t n = sizeof own, m = sizeof peer;
        int other = fd == ends[0] ? ends[1] : ends[0];
        long r = result(getsockname(fd, (struct sockaddr *)&own, &n));
        tell("own", r);
        tell("peer", result(getpeername(other, (struct sockaddr *)&peer, &m)));
        tell("same", n == m && memcmp(&own, &peer, n) == 0);
    }
    if (is("listen-unix")) {
        struct stat st = {0};
        tell("path", result(stat("listener", &st)));
        tell("mode", (long)st.st_mode);
    }
    if (begins("file")) {
        char data[64] = "";
        struct stat st;
        tell("offset", lseek(fd, 0, SEEK_CUR));
        tell("length", fstat(fd, &st) == 0 ? st.st_size : -1);
        tell("data", result(pread(fd, data, sizeof data, 0)));
        for (size_t i = 0; i < sizeof data; i += 8)
            tell("byte", data[i]);
    }
}

static void look_at_all(void) {
    look("a", ends[0]);
    if (ends[1] != ends[0])
        look("b", ends[1]);
    if (copy >= 0)
        look("copy", copy);
    for (int again = 0; watch >= 0 && again < 2; again++) { /* an edge-triggered event is reported once */
        struct epoll_event got[4];
        int n = epoll_wait(watch, got, 4, 0);
        tell("told", result(n));
        for (int i = 0; i < n; i++)
            tell("event", (long)(got[i].data.u64 * 100000 + got[i].events));
    }
}

static long put(int fd, const char *text, size_t size) {
    uint64_t one = 1;
    return begins("event") ? write(fd, &one, sizeof one) : write(fd, text, size);
}

/* Reads, and returns a number that depends on the bytes. */
static long get(int fd, size_t size) {
    unsigned char data[4096];
    long n = read(fd, data, begins("event") || is("timer") ? 8 : size), sum = 0;
    for (long i = 0; i < n; i++)
        sum = sum * 31 % 100003 + data[i];
    return n < 0 ? -errno : n * 1000000 + sum;
}

/* Writes until there is no room; returns the number of bytes. */
static long fill(int fd, size_t size) {
    static char data[4096];
    long all = 0, n;
    while ((n = put(fd, data, size)) > 0 && all < 1 << 20)
        all += n;
    return all;
}

static void as_stream(int fd) {
    FILE *f = fdopen(fd, "w");
    if (!f) {
        tell("fdopen", -errno);
        return;
    }
    tell("fprintf", fprintf(f, "through a stream"));
    tell("fclose", result(fclose(f)));
}

static struct sockaddr_storage address;
static socklen_t address_size;

/* A client that connects, sends a message and closes the connection, or keeps it open until the end. */
static void call(void) {
    int s = socket(address.ss_family, SOCK_STREAM, 0);
    tell("connect", result(connect(s, (struct sockaddr *)&address, address_size)));
    tell("send", result(send(s, "hello", 5, MSG_NOSIGNAL)));
    if (length % 2)
        close(s);
}

/* Binds another socket to the path of the first one. */
static void bind_over(void) {
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    tell("unlink", result(unlink("listener")));
    tell("bind", result(bind(s, (struct sockaddr *)&address, address_size)));
    tell("listen", result(listen(s, 1)));
}

/* Opens the same file once more. */
static void reopen(int fd) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int other = open(path, O_RDWR | (length % 2 ? O_TRUNC : 0));
    tell("reopen", other < 0 ? -errno : 0);
    tell("pwrite", result(pwrite(other, "by another way", 14, 3)));
}

static void map_it(int fd) {
    char *at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    tell("map", at == MAP_FAILED ? -errno : 0);
    tell("mprotect", result(mprotect(at, 4096, PROT_READ | PROT_WRITE)));
    memcpy(at + 2, "in memory", 9);
}

static void first(void) {
    struct itimerspec soon = {.it_value = {0, 1000}};
    int in = ends[0], out = ends[1];
    if (begins("listen") && (does("use") || does("close-out")))
        call();
    else if (is("timer"))
        tell("settime", result(timerfd_settime(in, 0, &soon, NULL)));
    else if (does("use"))
        tell("put", result(put(out, "abcdefg", 7)));
    else if (does("fill"))
        tell("fill", fill(out, 100));
    else if (does("close-in"))
        tell("close", result(close(in)));
    else if (does("close-out"))
        tell("close", result(close(out)));
    else if (does("flags"))
        tell("flags", result(fcntl(in, F_SETFL, O_APPEND)) + result(fcntl(out, F_SETFD, FD_CLOEXEC)) * 10);
    else if (does("blocking"))
        tell("blocking", result(ioctl(in, FIONBIO, &(int){0})));
    else if (does("over"))
        tell("dup2", result(dup2(null, in)));
    else if (does("swap"))
        tell("dup2", result(dup2(in, 60)) + result(dup2(out, in)) + result(dup2(60, out)));
    else if (does("move"))
        tell("dup2", result(dup2(in, 50)) + result(close(in)));
    else if (does("stream"))
        as_stream(out);
    else if (does("shutdown"))
        tell("shutdown", result(shutdown(out, SHUT_WR)));
    else if (does("size"))
        tell("size", result(fcntl(in, F_SETPIPE_SZ, 4096)));
    else if (does("option"))
        tell("option", result(setsockopt(in, SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int))));
    else if (does("unwatch"))
        tell("unwatch", result(epoll_ctl(watch, EPOLL_CTL_DEL, in, NULL)));
    else if (does("truncate"))
        tell("truncate", result(ftruncate(in, length % 9)));
    else if (does("reopen"))
        reopen(in);
    else if (does("map"))
        map_it(in);
    else if (does("unlink"))
        tell("unlink", result(unlink("listener")));
    else if (does("rename"))
        tell("rename", result(rename("listener", "elsewhere")));
    else if (does("mode"))
        tell("chmod", result(chmod("listener", length % 2 ? 0700 : 0)));
    else if (does("bind"))
        bind_over();
    else if (does("seek"))
        tell("seek", result(lseek(in, 3, SEEK_CUR)));
}

static void answer_call(void) {
    int s = accept4(ends[0], NULL, NULL, SOCK_NONBLOCK);
    tell("accept", s < 0 ? -errno : s);
    if (s < 0)
        return;
    tell("get", get(s, 3));
    tell("put", result(send(s, "bye", 3, MSG_NOSIGNAL)));
    if (does("close-out"))
        close(s);
}

static void second(void) {
    if (begins("listen")) {
        if (!does("use") && !does("close-out"))
            call();
        answer_call();
        return;
    }
    if (does("over") || does("swap"))
        tell("write", result(put(ends[0], "to", 2)));
    if (does("move"))
        tell("read", get(50, 3));
    if (watch >= 0) {
        struct epoll_event got[4];
        int n = epoll_wait(watch, got, 1, 0);
        tell("wait", n > 0 ? (long)got[0].data.u64 : n);
    }
    if (ends[0] != ends[1] && !does("use"))
        tell("put", result(put(ends[1], "xy", 2)));
    tell("get", get(ends[0], 3));
}

static void *one(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (arg)
            second();
        else
            first();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void make_pipe(void) {
    assert(pipe2(ends, O_NONBLOCK) == 0);
    if (is("pipe-some"))
        assert(put(ends[1], "0123456789", 10) == 10);
    if (is("pipe-part")) {
        for (int i = 0; i < 50; i++)
            assert(put(ends[1], "a piece that is forty bytes long, or so.", 40) == 40);
        assert(get(ends[0], 1234) >= 0);
    }
    if (is("pipe-pages")) {
        for (int i = 0; i < 300; i++)
            assert(put(ends[1], "a piece that is forty bytes long, or so.", 40) == 40);
        assert(get(ends[0], 1234) >= 0);
    }
    if (is("pipe-full"))
        assert(fill(ends[1], 100) == 64000);
    if (is("pipe-small"))
        assert(fcntl(ends[0], F_SETPIPE_SZ, 8192) == 8192);
    if (is("pipe-half"))
        close(ends[1]);
    if (is("pipe-copy"))
        copy = dup(ends[1]);
}

static void make_pair(void) {
    int type = is("pair-datagram") ? SOCK_DGRAM : is("pair-packet") ? SOCK_SEQPACKET : SOCK_STREAM;
    assert(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, ends) == 0);
    if (is("pair-datagram") || is("pair-packet"))
        assert(put(ends[1], "one", 3) == 3 && put(ends[1], "three", 5) == 5 && put(ends[0], "back", 4) == 4);
    if (is("pair-some"))
        assert(put(ends[1], "some bytes", 10) == 10);
    if (is("pair-option"))
        assert(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &(int){8192}, sizeof(int)) == 0);
}

static void watch_it(unsigned events) {
    assert(pipe2(ends, O_NONBLOCK) == 0);
    watch = epoll_create1(0);
    struct epoll_event in = {.events = EPOLLIN | events, .data.u64 = 1},
                       out = {.events = EPOLLOUT | events, .data.u64 = 2};
    assert(epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &in) == 0);
    if (!is("epoll-quiet"))
        assert(epoll_ctl(watch, EPOLL_CTL_ADD, ends[1], &out) == 0);
}

static void make_listener(void) {
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "listener"};
    int internet = strstr(kind, "tcp") != NULL;
    unlink(un.sun_path);
    ends[0] = ends[1] = socket(internet ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    address_size = is("listen-kernel") ? sizeof un.sun_family : internet ? sizeof in : sizeof un;
    assert(bind(ends[0], internet ? (struct sockaddr *)&in : (struct sockaddr *)&un, address_size) == 0);
    address_size = sizeof address;
    assert(listen(ends[0], 2) == 0 && getsockname(ends[0], (struct sockaddr *)&address, &address_size) == 0);
    watch = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = 3};
    assert(epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &e) == 0);
}

/* Makes a connection within the program. */
static void make_link(void) {
    make_listener();
    close(watch);
    watch = -1;
    int listener = ends[0], client = socket(address.ss_family, SOCK_STREAM, 0);
    assert(connect(client, (struct sockaddr *)&address, address_size) == 0);
    ends[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    ends[1] = client;
    assert(fcntl(client, F_SETFL, O_NONBLOCK) == 0);
    close(listener);
}

static void make_file(void) {
    char path[] = "/tmp/raddle-descriptors-XXXXXX";
    if (is("file-memory"))
        ends[0] = memfd_create("file", 0);
    else if (is("file-stream"))
        ends[0] = fileno(tmpfile());
    else
        ends[0] = mkstemp(path);
    if (is("file") || is("file-append"))
        unlink(path);
    assert(write(ends[0], "what was in the file is put back", 32) == 32 && lseek(ends[0], 5, SEEK_SET) == 5);
    assert(!is("file-append") || fcntl(ends[0], F_SETFL, O_APPEND) == 0);
    ends[1] = ends[0];
}

static void make(void) {
    if (begins("pipe"))
        make_pipe();
    else if (begins("pair"))
        make_pair();
    else if (begins("listen"))
        make_listener();
    else if (begins("link"))
        make_link();
    else if (begins("epoll"))
        watch_it(is("epoll-edge") ? EPOLLET : is("epoll-once") ? EPOLLONESHOT : 0);
    else if (begins("event"))
        ends[0] = ends[1] =
            eventfd(is("event") ? 0 : 3, EFD_NONBLOCK | (is("event-semaphore") ? EFD_SEMAPHORE : 0));
    else if (is("timer"))
        ends[0] = ends[1] = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    else
        make_file();
}

int main(int argc, char **argv) {
    pthread_t a, b;
    assert(argc == 3);
    kind = argv[1];
    action = argv[2];
    signal(SIGPIPE, SIG_IGN);
    null = open("/dev/null", O_RDWR);
    make();
    pthread_create(&a, NULL, one, NULL);
    pthread_mutex_lock(&lock);
    look_at_all();
    pthread_mutex_unlock(&lock);
    pthread_create(&b, NULL, one, "second");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    look_at_all();
    if (begins("listen"))
        answer_call();
    else
        tell("last", get(ends[0], 4096));
    tell("room", does("fill") ? fill(ends[1], 1) : 0);
    puts(told);
    return 0;
}
