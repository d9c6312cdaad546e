// After a failed assumption neither the assertion behind it is a finding, nor that other threads wait for this one in
// vain.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
// OUTPUT: of them dropped because an assumption does not hold
#include <pthread.h>
#include <raddle.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg) {
    pthread_mutex_lock(&lock);
    int seen = atomic_load(&ready);
    raddle_assume(seen == 1 || !raddle_running());
    raddle_assert(seen == 1);
    atomic_store(&done, 1);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *writer(void *arg) {
    atomic_store(&ready, 1);
    while (!atomic_load(&done))
        sched_yield();
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
