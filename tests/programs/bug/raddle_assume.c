// The assumption holds only if the other thread comes first, and the assertion fails only then. The first execution
// ends at the assumption; dpor must explore the other thread's later operations all the same.
// RADDLE: -s dpor
// EXPECT: assertion
// MODE: hooks
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>

static atomic_int ready, other;

static void *reader(void *arg) {
    raddle_assume(atomic_load(&ready) == 1);
    raddle_assert(atomic_load(&other) == 0); /* BUG */
    return arg;
}

static void *writer(void *arg) {
    atomic_store(&other, 1);
    atomic_store(&ready, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
