// The shells wait for data that another thread writes: system, pclose and the stream's reader let that thread run.
// RADDLE: -s random --seed 1 -n 6
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2], status_of_system;

static void *caller(void *arg) {
    char command[64];
    snprintf(command, sizeof command, "read x <&%d; exit $x", ends[0]);
    status_of_system = system(command);
    return arg;
}

static void *writer(void *arg) {
    char line[16] = "", zeros[4096] = {0};
    FILE *to = popen("exec cat >/dev/null", "we");
    for (int i = 0; i < 40; i++) /* more than a pipe holds */
        assert(fwrite(zeros, sizeof zeros, 1, to) == 1);
    assert(pclose(to) == 0);
    FILE *from = popen("echo 7; exit 3", "re");
    assert(fgets(line, sizeof line, from) && strcmp(line, "7\n") == 0);
    assert(write(ends[1], line, 2) == 2);
    assert(WEXITSTATUS(pclose(from)) == 3);
    return arg;
}

int main(void) {
    pthread_t t[2];
    assert(pipe(ends) == 0);
    pthread_create(&t[0], NULL, caller, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(WIFEXITED(status_of_system) && WEXITSTATUS(status_of_system) == 7);
    return 0;
}
