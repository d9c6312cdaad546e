/* locked.c - for test_locked.py: a thread ends with a mutex locked, in the way that the argument names. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static const char *how;
static int done;

static int is(const char *name) { return strcmp(how, name) == 0; }

static pthread_mutex_t *make(void *at) {
    pthread_mutex_t *m = at;
    pthread_mutex_init(m, NULL);
    return m;
}

static void *locks(void *arg) {
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    if (is("stack")) {
        pthread_mutex_lock(&own);
    } else if (is("freed") || is("reused")) {
        pthread_mutex_t *m = make(malloc(sizeof *m));
        pthread_mutex_lock(m);
        free(m);
        if (is("freed"))
            return arg;
        pthread_mutex_t *again = malloc(sizeof *again);
        memset(again, 0, sizeof *again); /* the bytes of PTHREAD_MUTEX_INITIALIZER */
        pthread_mutex_lock(again);
        pthread_mutex_unlock(again);
        free(again);
    } else if (is("unmapped")) {
        void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_mutex_lock(make(at));
        munmap(at, 4096);
    } else {
        pthread_mutex_lock(&global); /* LOCKED */
        if (is("two"))
            pthread_mutex_lock(&second); /* LOCKED */
        done = 1;
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    how = argv[argc - 1];
    pthread_create(&t, NULL, locks, NULL);
    if (is("deadlock"))
        pthread_mutex_lock(&global); /* DEADLOCK */
    if (is("deadlock"))
        pthread_mutex_unlock(&global);
    pthread_join(t, NULL);
    assert(!is("assertion") || !done); /* ASSERTION */
    return 0;
}
