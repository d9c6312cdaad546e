// The program takes thrd_timedout for success.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static volatile int inside;

static int holder(void *arg) {
    mtx_lock(&lock);
    inside = 1;
    thrd_yield();
    inside = 0;
    mtx_unlock(&lock);
    return arg != NULL;
}

static int hasty(void *arg) {
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 3;
    int result = mtx_timedlock(&lock, &until);
    if (result == thrd_error)
        return 1;
    assert(!inside); /* BUG */
    if (result == thrd_success)
        mtx_unlock(&lock);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&lock, mtx_timed);
    thrd_create(&t[0], holder, NULL);
    thrd_create(&t[1], hasty, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    return 0;
}
