/*
 * points.c - the cost of one operation: threads that lock and unlock a mutex of their own, in one long execution.
 * With one thread there are no switches; with two and a random schedule half of the operations are switches.
 */
#include <pthread.h>
#include <stdlib.h>

static long rounds;

static void *work(void *arg) {
    pthread_mutex_t *lock = arg;
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(lock);
        pthread_mutex_unlock(lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    static pthread_mutex_t lock[8];
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    rounds = argc > 2 ? atol(argv[2]) : 100000;
    pthread_t t[8];
    for (int i = 0; i < threads && i < 8; i++)
        pthread_create(&t[i], NULL, work, &lock[i]);
    for (int i = 0; i < threads && i < 8; i++)
        pthread_join(t[i], NULL);
    return 0;
}
