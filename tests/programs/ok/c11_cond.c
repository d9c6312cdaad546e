// A queue of one place with C11 mutex and condition variables.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t filled, emptied;
static int slot, sum;

static int producer(void *arg) {
    for (int i = 1; i <= 3; i++) {
        mtx_lock(&lock);
        while (slot)
            assert(cnd_wait(&emptied, &lock) == thrd_success);
        slot = i;
        assert(cnd_signal(&filled) == thrd_success);
        mtx_unlock(&lock);
    }
    return arg != NULL;
}

static int consumer(void *arg) {
    for (int i = 1; i <= 3; i++) {
        mtx_lock(&lock);
        while (!slot)
            cnd_wait(&filled, &lock);
        assert(slot == i);
        sum += slot;
        slot = 0;
        assert(cnd_broadcast(&emptied) == thrd_success);
        mtx_unlock(&lock);
    }
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&lock, mtx_plain);
    cnd_init(&filled);
    cnd_init(&emptied);
    thrd_create(&t[0], producer, NULL);
    thrd_create(&t[1], consumer, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    assert(sum == 6);
    return 0;
}
