// Data is published by a flag that is stored without release: nothing orders the data's write and its read.
// RADDLE: --detect races -s dpor
// EXPECT: data-race
// MODE: hooks
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data, seen;
static atomic_int ready;

static void *publish(void *arg) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, publish, NULL);
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
    }
    seen = data; /* BUG */
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
