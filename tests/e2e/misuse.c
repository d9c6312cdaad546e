/*
 * misuse.c - for test_misuse.py: misuse of each kind of object, one for each argument: use after its destruction,
 * or without an initialisation. A comment with the argument marks the wrong line; a comment with "BEFORE" and the
 * argument marks the destruction.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <threads.h>

static union {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    sem_t sem;
    pthread_barrier_t barrier;
    pthread_spinlock_t spin;
    mtx_t mtx;
    cnd_t cnd;
    char bytes[128];
} object;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static const char *what;

static int is(const char *name) { return strcmp(what, name) == 0; }

/* The other thread destroys the object. The memory is zero before, which looks like a new object of most kinds. */
static void *destroyer(void *arg) {
    if (is("mutex") || is("twice"))
        pthread_mutex_destroy(&object.mutex); /* BEFORE mutex twice */
    else if (is("cond") || is("cond-wait"))
        pthread_cond_destroy(&object.cond); /* BEFORE cond cond-wait */
    else if (is("rwlock"))
        pthread_rwlock_destroy(&object.rwlock); /* BEFORE rwlock */
    else if (is("sem"))
        sem_destroy(&object.sem); /* BEFORE sem */
    else if (is("barrier"))
        pthread_barrier_destroy(&object.barrier); /* BEFORE barrier */
    else if (is("spin"))
        pthread_spin_destroy(&object.spin); /* BEFORE spin */
    else if (is("mtx"))
        mtx_destroy(&object.mtx); /* BEFORE mtx */
    else if (is("cnd"))
        cnd_destroy(&object.cnd); /* BEFORE cnd */
    else if (is("key") || is("key-twice"))
        pthread_key_delete(key); /* BEFORE key key-twice */
    return arg;
}

static void use(void) {
    pthread_mutex_lock(&lock);
    if (is("mutex") || is("mutex-none"))
        pthread_mutex_trylock(&object.mutex); /* mutex mutex-none */
    else if (is("twice"))
        pthread_mutex_destroy(&object.mutex); /* twice */
    else if (is("cond") || is("cond-none"))
        pthread_cond_signal(&object.cond); /* cond cond-none */
    else if (is("cond-wait"))
        pthread_cond_wait(&object.cond, &lock); /* cond-wait */
    else if (is("rwlock") || is("rwlock-none"))
        pthread_rwlock_rdlock(&object.rwlock); /* rwlock rwlock-none */
    else if (is("sem") || is("sem-none"))
        sem_wait(&object.sem); /* sem sem-none */
    else if (is("barrier") || is("barrier-none"))
        pthread_barrier_wait(&object.barrier); /* barrier barrier-none */
    else if (is("spin") || is("spin-none"))
        pthread_spin_lock(&object.spin); /* spin spin-none */
    else if (is("mtx"))
        mtx_lock(&object.mtx); /* mtx */
    else if (is("cnd"))
        cnd_broadcast(&object.cnd); /* cnd */
    else if (is("key"))
        pthread_setspecific(key, what); /* key */
    else if (is("key-twice"))
        pthread_key_delete(key); /* key-twice */
}

int main(int argc, char **argv) {
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    if (strstr(what, "-none"))
        memset(&object, is("barrier-none") ? 0 : 0xa5, sizeof object);
    else if (is("spin"))
        pthread_spin_init(&object.spin, 0);
    else if (is("barrier"))
        pthread_barrier_init(&object.barrier, NULL, 1);
    pthread_key_create(&key, NULL);
    pthread_create(&t, NULL, destroyer, NULL);
    pthread_join(t, NULL);
    use();
    return 0;
}
