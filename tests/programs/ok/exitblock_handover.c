// Locks nested in one order, a condition with `while`, and memory that is handed over without a lock: by creation and
// join, a semaphore, an atomic flag. There is no finding, and the search ends.
// RADDLE: -s exitblock:dd
// EXPECT: none
// OUTPUT: no assertion can fail: every order
// MODE: plain hooks
// FLAGS: -O0
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static sem_t given;
static atomic_int flag;
static int by_creation, by_join, by_semaphore, by_flag, x, y;

static void *give(void *arg) {
    by_join = by_creation + 1;
    by_semaphore = 1;
    sem_post(&given);
    pthread_mutex_lock(&a);
    x = 1;
    pthread_mutex_lock(&b);
    y++;
    pthread_mutex_unlock(&b);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&a);
    by_flag = 1;
    atomic_store(&flag, 1);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&given, 0, 0);
    by_creation = 1;
    pthread_create(&t, NULL, give, NULL);
    sem_wait(&given);
    by_semaphore++;
    pthread_mutex_lock(&a);
    while (x == 0)
        pthread_cond_wait(&ready, &a);
    pthread_mutex_lock(&b);
    y++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    if (atomic_load(&flag))
        by_flag++;
    pthread_join(t, NULL);
    return by_join != 2;
}
