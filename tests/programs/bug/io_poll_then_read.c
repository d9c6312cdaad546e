// poll tells two threads that there is data; the one that reads second waits for ever.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
    char c;
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    if (poll(&p, 1, 0) == 1)
        (void)!read(ends[0], &c, 1); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    if (pipe(ends) || write(ends[1], "x", 1) != 1)
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
