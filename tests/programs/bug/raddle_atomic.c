// Another thread may run right before the atomic part, and after it.
// RADDLE: -s dfs
// EXPECT: assertion
// MODE: hooks
#include <pthread.h>
#include <raddle.h>

static int counter;

static void *bump(void *arg) {
    int old = counter;
    raddle_atomic_begin();
    counter = old + 1;
    raddle_atomic_end();
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, bump, NULL);
    pthread_create(&b, NULL, bump, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(counter == 2); /* BUG */
    return 0;
}
