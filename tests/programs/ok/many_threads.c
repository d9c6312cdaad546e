// Forty threads and one counter.
// RADDLE: -s random --seed 1 -n 50
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N = 40 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        assert(pthread_create(&t[i], NULL, worker, NULL) == 0);
    for (int i = N; i-- > 0;)
        pthread_join(t[i], NULL);
    assert(counter == 3 * N);
    return 0;
}
