// No thread signals. A spurious wake-up would end the wait, but it need not come.
// RADDLE: --spurious 3
// EXPECT: deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *wait_for_ever(void *arg) {
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&cond, &mutex); /* BUG */
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, wait_for_ever, NULL);
    pthread_join(t, NULL);
    return 0;
}
