// Two threads: each waits for the other's message before it sends its own.
// RADDLE: -s dfs
// EXPECT: deadlock
// OUTPUT: receive pipe
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2][2];

static void *peer(void *arg) {
    int me = arg != NULL;
    char c = 'x';
    (void)!read(ends[me][0], &c, 1); /* BUG */
    (void)!write(ends[!me][1], &c, 1);
    return NULL;
}

int main(void) {
    pthread_t t;
    if (pipe(ends[0]) || pipe(ends[1]))
        return 1;
    pthread_create(&t, NULL, peer, &t);
    peer(NULL);
    pthread_join(t, NULL);
    return 0;
}
