// Names of threads: its own, another thread's, and one that is too long.
// RADDLE: -s dfs -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg) {
    char name[16];
    pthread_setname_np(pthread_self(), arg);
    pthread_mutex_lock(&lock);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, arg) == 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    char name[16];
    pthread_mutex_lock(&lock);
    pthread_create(&t[0], NULL, worker, "reader");
    pthread_create(&t[1], NULL, worker, "writer");
    assert(pthread_getname_np(t[0], name, sizeof name) == 0 && name[0] != 0);
    assert(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE);
    assert(pthread_setname_np(pthread_self(), "fifteen letters") == 0);
    assert(pthread_getname_np(pthread_self(), name, 4) == ERANGE);
    pthread_mutex_unlock(&lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "fifteen letters") == 0);
    return 0;
}
