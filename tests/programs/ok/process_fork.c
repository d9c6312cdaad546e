// A thread forks while others run; the child has that one thread only, and its exit status comes back.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value = 5;

static void *forker(void *arg) {
    int status = 0, end[2];
    char c = 0;
    pthread_mutex_lock(&lock); /* no other thread is inside its critical section */
    assert(pipe(end) == 0);
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0) {
        c = (char)(value + 1);
        _exit(write(end[1], &c, 1) == 1 ? 7 : 1);
    }
    pthread_mutex_unlock(&lock);
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert(read(end[0], &c, 1) == 1 && c >= 6 && c <= 7);
    close(end[0]);
    close(end[1]);
    return arg;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, forker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
