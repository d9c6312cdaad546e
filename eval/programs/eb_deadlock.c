/*
 * Deadlock: two threads transfer between two accounts in opposite directions and lock both.
 *
 * Suite: exitblock
 * Published: ExitBlock's samples, "Deadlock" (lock cycle)
 * Size: THREADS=2 (an even number; half of them transfer in each direction)
 * Bug 1: each thread locks the account that it takes money from first (deadlock) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif

static struct account {
    pthread_mutex_t lock;
    int money;
} account[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void *transfer(void *argument) {
    int from = (int)(intptr_t)argument, to = 1 - from;
#if BUG == 1
    int first = from; // BUG: the order of the locks depends on the direction
#else
    int first = 0;
#endif
    pthread_mutex_lock(&account[first].lock);
    pthread_mutex_lock(&account[1 - first].lock);
    account[from].money -= 10;
    account[to].money += 10;
    pthread_mutex_unlock(&account[1 - first].lock);
    pthread_mutex_unlock(&account[first].lock);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, transfer, (void *)(intptr_t)(i % 2));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    // The threads have ended, so main needs no lock.
    assert(account[0].money == 100 || THREADS % 2);
    assert(account[0].money + account[1].money == 200);
    return 0;
}
