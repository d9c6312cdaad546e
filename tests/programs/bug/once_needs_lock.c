// The initialisation takes a lock; another thread holds that lock when it calls pthread_once.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table;

static void prepare(void) {
    pthread_mutex_lock(&lock); /* BUG */
    table = 1;
    pthread_mutex_unlock(&lock);
}

static void *free_hands(void *arg) {
    pthread_once(&once, prepare);
    return arg;
}

static void *with_lock(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_once(&once, prepare); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, free_hands, NULL);
    pthread_create(&t[1], NULL, with_lock, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
