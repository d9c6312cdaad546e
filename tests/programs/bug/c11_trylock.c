// The program ignores that mtx_trylock returns thrd_busy.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static volatile int inside;

static int worker(void *arg) {
    int result = mtx_trylock(&lock);
    inside++;
    thrd_yield();
    assert(inside == 1); /* BUG */
    inside--;
    if (result == thrd_success)
        mtx_unlock(&lock);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&lock, mtx_plain);
    thrd_create(&t[0], worker, NULL);
    thrd_create(&t[1], worker, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    return 0;
}
