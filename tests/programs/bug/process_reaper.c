// A thread that waits for any child takes them all; the thread that started a child may find it gone.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: assertion
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>

extern char **environ;

static void *reaper(void *arg) {
    int status;
    wait(&status);
    return arg;
}

static void *spawner(void *arg) {
    char *command[] = {"true", NULL};
    pid_t child = -1;
    int status = 0;
    posix_spawn(&child, "/bin/true", NULL, NULL, command, environ);
    sched_yield();
    pid_t ended = waitpid(child, &status, 0);
    assert(ended == child); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, spawner, NULL);
    pthread_create(&t[1], NULL, reaper, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
