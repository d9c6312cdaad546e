// A lock-free stack that uses its nodes again: the top is the same node, but not the same stack (ABA).
// RADDLE: -s random --seed 1 -n 20000
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { NONE = -1 };
static int next[2] = {1, NONE}; /* the stack: 0 above 1 */
static atomic_int top;
static atomic_int in_use[2];

static int pop(void) {
    int n = atomic_load(&top);
    while (n != NONE) {
        int below = next[n];
        if (atomic_compare_exchange_strong(&top, &n, below))
            break;
    }
    if (n != NONE)
        assert(atomic_fetch_add(&in_use[n], 1) == 0); /* BUG */
    return n;
}

static void push(int n) {
    atomic_fetch_sub(&in_use[n], 1);
    next[n] = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &next[n], n))
        ;
}

static void *one(void *arg) {
    pop();
    pop();
    return arg;
}

static void *two(void *arg) {
    int a = pop();
    pop();
    if (a != NONE)
        push(a);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
