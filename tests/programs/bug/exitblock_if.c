// `if` instead of `while` around a condition wait: the second consumer finds an empty queue.
// RADDLE: -s exitblock:rw,dd
// EXPECT: assertion
// MODE: plain hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int items;

static void *consume(void *arg) {
    pthread_mutex_lock(&m);
    if (items == 0)
        pthread_cond_wait(&more, &m);
    assert(items > 0); /* BUG */
    items--;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *produce(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        items++;
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? consume : produce, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
