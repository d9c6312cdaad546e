// Two threads protect the same counter with a lock of their own each.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_spinlock_t lock[2];
static volatile int counter;

static void *worker(void *arg) {
    pthread_spinlock_t *mine = arg;
    pthread_spin_lock(mine);
    int n = counter;
    sched_yield();
    counter = n + 1;
    pthread_spin_unlock(mine);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_spin_init(&lock[i], PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)&lock[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(counter == 2); /* BUG */
    return 0;
}
