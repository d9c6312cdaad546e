// One writer, three readers: 2^3 orders.
// RADDLE: --detect none -s dfs --points all --keep-going -t 1500
// EXPECT: none
// EXECUTIONS: 134545
// ORDERS: 8
// COMPILE: gcc
// SLOW: yes
// MODE: hooks
// FLAGS: -O0
#include <pthread.h>
#include <stddef.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static int x;

static void *writer(void *arg) {
    x = 1;
    return arg;
}

static void *reader(void *arg) {
    int a = x;
    (void)a;
    return arg;
}

QUIET int main(void) {
    pthread_t t[4];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, reader, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    pthread_create(&t[3], NULL, reader, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    pthread_join(t[2], NULL);
    pthread_join(t[3], NULL);
    return 0;
}
