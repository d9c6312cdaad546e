// The handlers of pthread_atfork: before, newest first; after, oldest first; the lock is free in the child.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order, low, high;

static void prepare_old(void) {
    pthread_mutex_lock(&lock);
    assert(order == 1);
}
static void prepare_new(void) { order = 1; }
static void parent_old(void) { pthread_mutex_unlock(&lock); }
static void parent_new(void) { order = 2; }
static void child_old(void) {
    order = 3;
    pthread_mutex_unlock(&lock);
}
static void child_new(void) { order += order == 3; }

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    low++;
    high++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    int status = -1;
    assert(pthread_atfork(prepare_old, parent_old, child_old) == 0);
    assert(pthread_atfork(prepare_new, parent_new, child_new) == 0);
    pthread_create(&t, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&lock);
        _exit(low != high || order != 4);
    }
    assert(child > 0 && order == 2);
    assert(waitpid(child, &status, 0) == child && status == 0);
    pthread_join(t, NULL);
    return 0;
}
