// A wait with a deadline depends only on its own lock: 3 orders of the threads of the one lock (the wait comes first,
// comes last, or times out while the other thread is inside), times 2 of those of the other lock.
// RADDLE: -s dpor
// EXPECT: none
// EXECUTIONS: 6
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t ours = PTHREAD_MUTEX_INITIALIZER, theirs = PTHREAD_MUTEX_INITIALIZER;
static const struct timespec late = {2000000000, 0};
static int mine, other;

static void *patient(void *arg) {
    int error = pthread_mutex_timedlock(&ours, &late);
    assert(error == 0 || error == ETIMEDOUT);
    if (error == 0) {
        mine++;
        pthread_mutex_unlock(&ours);
    }
    return arg;
}

static void *short_one(void *arg) {
    pthread_mutex_lock(&ours);
    mine++;
    pthread_mutex_unlock(&ours);
    return arg;
}

static void *elsewhere(void *arg) {
    pthread_mutex_lock(&theirs);
    other++;
    pthread_mutex_unlock(&theirs);
    return arg;
}

int main(void) {
    void *(*const code[])(void *) = {patient, short_one, elsewhere, elsewhere};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, code[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    assert(mine >= 1 && other == 2);
    return 0;
}
