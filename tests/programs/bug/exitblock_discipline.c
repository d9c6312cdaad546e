// x is used without its lock, but only when the second thread comes first.
// RADDLE: -s exitblock:rw
// EXPECT: lock-discipline
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, ready;

static void *one(void *arg) {
    pthread_mutex_lock(&m);
    x++;
    ready = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *two(void *arg) {
    pthread_mutex_lock(&m);
    int known = ready;
    x += known;
    pthread_mutex_unlock(&m);
    if (!known)
        x = 5; /* BUG */
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
