// RADDLE: -s dfs
// EXPECT: assertion
// A function that was given to on_exit() by the thread that came last: there is nothing to do at the end otherwise.
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
