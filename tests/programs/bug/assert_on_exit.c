// RADDLE: -s dfs
// EXPECT: assertion
// The thread that comes last gives a function to on_exit(), which fails; otherwise no handler runs at the end.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void check(int status, void *arg) {
    (void)status;
    (void)arg;
    assert(last != 1); /* BUG */
}

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    last = *(int *)arg;
    if (last == 1)
        on_exit(check, NULL);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
