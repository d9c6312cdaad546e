// No thread can wait for a detached thread; main uses its result without having waited.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static int written;

static int logger(void *arg) {
    mtx_lock(&lock);
    written++;
    mtx_unlock(&lock);
    return arg != NULL;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    thrd_create(&t, logger, NULL);
    thrd_detach(t);
    thrd_yield();
    mtx_lock(&lock);
    assert(written == 1); /* BUG */
    mtx_unlock(&lock);
    return 0;
}
