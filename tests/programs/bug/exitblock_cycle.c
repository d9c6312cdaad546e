// Two threads take two locks in opposite orders. The search runs blocks as a whole, so it never reaches the deadlock
// directly: an execution that passes predicts it, and a further one confirms it.
// RADDLE: -s exitblock:dd
// EXPECT: deadlock
// MODE: plain hooks
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;

static void *forth(void *arg) {
    pthread_mutex_lock(&a);
    x++;
    pthread_mutex_lock(&b); /* BUG */
    y++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *back(void *arg) {
    pthread_mutex_lock(&b);
    y++;
    pthread_mutex_lock(&a); /* BUG */
    x++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, forth, NULL);
    pthread_create(&t[1], NULL, back, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
