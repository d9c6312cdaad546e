// Reads without waiting, in a loop until there is data.
// RADDLE: -s dfs -n 200
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    assert(write(ends[1], "x", 1) == 1);
    return arg;
}

int main(void) {
    pthread_t t;
    char c = 0;
    assert(pipe2(ends, O_NONBLOCK) == 0);
    pthread_create(&t, NULL, writer, NULL);
    ssize_t n;
    while ((n = read(ends[0], &c, 1)) < 0)
        assert(errno == EAGAIN);
    assert(n == 1 && c == 'x');
    pthread_join(t, NULL);
    return 0;
}
