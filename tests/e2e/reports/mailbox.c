/* The consumer checks the flag outside the lock: the signal can come before the wait. */
#include <pthread.h>
#include <stdbool.h>

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    bool full;
};

static void *producer(void *arg) {
    struct mailbox *box = arg;
    __atomic_store_n(&box->full, true, __ATOMIC_RELEASE);
    pthread_cond_signal(&box->filled);
    return NULL;
}

static void *consumer(void *arg) {
    struct mailbox *box = arg;
    pthread_mutex_lock(&box->lock);
    while (!__atomic_load_n(&box->full, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&box->filled, &box->lock);
    pthread_mutex_unlock(&box->lock);
    return NULL;
}

int main(void) {
    struct mailbox box = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
    pthread_t p, c;
    pthread_create(&c, NULL, consumer, &box);
    pthread_create(&p, NULL, producer, &box);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
    return 0;
}
