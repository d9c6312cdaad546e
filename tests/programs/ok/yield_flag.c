// A loop of yields that waits for a flag ends, and the search with it.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag;

static void *waiter(void *arg) {
    while (!atomic_load(&flag))
        sched_yield();
    return arg;
}

static void *setter(void *arg) {
    atomic_store(&flag, 1);
    return arg;
}

__attribute__((no_sanitize("thread"))) int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, waiter, NULL);
    pthread_create(&t[1], NULL, setter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
