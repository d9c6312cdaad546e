// A coroutine yields with the lock held; the code that runs next, in the same thread, wants the lock.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>
#include <ucontext.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t thread, coroutine;
static char stack[256 * 1024];
static int total;

static void body(void) {
    pthread_mutex_lock(&lock);
    total++;
    swapcontext(&coroutine, &thread);
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof stack;
    coroutine.uc_link = &thread;
    makecontext(&coroutine, body, 0);
    swapcontext(&thread, &coroutine);
    pthread_mutex_lock(&lock); /* BUG */
    total++;
    pthread_mutex_unlock(&lock);
    swapcontext(&thread, &coroutine);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
