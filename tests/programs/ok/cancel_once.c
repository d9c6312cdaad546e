// A thread that is cancelled in the function of pthread_once has not completed it; the next one runs it.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int begun, done;

static void prepare(void) {
    begun++;
    pthread_testcancel();
    done++;
}

static void *worker(void *arg) {
    pthread_once(&once, prepare);
    assert(done == 1);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    pthread_cancel(t[0]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(done == 1 && begun >= 1 && begun <= 2);
    return 0;
}
