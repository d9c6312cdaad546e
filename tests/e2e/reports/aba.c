/* A lock-free stack whose pop suffers from ABA. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct { _Atomic(struct node *) top; } stack;

static void push(struct node *n) {
    struct node *old = atomic_load(&stack.top);
    do
        n->next = old;
    while (!atomic_compare_exchange_strong(&stack.top, &old, n));
}

static struct node *pop(void) {
    struct node *old = atomic_load(&stack.top);
    while (old && !atomic_compare_exchange_strong(&stack.top, &old, old->next))
        ;
    return old;
}

static void *recycler(void *unused) {
    struct node *a = pop(), *b = pop();
    (void)unused;
    if (a)
        push(a);
    if (b)
        b->value = -1;
    return NULL;
}

static void *popper(void *unused) {
    struct node *n = pop();
    (void)unused;
    (void)n;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 3; i > 0; i--) {
        struct node *n = malloc(sizeof *n);
        n->value = i;
        push(n);
    }
    pthread_create(&threads[0], NULL, recycler, NULL);
    pthread_create(&threads[1], NULL, popper, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (struct node *n = stack.top; n; n = n->next)
        assert(n->value > 0);
    return 0;
}
