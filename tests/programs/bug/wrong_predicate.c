// The waiter waits for exactly one item; when two arrive before it looks, it waits for ever.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int items;

static void *consumer(void *arg) {
    pthread_mutex_lock(&lock);
    while (items != 1)
        pthread_cond_wait(&changed, &lock); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *producer(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, consumer, NULL);
    pthread_create(&t[1], NULL, producer, NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[0], NULL);
    return 0;
}
