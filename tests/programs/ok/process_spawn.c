// Two threads start programs at the same time, with posix_spawn and with vfork; each gets the status of its own.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void *spawner(void *arg) {
    char *command[] = {"sh", "-c", "exit 3", NULL};
    pid_t child = -1;
    int status = 0;
    assert(posix_spawn(&child, "/bin/sh", NULL, NULL, command, environ) == 0);
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
    return arg;
}

static void *vforker(void *arg) {
    int status = 0;
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 4", NULL);
        _exit(127);
    }
    assert(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 4);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, spawner, NULL);
    pthread_create(&t[1], NULL, vforker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
