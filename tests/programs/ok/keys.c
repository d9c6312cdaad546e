// Thread-specific data: each thread has its own values; destructors run at its end, again as long as they set new
// values.
// RADDLE: -s random --seed 4 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static pthread_key_t counted, plain;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void destroy(void *value) {
    int *rounds = value;
    if (++*rounds < 3) {
        pthread_setspecific(counted, rounds); /* asks for one more round */
        return;
    }
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
    free(rounds);
}

static void *worker(void *arg) {
    assert(pthread_getspecific(counted) == NULL && pthread_getspecific(plain) == NULL);
    int *rounds = calloc(1, sizeof *rounds);
    pthread_setspecific(counted, rounds);
    pthread_setspecific(plain, arg);
    sched_yield();
    assert(pthread_getspecific(counted) == rounds && pthread_getspecific(plain) == arg);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int a, b;
    assert(pthread_key_create(&counted, destroy) == 0 && pthread_key_create(&plain, NULL) == 0);
    pthread_create(&t[0], NULL, worker, &a);
    pthread_create(&t[1], NULL, worker, &b);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(destroyed == 2 && pthread_getspecific(counted) == NULL);
    return pthread_key_delete(counted) || pthread_key_delete(plain);
}
