// When both threads append, the last element lies behind the block.
// RADDLE: -s dpor
// EXPECT: heap-overflow
// MODE: hooks
// OUTPUT:   at byte 12 of
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *items;
static int count = 2;

static void *add(void *arg) {
    pthread_mutex_lock(&lock);
    if (count < 4)
        items[count++] = (int)(long)arg; /* BUG */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    items = malloc(3 * sizeof *items);
    pthread_create(&a, NULL, add, (void *)1);
    pthread_create(&b, NULL, add, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(items);
    return 0;
}
