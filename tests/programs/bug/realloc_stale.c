// One thread keeps a pointer into a table that the other one reallocates.
// RADDLE: -s dpor
// EXPECT: use-after-free
// MODE: hooks
// OUTPUT:   freed by T2 in grow at
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;

static void *set(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    int *mine = &table[1];
    pthread_mutex_unlock(&lock);
    *mine = 7; /* BUG */
    return NULL;
}

static void *grow(void *arg) {
    (void)arg;
    pthread_mutex_lock(&lock);
    table = realloc(table, 8 * sizeof *table);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    table = calloc(2, sizeof *table);
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, grow, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(table);
    return 0;
}
