// The fork may come while another thread holds the lock: in the child no thread ever releases it.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int jobs;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    int status = -1;
    pthread_create(&t, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(pthread_mutex_trylock(&lock) != 0);
    pid_t ended = waitpid(child, &status, 0);
    assert(ended == child && status == 0); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
