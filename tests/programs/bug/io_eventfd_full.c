// No thread reads the eventfd, so it has no room for a second value of this size.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>

static int event;

static void *teller(void *arg) {
    assert(eventfd_write(event, UINT64_MAX / 2 + 1) == 0); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    event = eventfd(0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, teller, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
