// A thread is given the address of a local variable of a function that has returned.
// RADDLE: -s dfs
// EXPECT: assertion
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *worker(void *arg) {
    int *job = arg;
    assert(*job == 1234); /* BUG */
    return NULL;
}

__attribute__((noinline)) static pthread_t start(void) {
    pthread_t t;
    int job = 1234;
    pthread_create(&t, NULL, worker, &job);
    return t; /* the thread may not even have begun */
}

__attribute__((noinline)) static int reuse_stack(void) {
    char noise[512];
    memset(noise, 0x55, sizeof noise);
    return noise[100];
}

int main(void) {
    pthread_t t = start();
    int noise = reuse_stack();
    pthread_join(t, NULL);
    return noise == 0;
}
