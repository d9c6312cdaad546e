// The data comes after a second, poll times out after half a second, and the program ignores that.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2], ready;

static void *writer(void *arg) {
    usleep(100000);
    ready = 1;
    (void)!write(ends[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t t;
    if (pipe(ends))
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    poll(&p, 1, 500);
    assert(p.revents & POLLIN); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
