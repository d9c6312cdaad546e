// A loop that stores the value that it has read, when no thread is left to write the value that it waits for.
// RADDLE: -s dfs
// EXPECT: livelock
// MODE: hooks
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int position, waiting;
static int cached;

static void *reader(void *arg) {
    atomic_store(&waiting, 1);
    while (cached != 1)                   /* BUG */
        cached = atomic_load(&position); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    if (atomic_load(&waiting))
        atomic_store(&position, 1);
    pthread_join(t, NULL);
    return 0;
}
