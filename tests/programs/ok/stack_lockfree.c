// A lock-free stack whose nodes are never used again: two pushes, then pops from both threads.
// RADDLE: -s random --seed 1 -n 500
// EXPECT: none
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct node {
    struct node *next;
    int value;
};
static struct node nodes[2] = {{NULL, 1}, {NULL, 2}};
static _Atomic(struct node *) top;
static atomic_int sum;

static void push(struct node *n) {
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->next, n))
        ;
}

static int pop(void) {
    struct node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
        ;
    return n ? n->value : 0;
}

static void *worker(void *arg) {
    push(&nodes[(intptr_t)arg]);
    atomic_fetch_add(&sum, pop());
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 3 && top == NULL);
    return 0;
}
