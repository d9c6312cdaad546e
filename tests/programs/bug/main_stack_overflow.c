// main's own stack overflows, when the other thread was first.
// RADDLE: -s dfs
// EXPECT: crash
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int endless;

__attribute__((no_sanitize("thread"))) static int descend(int n) { /* BUG */
    char block[64 * 1024];
    memset(block, n, sizeof block);                       /* BUG */
    return n == 0 ? 0 : descend(n - !endless) + block[n]; /* BUG */
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    endless = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    int sum = descend(3);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return sum == 0;
}
