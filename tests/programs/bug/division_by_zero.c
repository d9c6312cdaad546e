// The mean is taken before the first sample has arrived.
// RADDLE: -s dfs
// EXPECT: crash
// OUTPUT: SIGFPE
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int total, samples;

static void *sampler(void *arg) {
    pthread_mutex_lock(&lock);
    total += 7;
    samples++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *reporter(void *arg) {
    pthread_mutex_lock(&lock);
    total = total / samples; /* BUG */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, sampler, NULL);
    pthread_create(&t[1], NULL, reporter, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
