// mtx_timedlock and cnd_timedwait: success, or thrd_timedout.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t lock, taken;
static cnd_t changed;
static int ready;

static int waiter(void *arg) {
    struct timespec until, past = {1, 0};
    timespec_get(&until, TIME_UTC);
    until.tv_sec++;
    int result = mtx_timedlock(&lock, &until);
    if (result == thrd_timedout)
        assert(mtx_lock(&lock) == thrd_success);
    else
        assert(result == thrd_success);
    result = thrd_success;
    while (!ready && result == thrd_success)
        result = cnd_timedwait(&changed, &lock, &until);
    assert(result == thrd_success || result == thrd_timedout);
    assert(ready || result == thrd_timedout);
    assert(mtx_unlock(&lock) == thrd_success);
    assert(mtx_timedlock(&taken, &past) == thrd_timedout);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&lock, mtx_timed);
    mtx_init(&taken, mtx_timed | mtx_recursive);
    cnd_init(&changed);
    mtx_lock(&taken);
    thrd_create(&t[0], waiter, NULL);
    thrd_create(&t[1], waiter, NULL);
    mtx_lock(&lock);
    ready = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&lock);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    mtx_unlock(&taken);
    mtx_destroy(&lock);
    mtx_destroy(&taken);
    cnd_destroy(&changed);
    return 0;
}
