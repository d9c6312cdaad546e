// The main thread has enabled asynchronous cancellation before any other thread exists.
// RADDLE: -s dpor
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>

static int x, y;
static pthread_t first;

static void clean(void *arg) {
    (void)arg;
    assert(x == y); /* BUG */
}

static void *cancel(void *arg) {
    pthread_cancel(first);
    return arg;
}

int main(void) {
    pthread_t t;
    int old;
    first = pthread_self();
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
    pthread_cleanup_push(clean, NULL);
    pthread_create(&t, NULL, cancel, NULL);
    x = 1;
    y = 1;
    pthread_join(t, NULL);
    pthread_cleanup_pop(0);
    return 0;
}
