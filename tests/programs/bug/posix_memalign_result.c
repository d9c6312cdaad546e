// The memory in which posix_memalign() stores its result is shared, like any other.
// RADDLE: -s dpor
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *volatile block;

static void *make(void *arg) { return posix_memalign((void **)&block, 64, 64) ? arg : NULL; }

static void *look(void *arg) {
    void *a = block, *b = block;
    assert(a == b); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, make, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(block);
    return 0;
}
