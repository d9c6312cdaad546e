// Long, but it gets on: the count is in memory only, and nothing else in the loop changes. No livelock.
// RADDLE: -s dfs --max-steps 4000
// EXPECT: hang
// MODE: hooks
// TIMES: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int ready;
static volatile int count;

static void *work(void *arg) {
    while (count < 1000000000) { /* BUG */
        count = count + 1;       /* BUG */
        ready = 1;               /* BUG */
    }
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
