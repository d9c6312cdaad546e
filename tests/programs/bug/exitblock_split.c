// SplitSync, from the ExitBlock paper: a critical section split in two.
// RADDLE: -s exitblock:rw
// EXPECT: assertion
// MODE: plain hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg) {
    pthread_mutex_lock(&lock);
    int y = x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(x == y); /* BUG */
    x = y + 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
