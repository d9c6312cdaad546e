// Each thread runs a coroutine on a stack that it has made, and synchronises from within it.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <ucontext.h>

struct pair {
    ucontext_t thread, coroutine;
    int steps;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static __thread struct pair *mine;

static void body(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        mine->steps++;
        swapcontext(&mine->coroutine, &mine->thread);
    }
}

static void *worker(void *arg) {
    enum { SIZE = 256 * 1024 };
    struct pair pair = {.steps = 0};
    char *stack = malloc(SIZE);
    mine = &pair;
    getcontext(&pair.coroutine);
    pair.coroutine.uc_stack.ss_sp = stack;
    pair.coroutine.uc_stack.ss_size = SIZE;
    pair.coroutine.uc_link = &pair.thread;
    makecontext(&pair.coroutine, body, 0);
    for (int i = 1; i <= 2; i++) {
        swapcontext(&pair.thread, &pair.coroutine);
        assert(pair.steps == i);
    }
    swapcontext(&pair.thread, &pair.coroutine); /* to its end */
    free(stack);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(total == 4);
    return 0;
}
