// A cnd_signal before the wait is lost, because the waiter checks no condition first.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t done;

static int waiter(void *arg) {
    mtx_lock(&lock);
    cnd_wait(&done, &lock); /* BUG */
    mtx_unlock(&lock);
    return arg != NULL;
}

int main(void) {
    thrd_t t;
    mtx_init(&lock, mtx_plain);
    cnd_init(&done);
    thrd_create(&t, waiter, NULL);
    mtx_lock(&lock);
    cnd_signal(&done);
    mtx_unlock(&lock);
    thrd_join(t, NULL);
    return 0;
}
