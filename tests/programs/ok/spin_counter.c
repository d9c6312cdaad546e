// A spin lock protects a counter; trylock reports that another thread holds the lock.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int inside, entered, refused;

static void *worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_spin_lock(&lock);
        assert(inside++ == 0);
        sched_yield();
        entered++;
        inside--;
        pthread_spin_unlock(&lock);
    }
    return arg;
}

static void *trier(void *arg) {
    int result = pthread_spin_trylock(&lock);
    if (result == 0) {
        assert(inside == 0);
        entered++;
        pthread_spin_unlock(&lock);
    } else {
        assert(result == EBUSY);
        refused = 1;
    }
    return arg;
}

int main(void) {
    pthread_t t[3];
    assert(pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE) == 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? worker : trier, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(entered + refused == 5);
    return pthread_spin_destroy(&lock);
}
