// Data is published by a flag with relaxed accesses, and fences around them order the data's write and its read.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
// EXECUTIONS: 2
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "pair.h"

static int data, seen;
static atomic_int ready;

static void *publish(void *arg) {
    data = 42;
#ifndef BROKEN
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, publish, NULL);
    while (!atomic_load_explicit(&ready, ORDER(relaxed, acquire))) {
    }
#ifndef BROKEN
    atomic_thread_fence(memory_order_acquire);
#endif
    seen = data; /* BUG */
    pthread_join(t, NULL);
    return seen == 42 ? 0 : 1;
}
