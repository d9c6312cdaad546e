// The destructor of a key is free() itself: another thread still uses the block.
// RADDLE: -s dpor --detect heap
// EXPECT: use-after-free
// MODE: hooks
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static _Atomic(int *) shared;

static void *owner(void *arg) {
    int *mine = malloc(sizeof *mine);
    *mine = 7;
    pthread_setspecific(key, mine);
    atomic_store(&shared, mine);
    return arg;
}

static void *other(void *arg) {
    int *its = atomic_load(&shared);
    return its && *its == 8 ? NULL : arg; /* BUG */
}

int main(void) {
    pthread_t a, b;
    pthread_key_create(&key, free);
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
