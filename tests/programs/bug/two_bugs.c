// Two different bugs, in two different orders; with --keep-going both are found, each with a schedule of its own.
// RADDLE: -s dfs --keep-going
// EXPECT: assertion
// FINDINGS: 2
// MODE: plain
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turn;

static int next_turn(void) {
    pthread_mutex_lock(&lock);
    int mine = turn++;
    pthread_mutex_unlock(&lock);
    return mine;
}

static void *first(void *arg) {
    assert(next_turn() != 0); /* BUG */
    return arg;
}

static void *second(void *arg) {
    next_turn();
    assert(next_turn() != 1); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
