// The handler locks a mutex, which the thread that it interrupts may hold.
// RADDLE: -s random --seed 1 -n 5000
// EXPECT: deadlock
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void handler(int number) {
    pthread_mutex_lock(&lock); /* BUG */
    count += number;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    sched_yield();
    count++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, NULL, worker, NULL);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, NULL);
    return 0;
}
