// Threads that create threads, a tree of seven; results come up through the joins.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void *node(void *arg) {
    intptr_t depth = (intptr_t)arg;
    if (depth == 0)
        return (void *)1;
    pthread_t left, right;
    void *a, *b;
    assert(pthread_create(&left, NULL, node, (void *)(depth - 1)) == 0);
    assert(pthread_create(&right, NULL, node, (void *)(depth - 1)) == 0);
    pthread_join(right, &b);
    pthread_join(left, &a);
    return (void *)((intptr_t)a + (intptr_t)b + 1);
}

int main(void) {
    assert((intptr_t)node((void *)2) == 7);
    return 0;
}
