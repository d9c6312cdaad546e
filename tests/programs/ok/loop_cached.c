// A loop that stores the value that it has read waits until there is another value to read.
// RADDLE: -s dfs
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int position;
static int cached;

static void *reader(void *arg) {
    while (cached != 2)
        cached = atomic_load(&position);
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    atomic_store(&position, 1);
    atomic_store(&position, 2);
    pthread_join(t, NULL);
    return 0;
}
