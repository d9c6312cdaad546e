// The value of a key is the thread's own, but both threads put the same buffer into it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static tss_t key;
static volatile int buffer;

static int worker(void *arg) {
    tss_set(key, (void *)&buffer);
    volatile int *mine = tss_get(key);
    *mine = *(int *)arg;
    thrd_yield();
    assert(*mine == *(int *)arg); /* BUG */
    return 0;
}

int main(void) {
    thrd_t t[2];
    int id[2] = {1, 2};
    tss_create(&key, NULL);
    thrd_create(&t[0], worker, &id[0]);
    thrd_create(&t[1], worker, &id[1]);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    tss_delete(key);
    return 0;
}
