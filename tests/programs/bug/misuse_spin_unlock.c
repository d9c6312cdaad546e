// A spin lock is unlocked although the trylock has failed.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;

static void *worker(void *arg) {
    (void)pthread_spin_trylock(&lock);
    pthread_spin_unlock(&lock); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
