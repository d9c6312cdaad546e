// Two independent pairs of threads: one exchanges datagrams, one uses a connection. A write before a message or a
// connection is visible to the receiver.
// RADDLE: -s dpor
// EXPECT: none
// EXECUTIONS: 2
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static int datagrams, listener, sent, called;
static struct sockaddr_in datagrams_at, listener_at;

static int open_at(int type, struct sockaddr_in *at) {
    int fd = socket(AF_INET, type, 0);
    socklen_t n = sizeof *at;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert(bind(fd, (struct sockaddr *)at, n) == 0 && (type == SOCK_DGRAM || listen(fd, 1) == 0));
    assert(getsockname(fd, (struct sockaddr *)at, &n) == 0);
    return fd;
}

static void *sends(void *arg) {
    char c = 0;
    struct sockaddr_in own;
    int fd = open_at(SOCK_DGRAM, &own);
    sent = 1;
    assert(sendto(fd, "a", 1, 0, (struct sockaddr *)&datagrams_at, sizeof datagrams_at) == 1);
    assert(recv(fd, &c, 1, 0) == 1 && c == 'b' && sent == 2);
    close(fd);
    return arg;
}

static void *answers(void *arg) {
    char c = 0;
    struct sockaddr_in from;
    socklen_t n = sizeof from;
    assert(recvfrom(datagrams, &c, 1, 0, (struct sockaddr *)&from, &n) == 1 && sent == 1);
    sent = 2;
    assert(sendto(datagrams, "b", 1, 0, (struct sockaddr *)&from, n) == 1);
    return arg;
}

static void *calls(void *arg) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    called = 1;
    assert(connect(fd, (struct sockaddr *)&listener_at, sizeof listener_at) == 0);
    close(fd);
    return arg;
}

int main(void) {
    pthread_t t[3];
    datagrams = open_at(SOCK_DGRAM, &datagrams_at);
    listener = open_at(SOCK_STREAM, &listener_at);
    pthread_create(&t[0], NULL, sends, NULL);
    pthread_create(&t[1], NULL, answers, NULL);
    pthread_create(&t[2], NULL, calls, NULL);
    int fd = accept(listener, NULL, NULL);
    assert(fd >= 0 && called == 1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
