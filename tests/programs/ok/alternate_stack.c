// Each thread has its own alternate signal stack; a handler that uses it runs, and leaves by a jump; snapshots still
// work.
// RADDLE: -s dfs -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

enum { SIZE = 1 << 16 };
static char stacks[2][SIZE];
static sigjmp_buf out;

static void jump(int number) {
    (void)number;
    siglongjmp(out, 1);
}

static void *worker(void *mine) {
    stack_t wanted = {.ss_sp = mine, .ss_size = SIZE}, now;
    assert(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    assert(sigaltstack(&wanted, &now) == 0 && now.ss_flags == SS_DISABLE);
    assert(sigaltstack(NULL, &now) == 0 && now.ss_sp == mine && now.ss_size == SIZE && now.ss_flags == 0);
    stack_t small = {.ss_sp = mine, .ss_size = 100}, odd = {.ss_sp = mine, .ss_size = SIZE, .ss_flags = 64};
    assert(sigaltstack(&small, NULL) == -1 && errno == ENOMEM);
    assert(sigaltstack(&odd, NULL) == -1 && errno == EINVAL);
    if (mine == stacks[0] && sigsetjmp(out, 1) == 0)
        *(volatile int *)NULL = 1;
    wanted.ss_flags = SS_DISABLE;
    assert(sigaltstack(&wanted, &now) == 0 && now.ss_sp == mine);
    assert(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct sigaction action = {.sa_handler = jump, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    pthread_create(&t, NULL, worker, stacks[0]);
    worker(stacks[1]);
    pthread_join(t, NULL);
    return 0;
}
