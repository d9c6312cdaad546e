// A wait without a condition to check: if the signal came before, no thread is left to send another.
// RADDLE: -s exitblock:rw,dd
// EXPECT: deadlock
// MODE: plain hooks
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int result;

static void *compute(void *arg) {
    pthread_mutex_lock(&m);
    result = 42;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *use(void *arg) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(&done, &m); /* BUG */
    result++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, use, NULL);
    pthread_create(&t[1], NULL, compute, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
