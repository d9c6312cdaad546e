// A loop of yields that waits for a change is not held back: the reduction proves its claim and loses no class.
// RADDLE: -s dpor:optimal --require-complete
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int turn;

static void *waits(void *arg) {
    int first, second;
    while ((first = atomic_load(&turn)) == 0)
        sched_yield();
    second = atomic_load(&turn);
    *(int *)arg = first * 4 + second;
    return NULL;
}

int main(void) {
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, waits, &seen);
    for (int i = 0; i < 4; i++)
        atomic_store(&turn, i % 2 ? i : 0);
    pthread_join(t, NULL);
    return seen < 4;
}
