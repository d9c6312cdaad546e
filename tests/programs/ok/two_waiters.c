// Two conditions with a condition variable each, and a signal for the right one: no thread waits for ever.
// RADDLE: -s dfs -n 3000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void *producer(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (items == 1)
            pthread_cond_wait(&not_full, &lock);
        items++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (items == 0)
            pthread_cond_wait(&not_empty, &lock);
        items--;
        taken++;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(taken == 2 && items == 0);
    return 0;
}
