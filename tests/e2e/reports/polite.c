/* Two threads that back off politely for ever. */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t spoon = PTHREAD_MUTEX_INITIALIZER, fork_ = PTHREAD_MUTEX_INITIALIZER;

static void *eat(void *arg) {
    pthread_mutex_t *first = arg ? &spoon : &fork_, *second = arg ? &fork_ : &spoon;
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            break;
        pthread_mutex_unlock(first);
        sched_yield();
    }
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, eat, NULL);
    pthread_create(&b, NULL, eat, &spoon);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
