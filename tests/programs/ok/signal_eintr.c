// A handler without SA_RESTART interrupts blocking calls with EINTR; with it they continue.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int end[2];
static int restarted[2];

static void handler(int number) { (void)number; }

static void *reader(void *arg) {
    char c = 0;
    ssize_t n;
    while ((n = read(end[0], &c, 1)) == -1) {
        assert(errno == EINTR);
        *(int *)arg += 1;
    }
    assert(n == 1 && c == 'x');
    return NULL;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    assert(pipe(end) == 0);
    for (int restart = 0; restart < 2; restart++) {
        pthread_t t;
        action.sa_flags = restart ? SA_RESTART : 0;
        sigaction(SIGUSR1, &action, NULL);
        pthread_create(&t, NULL, reader, &restarted[restart]);
        assert(pthread_kill(t, SIGUSR1) == 0);
        assert(write(end[1], "x", 1) == 1);
        pthread_join(t, NULL);
    }
    assert(restarted[0] <= 1 && restarted[1] == 0);
    return 0;
}
