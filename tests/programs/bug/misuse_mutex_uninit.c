// A mutex in memory with other contents that was never initialised.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct job {
    pthread_mutex_t lock;
    int done;
};

static void *worker(void *arg) {
    struct job *job = arg;
    pthread_mutex_lock(&job->lock); /* BUG */
    job->done = 1;
    pthread_mutex_unlock(&job->lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct job *job = malloc(sizeof *job);
    memset(job, 0xa5, sizeof *job);
    pthread_create(&t, NULL, worker, job);
    pthread_join(t, NULL);
    free(job);
    return 0;
}
