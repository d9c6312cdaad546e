// Double-checked initialisation, done right: an atomic pointer, published after the object is complete.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
    int size, ready;
};
static _Atomic(struct config *) instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int built;

static struct config *get(void) {
    struct config *c = atomic_load_explicit(&instance, memory_order_acquire);
    if (c)
        return c;
    pthread_mutex_lock(&lock);
    c = atomic_load_explicit(&instance, memory_order_relaxed);
    if (!c) {
        c = malloc(sizeof *c);
        c->size = 3;
        c->ready = 1;
        built++;
        atomic_store_explicit(&instance, c, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return c;
}

static void *worker(void *arg) {
    struct config *c = get();
    assert(c->ready && c->size == 3);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(built == 1);
    free(get());
    return 0;
}
