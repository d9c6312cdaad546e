/* long.c - two threads take a lock; the argument says how often. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, rounds;

static void *work(void *arg) {
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        x++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a, b;
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return x != 2 * rounds;
}
