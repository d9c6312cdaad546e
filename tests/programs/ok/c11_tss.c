// Thread-specific storage, thread-local variables, and destructors that run in rounds.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <stdlib.h>
#include <threads.h>

static tss_t key;
static mtx_t lock;
static int destroyed;
static thread_local int own;

static void destroy(void *value) {
    int *rounds = value;
    if (++*rounds < TSS_DTOR_ITERATIONS) {
        tss_set(key, rounds);
        return;
    }
    mtx_lock(&lock);
    destroyed++;
    mtx_unlock(&lock);
    free(value);
}

static int worker(void *arg) {
    assert(tss_get(key) == NULL && own == 0);
    int *mine = calloc(1, sizeof *mine);
    assert(tss_set(key, mine) == thrd_success);
    own++;
    thrd_yield();
    assert(tss_get(key) == mine && *mine == 0 && own == 1);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    mtx_init(&lock, mtx_plain);
    assert(tss_create(&key, destroy) == thrd_success);
    thrd_create(&t[0], worker, NULL);
    thrd_create(&t[1], worker, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    assert(destroyed == 2 && own == 0 && tss_get(key) == NULL);
    tss_delete(key);
    return 0;
}
