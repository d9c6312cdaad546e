// Publication through a flag: release, then acquire.
// RADDLE: -s dfs --require-complete
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static atomic_int ready;

static void *producer(void *arg) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return arg;
}

static void *consumer(void *arg) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(data == 42);
    return arg;
}

__attribute__((no_sanitize("thread"))) int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
