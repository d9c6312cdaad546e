// The same with relaxed accesses and fences around them: that is order enough.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
// EXECUTIONS: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data, seen;
static atomic_int ready;

static void *publish(void *arg) {
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, publish, NULL);
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
    }
    atomic_thread_fence(memory_order_acquire);
    seen = data;
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
