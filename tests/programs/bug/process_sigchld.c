// The child may end before its number is stored: then the handler does not know it.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile pid_t noted;
static int jobs;

static void on_child(int sig) {
    (void)sig;
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    assert(pid <= 0 || pid == noted); /* BUG */
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    jobs++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    signal(SIGCHLD, on_child);
    pthread_create(&t, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    pthread_mutex_lock(&lock);
    noted = child;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
