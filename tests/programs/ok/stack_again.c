// A thread is given a stack, and after it was joined or has ended another thread gets the same stack: they have the
// same handle.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
#include <assert.h>
#include <pthread.h>

enum { SIZE = 1 << 18 };
static _Alignas(4096) char stack[SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entered;

static void *worker(void *arg) {
    char here;
    assert(&here > stack && &here < stack + SIZE);
    pthread_mutex_lock(&lock);
    entered++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, sizeof stack);
    for (int i = 0; i < 3; i++) {
        void *result;
        assert(pthread_create(&t, &attr, worker, &attr) == 0);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        assert(pthread_join(t, &result) == 0 && result == &attr);
    }
    assert(entered == 3);
    return 0;
}
