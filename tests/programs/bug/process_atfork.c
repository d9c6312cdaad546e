// The handler before the fork takes two locks in another order than the rest of the program.
// RADDLE: -s random --seed 1 -n 1000
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(void) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a); /* BUG */
}

static void give(void) {
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}

static void *worker(void *arg) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b); /* BUG */
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_atfork(take, give, give);
    pthread_create(&t, NULL, worker, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    pthread_join(t, NULL);
    return 0;
}
