// A C11 mutex is unlocked by a thread that does not hold it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#include <stddef.h>
#include <threads.h>

static mtx_t lock;

static int worker(void *arg) {
    (void)mtx_trylock(&lock);
    thrd_yield();
    mtx_unlock(&lock); /* BUG */
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
