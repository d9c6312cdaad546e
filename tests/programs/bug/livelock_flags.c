// Each thread waits for the other one's flag before it raises its own.
// RADDLE: -s dpor
// EXPECT: livelock
// MODE: hooks
// OUTPUT: 2 threads go round in loops, and nobody is left who could end them
// OUTPUT: for left to change, in a loop
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

atomic_int left, right; /* a compiler that sees all stores works out that the loops never end */

static void *first(void *arg) {
    while (!atomic_load(&right)) /* BUG */
        sched_yield();
    atomic_store(&left, 1);
    return arg;
}

static void *second(void *arg) {
    while (!atomic_load(&left)) { /* BUG */
    }
    atomic_store(&right, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
