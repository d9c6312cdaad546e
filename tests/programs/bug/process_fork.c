// The child is a copy of the process at one moment: another thread may have been in the middle of an update.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: assertion
// TIMES: 20
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int low, high;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    low++;
    sched_yield();
    high++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    int status = 0;
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pid_t child = fork();
    if (child == 0)
        _exit(low != high);
    waitpid(child, &status, 0);
    assert(status == 0); /* BUG */
    pthread_join(t, NULL);
    return 0;
}
