// The same code runs on memory whose races are intended, and on other memory.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// MODE: hooks
// LINE: 12
// OUTPUT: total
#include <pthread.h>
#include <raddle.h>

static int hits, total;

static __attribute__((noinline)) void bump(int *x) { ++*x; }

static void *count(void *arg) {
    raddle_benign_race(&hits, sizeof hits);
    bump(&hits);
    bump(&total);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
