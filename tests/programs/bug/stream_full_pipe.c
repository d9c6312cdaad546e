// Both threads print more into the other's pipe than it holds before they read their own.
// RADDLE: -s dfs
// EXPECT: deadlock
// OUTPUT: deadlock
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2][2];

static void talk(int to, int from) {
    FILE *out = fdopen(pipes[to][1], "w");
    char c;
    fprintf(out, "%6000d", 1);
    fclose(out); /* BUG */
    assert(read(pipes[from][0], &c, 1) == 1);
}

static void *other(void *arg) {
    talk(1, 0);
    return arg;
}

int main(void) {
    pthread_t t;
    for (int i = 0; i < 2; i++)
        assert(pipe(pipes[i]) == 0 && fcntl(pipes[i][1], F_SETPIPE_SZ, 4096) == 4096);
    pthread_create(&t, NULL, other, NULL);
    talk(0, 1);
    pthread_join(t, NULL);
    return 0;
}
