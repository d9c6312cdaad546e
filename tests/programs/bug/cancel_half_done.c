// Cancelled between the two halves of an update.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int taken, returned;

static void *worker(void *arg) {
    taken++;
    usleep(1);
    returned++;
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, NULL);
    assert(taken == returned); /* BUG */
    return 0;
}
