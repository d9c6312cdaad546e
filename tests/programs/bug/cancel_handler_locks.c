// The handler locks the mutex, but a thread cancelled in pthread_cond_wait has it already.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting, stop;

static void leave(void *arg) {
    pthread_mutex_lock(&lock); /* BUG */
    --*(int *)arg;
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *arg) {
    pthread_mutex_lock(&lock);
    waiting++;
    pthread_cleanup_push(leave, &waiting);
    while (!stop)
        pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(0);
    waiting--;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_mutex_lock(&lock);
    int early = !waiting;
    stop = early;
    pthread_mutex_unlock(&lock);
    if (!early)
        pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
