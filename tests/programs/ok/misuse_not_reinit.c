// Destroying an unused object and initialising it again is no misuse; nor is another mutex for the next wait.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock[2];
static pthread_cond_t changed;
static int ready;

static void *setter(void *arg) {
    pthread_mutex_t *mine = arg;
    pthread_mutex_lock(mine);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(mine);
    return NULL;
}

int main(void) {
    assert(pthread_cond_init(&changed, NULL) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_t t;
        pthread_mutex_t *mine = &lock[i % 2];
        assert(pthread_mutex_init(mine, NULL) == 0);
        ready = 0;
        pthread_create(&t, NULL, setter, mine);
        pthread_mutex_lock(mine);
        while (!ready)
            pthread_cond_wait(&changed, mine);
        pthread_mutex_unlock(mine);
        pthread_join(t, NULL);
        assert(pthread_mutex_destroy(mine) == 0);
    }
    return pthread_cond_destroy(&changed);
}
