// Cancelled while it waits on a condition: the handler runs with the mutex held, newest handler first.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int order[2], inside;

static void unlock(void *arg) {
    assert(inside == 0);
    order[*(int *)arg] = 1;
    pthread_mutex_unlock(&lock);
}

static void last(void *arg) {
    assert(order[*(int *)arg] == 1);
    order[*(int *)arg] = 2;
}

static void *waiter(void *arg) {
    pthread_cleanup_push(last, arg);
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(unlock, arg);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {0, 1};
    void *result[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waiter, &id[i]);
    for (int i = 0; i < 2; i++)
        assert(pthread_cancel(t[i]) == 0);
    pthread_mutex_lock(&lock);
    inside++;
    inside--;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &result[i]);
    for (int i = 0; i < 2; i++)
        assert(result[i] == PTHREAD_CANCELED && order[i] == 2);
    return 0;
}
