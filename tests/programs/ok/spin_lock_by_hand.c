// A lock made of an atomic exchange: a thread that does not get it tries again. Two threads, every schedule.
// RADDLE: -s icb
// EXPECT: none
// MODE: hooks
// OUTPUT: complete: every execution was covered
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;
static int counter;

static void *work(void *arg) {
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire)) {
    }
    counter++;
    atomic_store_explicit(&taken, 0, memory_order_release);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}
