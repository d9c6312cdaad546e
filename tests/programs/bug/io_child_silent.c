// A child process has the other end of the pipe and never says anything: no deadlock of ours, but no end either.
// RADDLE: -s dfs --max-seconds 0.5
// EXPECT: hang
// TIMES: 1
// COMPILE: gcc
// MODE: plain
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <unistd.h>

static int ends[2];

static void *reader(void *arg) {
    char c;
    (void)!read(ends[0], &c, 1); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    if (pipe(ends))
        return 1;
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    pthread_create(&t, NULL, reader, NULL);
    pthread_join(t, NULL);
    return 0;
}
