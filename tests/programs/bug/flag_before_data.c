// The flag is set before the data is written.
// RADDLE: -s dfs
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int data, ready;

static void *producer(void *arg) {
    atomic_store_explicit(&ready, 1, memory_order_release);
    atomic_store_explicit(&data, 42, memory_order_relaxed);
    return arg;
}

static void *consumer(void *arg) {
    if (atomic_load_explicit(&ready, memory_order_acquire))
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 42); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
