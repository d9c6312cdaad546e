// The far end of a large block is read after the block was freed.
// RADDLE: -s dpor
// EXPECT: use-after-free
// MODE: hooks
// OUTPUT:   freed by T0 (main) in main at
#include <pthread.h>
#include <stdlib.h>

enum { SIZE = 64 << 20 };
static char *large;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *arg) {
    pthread_mutex_lock(&lock);
    char last = large[SIZE - 1]; /* BUG */
    pthread_mutex_unlock(&lock);
    return last ? arg : NULL;
}

int main(void) {
    pthread_t a;
    large = malloc(SIZE);
    pthread_create(&a, NULL, look, NULL);
    pthread_mutex_lock(&lock);
    free(large);
    pthread_mutex_unlock(&lock);
    pthread_join(a, NULL);
    return 0;
}
