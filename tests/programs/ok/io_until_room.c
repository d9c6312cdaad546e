// A ready descriptor can still be without enough room: an eventfd, a Unix socket whose queue is full.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int event, listener;
static struct sockaddr_un name;
static socklen_t size = sizeof name;

static void *taker(void *arg) {
    eventfd_t value;
    assert(eventfd_read(event, &value) == 0 && value == UINT64_MAX - 2);
    for (int i = 0; i < 3; i++)
        assert(close(accept(listener, NULL, NULL)) == 0);
    return arg;
}

static void *client(void *arg) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(fd, (struct sockaddr *)&name, size) == 0 && close(fd) == 0);
    return arg;
}

int main(void) {
    pthread_t t[4];
    event = eventfd(0, 0);
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    name.sun_family = AF_UNIX;
    assert(bind(listener, (struct sockaddr *)&name, sizeof name.sun_family) == 0 && listen(listener, 0) == 0);
    assert(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    assert(eventfd_write(event, UINT64_MAX - 2) == 0);
    pthread_create(&t[0], NULL, taker, NULL);
    for (int i = 1; i < 4; i++)
        pthread_create(&t[i], NULL, client, NULL);
    assert(eventfd_write(event, 10) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
