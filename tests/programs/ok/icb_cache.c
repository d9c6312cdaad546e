// Threads that share little: equivalent executions are run once.
// RADDLE: -s icb:cache --points all --keep-going
// EXPECT: none
// ORDERS: 2
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int own[2], both;

static void *work(void *arg) {
    int *mine = arg;
    *mine = 1;
    *mine += 1;
    pthread_mutex_lock(&lock);
    both++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

QUIET int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &own[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(both == 2 && own[0] == 2 && own[1] == 2);
    return 0;
}
