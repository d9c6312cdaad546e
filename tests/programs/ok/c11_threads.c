// <threads.h>: results of threads, identity, yielding and sleeping, detaching.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t done;
static int detached;

static int answer(void *arg) {
    thrd_yield();
    assert(thrd_equal(thrd_current(), thrd_current()));
    return *(int *)arg + 1;
}

static int leave(void *arg) {
    struct timespec nap = {0, 1000};
    assert(thrd_sleep(&nap, NULL) == 0);
    thrd_exit(*(int *)arg + 2);
}

static int alone(void *arg) {
    assert(thrd_detach(thrd_current()) == thrd_success);
    mtx_lock(&lock);
    detached = 1;
    cnd_signal(&done);
    mtx_unlock(&lock);
    return *(int *)arg;
}

int main(void) {
    thrd_t t[3];
    int forty = 40, result[2] = {0, 0};
    assert(mtx_init(&lock, mtx_plain) == thrd_success && cnd_init(&done) == thrd_success);
    assert(thrd_create(&t[0], answer, &forty) == thrd_success);
    assert(thrd_create(&t[1], leave, &forty) == thrd_success);
    assert(thrd_create(&t[2], alone, &forty) == thrd_success);
    assert(!thrd_equal(t[0], t[1]) && !thrd_equal(t[0], thrd_current()));
    assert(thrd_join(t[0], &result[0]) == thrd_success && result[0] == 41);
    assert(thrd_join(t[1], &result[1]) == thrd_success && result[1] == 42);
    mtx_lock(&lock);
    while (!detached)
        cnd_wait(&done, &lock);
    mtx_unlock(&lock);
    return 0;
}
