// pthread_exit from nested C frames runs the cleanup handlers, newest first; a popped one does not run.
// RADDLE: -s random --seed 2 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int held, handled[2][3], count[2];

static void unlock(void *arg) {
    *(int *)arg = 0;
    pthread_mutex_unlock(&lock);
}
static void first(void *arg) { handled[*(int *)arg][count[*(int *)arg]++] = 1; }
static void second(void *arg) { handled[*(int *)arg][count[*(int *)arg]++] = 2; }

static void inner(int *id) {
    pthread_cleanup_push(second, id);
    pthread_mutex_lock(&lock);
    assert(held == 0);
    held = 1;
    pthread_cleanup_push(unlock, &held);
    pthread_exit(id);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
}

static void *worker(void *arg) {
    pthread_cleanup_push(first, arg);
    pthread_cleanup_push(second, arg);
    pthread_cleanup_pop(0);
    inner(arg);
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    int id[2] = {0, 1};
    void *result[2];
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &id[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], &result[i]);
    for (int i = 0; i < 2; i++)
        assert(result[i] == &id[i] && count[i] == 2 && handled[i][0] == 2 && handled[i][1] == 1);
    return held;
}
