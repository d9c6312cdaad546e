/*
 * wakeup.c - a printer that can fall asleep for ever.
 *
 * The printer sleeps until there is a job. It looks for one, finds none, and goes to sleep; but between the look
 * and the sleep it lets go of the lock. A job that arrives just then rings a bell that nobody hears.
 *
 * No recompilation is needed to find this one: only locks and condition variables are involved.
 *
 *     gcc -g -pthread wakeup.c -o wakeup
 *     raddle run ./wakeup
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static int jobs;

static bool idle(void) {
    pthread_mutex_lock(&lock);
    bool none = jobs == 0;
    pthread_mutex_unlock(&lock);
    return none;
}

static void *printer(void *arg) {
    if (idle()) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&bell, &lock);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *customer(void *arg) {
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_cond_signal(&bell);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, printer, NULL);
    pthread_create(&t[1], NULL, customer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
