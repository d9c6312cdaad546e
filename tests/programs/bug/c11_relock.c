// A plain C11 mutex is locked again by its owner.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static int items;

static int size(void) {
    mtx_lock(&lock); /* BUG */
    int n = items;
    mtx_unlock(&lock);
    return n;
}

static int worker(void *arg) {
    mtx_lock(&lock);
    if (size() < 10)
        items++;
    mtx_unlock(&lock);
    return arg != NULL;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, worker, NULL);
    thrd_join(t, NULL);
    return 0;
}
