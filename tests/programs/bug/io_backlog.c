// The second connection finds the queue of the listening socket full, and the thread that should accept waits for that
// connection.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name;
static socklen_t size = sizeof name;

static void *client(void *arg) {
    for (int i = 0; i < 2; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        assert(connect(fd, (struct sockaddr *)&name, size) == 0); /* BUG */
    }
    return arg;
}

int main(void) {
    pthread_t t;
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    name.sun_family = AF_UNIX;
    assert(bind(listener, (struct sockaddr *)&name, sizeof name.sun_family) == 0 && listen(listener, 0) == 0);
    assert(getsockname(listener, (struct sockaddr *)&name, &size) == 0);
    pthread_create(&t, NULL, client, NULL);
    pthread_join(t, NULL);
    assert(accept(listener, NULL, NULL) >= 0);
    return 0;
}
