// Each thread takes its own lock, tries the other's, and releases its own if the other's is busy: in lockstep, neither
// gets both.
// RADDLE: --max-steps 4000
// EXPECT: livelock
// MODE: hooks
// OUTPUT: trylock b -> busy
// TIMES: 1
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *own, pthread_mutex_t *other) {
    for (;;) {
        pthread_mutex_lock(own);               /* BUG */
        if (pthread_mutex_trylock(other) == 0) /* BUG */
            break;
        pthread_mutex_unlock(own); /* BUG */
    }
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(own);
}

static void *one(void *arg) {
    both(&a, &b);
    return arg;
}

static void *two(void *arg) {
    both(&b, &a);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
