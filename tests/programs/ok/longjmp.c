// Each thread jumps back over its own frames, with other threads running in between.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>

static void leap(jmp_buf back, int n) {
    sched_yield();
    if (n == 0)
        longjmp(back, 1);
    leap(back, n - 1);
    sched_yield();
}

static void *worker(void *arg) {
    volatile int rounds = 0;
    jmp_buf back;
    if (setjmp(back))
        rounds++;
    if (rounds < 3)
        leap(back, rounds);
    assert(rounds == 3);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    worker(NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
