// One thread is enough for a deadlock.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock); /* BUG */
    pthread_mutex_unlock(&lock);
    return 0;
}
