// errno is a thread's own, and no synchronisation call changes it.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void fail(int how) {
    if (how == EBADF)
        assert(close(-1) == -1);
    else
        assert(strtol("99999999999999999999", NULL, 10) == INT64_MAX);
}

static void *worker(void *arg) {
    int how = (int)(intptr_t)arg;
    assert(errno == 0);
    for (int i = 0; i < 3; i++) {
        fail(how);
        pthread_mutex_lock(&lock);
        assert(errno == how);
        pthread_cond_signal(&cond);
        pthread_mutex_unlock(&lock);
        sched_yield();
        assert(errno == how);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    errno = EEXIST;
    pthread_create(&t[0], NULL, worker, (void *)(intptr_t)EBADF);
    pthread_create(&t[1], NULL, worker, (void *)(intptr_t)ERANGE);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(errno == EEXIST);
    return 0;
}
