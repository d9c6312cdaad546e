/*
 * A server and its test in one process. An event loop waits with epoll for connections and requests, workers answer
 * them: a request is a number that ends with a newline, the answer its square.
 *
 * The bug: epoll tells whenever something has come, also while a worker is busy with what came before on the same
 * connection. Then two workers answer at the same time, and the answers can go out in the wrong order. With -DFIXED
 * epoll tells once, and the worker asks for the next when it is done.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WORKERS = 2, ROOM = 16 };

#ifdef FIXED
static const unsigned wanted = EPOLLIN | EPOLLET | EPOLLONESHOT;
#else
static const unsigned wanted = EPOLLIN | EPOLLET;
#endif

/* ---- the server ---- */

static int listener, loop, stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], first, count, over;

static void watch(int how, int fd, unsigned events) {
    struct epoll_event e = {.events = events, .data.fd = fd};
    epoll_ctl(loop, how, fd, &e);
}

/* All requests that have come. A short one comes whole. */
static void answer(int fd) {
    char text[64], reply[64];
    ssize_t n;
    while ((n = recv(fd, text, sizeof text - 1, MSG_DONTWAIT)) > 0) {
        text[n] = 0;
        for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
            long x = atol(line);
            int size = snprintf(reply, sizeof reply, "%ld\n", x * x);
            send(fd, reply, (size_t)size, MSG_NOSIGNAL);
        }
    }
    if (n == 0)
        close(fd);
    else if (wanted & EPOLLONESHOT)
        watch(EPOLL_CTL_MOD, fd, wanted);
}

static void *work(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (count == 0 && !over)
            pthread_cond_wait(&more, &lock);
        if (count == 0) {
            pthread_mutex_unlock(&lock);
            return unused;
        }
        int fd = queue[first++ % ROOM];
        count--;
        pthread_mutex_unlock(&lock);
        answer(fd);
    }
}

static void hand_out(int fd) {
    pthread_mutex_lock(&lock);
    if (count < ROOM)
        queue[(first + count++) % ROOM] = fd;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused) {
    struct epoll_event e;
    for (;;) {
        if (epoll_wait(loop, &e, 1, -1) != 1)
            continue;
        if (e.data.fd == stop)
            break;
        if (e.data.fd == listener)
            watch(EPOLL_CTL_ADD, accept(listener, NULL, NULL), wanted);
        else
            hand_out(e.data.fd);
    }
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void start(struct sockaddr_in *at) {
    socklen_t size = sizeof *at;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    *at =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}; /* any free port */
    if (bind(listener, (struct sockaddr *)at, sizeof *at) != 0 || listen(listener, 8) != 0)
        abort();
    getsockname(listener, (struct sockaddr *)at, &size);
    loop = epoll_create1(0);
    stop = eventfd(0, 0);
    watch(EPOLL_CTL_ADD, listener, EPOLLIN);
    watch(EPOLL_CTL_ADD, stop, EPOLLIN);
}

/* ---- its test: a client in the same process ---- */

static void ask(int fd, const char *request) {
    assert(send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request));
}

static void expect(int fd, const char *answer) {
    char text[64] = "";
    assert(recv(fd, text, strlen(answer), MSG_WAITALL) == (ssize_t)strlen(answer));
    assert(strcmp(text, answer) == 0);
}

int main(void) {
    struct sockaddr_in at;
    pthread_t server, worker[WORKERS];
    start(&at); /* before the first thread: it is done once, not in every execution */
    pthread_create(&server, NULL, serve, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, NULL);

    int client = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(client, (struct sockaddr *)&at, sizeof at) == 0);
    ask(client, "7\n"); /* two requests, before the first is answered */
    ask(client, "8\n");
    expect(client, "49\n64\n");

    assert(eventfd_write(stop, 1) == 0);
    pthread_join(server, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    close(client);
    return 0;
}
