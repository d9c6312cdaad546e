// A deleted key may be created again; the old values are gone, and destructors run for the new key only.
// RADDLE: -s dfs -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;
static int destroyed, a, b;

static void destroy(void *value) {
    assert(value == &b);
    destroyed++;
}

static void *worker(void *arg) {
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, arg) == 0);
    return NULL;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &a);
    pthread_create(&t, NULL, worker, &a);
    pthread_join(t, NULL);
    assert(pthread_key_delete(key) == 0);
    assert(pthread_key_create(&key, destroy) == 0);
    assert(pthread_getspecific(key) == NULL);
    pthread_create(&t, NULL, worker, &b);
    pthread_join(t, NULL);
    assert(destroyed == 1);
    return pthread_key_delete(key);
}
