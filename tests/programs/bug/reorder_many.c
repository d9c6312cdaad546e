// Twenty setters and a checker that must see both values or none: rff, which is guided by the writes that reads read
// from, needs few executions.
// RADDLE: -s rff --seed 1 -n 40 --points all
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { SETTERS = 20 };

static int ready, full;

static void *set(void *arg) {
    ready = 1;
    full = 1;
    return arg;
}

static void *check(void *arg) {
    int was_ready = ready;
    int was_full = full;
    assert(was_ready == was_full); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[SETTERS + 1];
    for (int i = 0; i < SETTERS; i++)
        pthread_create(&t[i], NULL, set, NULL);
    pthread_create(&t[SETTERS], NULL, check, NULL);
    for (int i = 0; i <= SETTERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
