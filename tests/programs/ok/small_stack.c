// Threads with the smallest stack that is allowed lock, wait and recurse on it.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

__attribute__((noinline)) static int deep(int n) {
    char frame[64];
    memset(frame, n, sizeof frame);
    if (n == 0) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    int below = deep(n - 1);
    assert(frame[63] == n);
    return below + 1;
}

static void *worker(void *arg) {
    assert(deep(30) == 30);
    return arg;
}

int main(void) {
    pthread_t t[3];
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], &attr, worker, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    pthread_attr_destroy(&attr);
    return total != 3;
}
