// The result of a cancelled thread is not a pointer to anything.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: crash
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *arg) {
    int *sum = malloc(sizeof *sum);
    *sum = 1;
    pthread_testcancel();
    (void)arg;
    return sum;
}

int main(void) {
    pthread_t t;
    void *result = NULL;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_join(t, &result);
    int sum = *(int *)result; /* BUG */
    free(result);
    return sum - 1;
}
