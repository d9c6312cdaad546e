// Two C11 mutexes in both orders.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <stddef.h>
#include <threads.h>

static mtx_t a, b;

static int first(void *arg) {
    mtx_lock(&a);
    mtx_lock(&b); /* BUG */
    mtx_unlock(&b);
    mtx_unlock(&a);
    return arg != NULL;
}

static int second(void *arg) {
    mtx_lock(&b);
    mtx_lock(&a); /* BUG */
    mtx_unlock(&a);
    mtx_unlock(&b);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&a, mtx_plain);
    mtx_init(&b, mtx_plain);
    thrd_create(&t[0], first, NULL);
    thrd_create(&t[1], second, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    return 0;
}
