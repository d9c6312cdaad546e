// A connection over a Unix socket with an abstract name; the client polls for the end of connect.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un at;
static socklen_t size;

static void *client(void *arg) {
    char c = 0;
    int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert(connect(s, (struct sockaddr *)&at, size) == 0);
    assert(send(s, "x", 1, 0) == 1);
    struct pollfd p = {.fd = s, .events = POLLIN};
    assert(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
    assert(recv(s, &c, 1, 0) == 1 && c == 'y');
    close(s);
    return arg;
}

int main(void) {
    pthread_t t;
    char c;
    int l = socket(AF_UNIX, SOCK_STREAM, 0);
    at.sun_family = AF_UNIX;
    assert(bind(l, (struct sockaddr *)&at, sizeof at.sun_family) == 0 && listen(l, 1) == 0); /* any free name */
    size = sizeof at;
    assert(getsockname(l, (struct sockaddr *)&at, &size) == 0);
    pthread_create(&t, NULL, client, NULL);
    int s = accept(l, NULL, NULL);
    assert(read(s, &c, 1) == 1 && c == 'x' && write(s, "y", 1) == 1);
    assert(read(s, &c, 1) == 0);
    pthread_join(t, NULL);
    return 0;
}
