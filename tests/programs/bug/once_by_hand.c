// pthread_once written by hand: the flag is set before the work is done.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int begun, table;

static void once(void) {
    pthread_mutex_lock(&lock);
    int first = !begun;
    begun = 1;
    pthread_mutex_unlock(&lock);
    if (first) {
        pthread_mutex_lock(&lock);
        table = 1;
        pthread_mutex_unlock(&lock);
    }
}

static void *worker(void *arg) {
    once();
    pthread_mutex_lock(&lock);
    assert(table == 1); /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
