// The litmus test of store buffering: with sequential consistency both cannot read 0. See docs/outcomes.md.
// RADDLE: -s dpor --outcomes
// EXPECT: none
// MODE: hooks
// OUTPUT: 3 outcomes, and there are no others
#include <pthread.h>
#include <raddle.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x, y;
static int r1, r2;

static void *left(void *arg) {
    atomic_store(&x, 1);
    r1 = atomic_load(&y);
    return arg;
}

static void *right(void *arg) {
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, left, NULL);
    pthread_create(&b, NULL, right, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_observe("r1", r1);
    raddle_observe("r2", r2);
    printf("%d %d\n", r1, r2);
    return 0;
}
