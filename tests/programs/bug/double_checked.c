// Double-checked initialisation that publishes the object before it is complete.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
    int size, ready;
};
static struct config *instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct config *get(void) {
    if (instance)
        return instance;
    pthread_mutex_lock(&lock);
    if (!instance) {
        instance = calloc(1, sizeof *instance);
        instance->size = 3;
        instance->ready = 1;
    }
    pthread_mutex_unlock(&lock);
    return instance;
}

static void *worker(void *arg) {
    struct config *c = get();
    assert(c->ready && c->size == 3); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    free(instance);
    return 0;
}
