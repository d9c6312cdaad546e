// All data is under one lock: with points at synchronisation only, every access is checked for races, there is none, and
// the claim is about all schedules.
// RADDLE: -s dfs --points sync --require-complete
// EXPECT: none
// EXECUTIONS: 1033
// MODE: hooks
// OUTPUT: no other instrumented access raced in any execution (checked)
// OUTPUT: Musuvathi and Qadeer, PLDI 2007, section 4
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, sum[3];

static void *work(void *arg) {
    int *mine = arg;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        *mine += counter;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, &sum[1]);
    pthread_create(&b, NULL, work, &sum[2]);
    pthread_mutex_lock(&lock);
    sum[0] = counter;
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 4 && sum[1] + sum[2] == 10);
    return 0;
}
