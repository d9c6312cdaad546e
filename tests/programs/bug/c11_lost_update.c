// Two C11 threads add to one counter without a lock.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: assertion
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static volatile int counter;

static int worker(void *arg) {
    int n = counter;
    thrd_yield();
    counter = n + 1;
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    thrd_create(&t[0], worker, NULL);
    thrd_create(&t[1], worker, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    assert(counter == 2); /* BUG */
    return 0;
}
