// A gate made of a condition variable: one broadcast lets all threads pass.
// RADDLE: -s dfs -n 2000
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened;
static bool open_;
static int through;

static void *runner(void *arg) {
    pthread_mutex_lock(&lock);
    while (!open_)
        pthread_cond_wait(&opened, &lock);
    through++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_cond_init(&opened, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, runner, NULL);
    pthread_mutex_lock(&lock);
    assert(through == 0);
    open_ = true;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(through == 2);
    return pthread_cond_destroy(&opened);
}
