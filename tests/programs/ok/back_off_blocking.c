// Two locks in any order without a deadlock: a thread that finds the second one busy releases the first and waits for
// the second.
// RADDLE: -s random -n 500 --max-steps 4000
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int both;

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
        pthread_mutex_t *busy = second;
        second = first;
        first = busy;
    }
}

static void *worker(void *arg) {
    if (arg)
        lock_both(&a, &b);
    else
        lock_both(&b, &a);
    both++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, &both);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return both != 2;
}
