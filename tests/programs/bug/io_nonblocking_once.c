// The program expects a read that does not wait to return data that another thread is about to write.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    (void)!write(ends[1], "x", 1);
    return arg;
}

int main(void) {
    pthread_t t;
    char c;
    if (pipe2(ends, O_NONBLOCK))
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    ssize_t n = read(ends[0], &c, 1);
    assert(n == 1); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
