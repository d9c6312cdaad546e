// A thread overwrites its own stack frames, and returns to address zero.
// RADDLE: -s dfs
// EXPECT: crash
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void fill(volatile char *at) {
    for (int i = 0; i < 400; i++)
        at[i] = 0x41;
}

static void *worker(void *arg) {
    volatile char room[16];
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    fill(room);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
