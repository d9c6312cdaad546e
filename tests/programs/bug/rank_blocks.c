// AllocationVector (RankChecker, figure 12) on the heap: the bug is in the second block of an allocation.
// RADDLE: -s rank:c=2,v=1,l=1 --points all
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */
enum { BLOCKS = 3 };

static void *client(void *arg) {
    atomic_int **blocks = arg;
    atomic_int *first = blocks[0], *second = blocks[1];
    atomic_fetch_add(first, 1);
    if (atomic_load(second) == 0) {
        assert(atomic_load(second) == 0); /* BUG */
        atomic_store(second, 1);
        atomic_store(second, 0);
    }
    return NULL;
}

QUIET int main(void) {
    pthread_t t[2];
    atomic_int *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = calloc(1, sizeof **blocks);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, client, blocks);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return 0;
}
