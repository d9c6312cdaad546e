// Loops that wait: for an atomic flag, for data under a lock, and for a flag beside data that is read without being shared
// under a lock. With points at synchronisation only, they must be recognised as waiting, and the bug must replay.
// RADDLE: -s dpor --points sync --detect races,heap
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int go, flag;
static int ready, data, seen, fails;

static void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
    atomic_store(&go, 1);
    pthread_mutex_lock(&lock);
    ready = 1;
    int now = fails;
    pthread_mutex_unlock(&lock);
    atomic_store(&flag, 1);
    assert(!now); /* BUG */
    return arg;
}

static void *waiter(void *arg) {
    while (!atomic_load(&go))
        ;
    while (!atomic_load(&flag))
        if (data == 2)
            seen++;
    for (int done = 0; !done;) {
        pthread_mutex_lock(&lock);
        done = ready;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *third(void *arg) {
    pthread_mutex_lock(&lock);
    fails = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, waiter, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
