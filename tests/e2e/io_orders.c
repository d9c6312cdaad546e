// Small cases of input and output, by name: the output of each depends on the order of its threads.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 3, FOREVER = -1 };
static int p[THREADS][2], copy, fd, more[4];
static char seen[64];
static struct sockaddr_in at;

static void note(const char *what, int n) { snprintf(seen + strlen(seen), 16, "%s%d ", what, n); }

static int open_at(int type, struct sockaddr_in *to) {
    int s = socket(AF_INET, type, 0);
    socklen_t n = sizeof *to;
    *to = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(bind(s, (struct sockaddr *)to, n) == 0 && (type == SOCK_DGRAM || listen(s, 4) == 0));
    assert(getsockname(s, (struct sockaddr *)to, &n) == 0);
    return s;
}

static void write_pipe(int i) { assert(write(p[i][1], "x", 1) == 1); }
static void write_first(void) { write_pipe(0); }
static void write_second(void) { write_pipe(1); }
static void write_third(void) { write_pipe(2); }

static void poll_pipes(int count, int ms) {
    struct pollfd in[THREADS];
    for (int i = 0; i < count; i++)
        in[i] = (struct pollfd){.fd = p[i][0], .events = POLLIN};
    poll(in, (nfds_t)count, ms);
    for (int i = 0; i < count; i++)
        note("", in[i].revents != 0);
}

static void poll_two(void) { poll_pipes(2, FOREVER); }
static void poll_three(void) { poll_pipes(3, FOREVER); }
static void poll_for_a_while(void) { poll_pipes(1, 10); }
static void rest(void) { usleep(20000); }

static void write_a(void) { assert(write(p[0][1], "a", 1) == 1); }
static void write_copy(void) { assert(write(copy, "b", 1) == 1); }

static void read_two(void) {
    char c[2];
    assert(read(p[0][0], &c[0], 1) == 1 && read(p[0][0], &c[1], 1) == 1);
    note("", c[0] == 'a');
}

static void send_to(char c) {
    int s = more[c == 'b'];
    assert(sendto(s, &c, 1, 0, (struct sockaddr *)&at, sizeof at) == 1);
}
static void send_a(void) { send_to('a'); }
static void send_b(void) { send_to('b'); }

static void receive_one(void) {
    char c;
    assert(recv(fd, &c, 1, 0) == 1);
    note("", c == 'a');
}

static void call(int i) { assert(connect(more[i], (struct sockaddr *)&at, sizeof at) == 0); }
static void call_a(void) { call(0), assert(write(more[0], "a", 1) == 1); }
static void call_b(void) { call(1), assert(write(more[1], "b", 1) == 1); }

static void take_call(void) {
    char c;
    int s = accept(fd, NULL, NULL);
    assert(s >= 0 && read(s, &c, 1) == 1);
    note("", c == 'a');
}

static void fill(void) { assert(eventfd_write(fd, 10) == 0), note("filled", 0); }
static void empty(void) {
    eventfd_t n = 0;
    assert(eventfd_read(fd, &n) == 0);
    note("", n > 10);
}

static void move(void) { note("moved", (int)splice(p[0][0], NULL, p[1][1], NULL, 1, 0)); }
static void look(void) {
    char c;
    note("looked", (int)read(p[0][0], &c, 1));
}

static void add_second(void) {
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = 1};
    assert(epoll_ctl(fd, EPOLL_CTL_ADD, p[1][0], &e) == 0);
    write_second();
}

static void wait_epoll(void) {
    struct epoll_event e[2];
    note("", epoll_wait(fd, e, 2, FOREVER));
}

static const struct {
    const char *name;
    void (*code[THREADS])(void);
} cases[] = {
    {"two pipes", {write_first, write_second, poll_two}},
    {"copy", {write_a, write_copy, read_two}},
    {"time", {poll_for_a_while, write_first, rest}},
    {"datagrams", {send_a, send_b, receive_one}},
    {"calls", {call_a, call_b, take_call}},
    {"room", {fill, empty, rest}},
    {"splice", {write_first, move, look}},
    {"epoll", {wait_epoll, add_second, write_first}},
    {"three pipes", {write_first, write_third, poll_three}},
};

static void *run(void *arg) {
    void (*const *code)(void) = arg;
    (*code)();
    return NULL;
}

static void prepare(const char *name) {
    struct epoll_event e = {.events = EPOLLIN};
    for (int i = 0; i < THREADS; i++)
        assert(pipe(p[i]) == 0);
    copy = dup(p[0][1]);
    if (strcmp(name, "datagrams") == 0) {
        fd = open_at(SOCK_DGRAM, &at);
        for (int i = 0; i < 2; i++) {
            struct sockaddr_in own;
            more[i] = open_at(SOCK_DGRAM, &own);
        }
    } else if (strcmp(name, "calls") == 0) {
        fd = open_at(SOCK_STREAM, &at);
        for (int i = 0; i < 2; i++)
            more[i] = socket(AF_INET, SOCK_STREAM, 0);
    } else if (strcmp(name, "room") == 0) {
        fd = eventfd(0, 0);
        assert(eventfd_write(fd, UINT64_MAX - 5) == 0);
    } else if (strcmp(name, "splice") == 0) {
        assert(fcntl(p[0][0], F_SETFL, O_NONBLOCK) == 0);
    } else if (strcmp(name, "epoll") == 0) {
        fd = epoll_create1(0);
        assert(epoll_ctl(fd, EPOLL_CTL_ADD, p[0][0], &e) == 0);
    }
}

int main(int argc, char **argv) {
    pthread_t t[THREADS];
    size_t i = 0;
    assert(argc == 2);
    while (strcmp(cases[i].name, argv[1]) != 0)
        i++;
    prepare(argv[1]);
    for (int k = 0; k < THREADS; k++)
        pthread_create(&t[k], NULL, run, (void *)&cases[i].code[k]);
    for (int k = 0; k < THREADS; k++)
        pthread_join(t[k], NULL);
    puts(seen);
    return 0;
}
