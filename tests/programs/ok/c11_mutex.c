// Plain, recursive and timed C11 mutexes, and the results of mtx_trylock.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t plain, recursive;
static int count, inside;

static int worker(void *arg) {
    for (int i = 0; i < 2; i++) {
        assert(mtx_lock(&plain) == thrd_success);
        assert(inside++ == 0);
        thrd_yield();
        inside--;
        count++;
        assert(mtx_unlock(&plain) == thrd_success);
    }
    assert(mtx_lock(&recursive) == thrd_success);
    assert(mtx_lock(&recursive) == thrd_success);
    assert(mtx_trylock(&recursive) == thrd_success);
    for (int i = 0; i < 3; i++)
        assert(mtx_unlock(&recursive) == thrd_success);
    return arg != NULL;
}

static int trier(void *arg) {
    (void)arg;
    assert(mtx_trylock(&plain) == thrd_busy);
    return 0;
}

int main(void) {
    thrd_t t[2];
    assert(mtx_init(&plain, mtx_plain) == thrd_success);
    assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
    thrd_create(&t[0], worker, NULL);
    thrd_create(&t[1], worker, NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    assert(count == 4);
    assert(mtx_trylock(&plain) == thrd_success);
    thrd_create(&t[0], trier, NULL);
    thrd_join(t[0], NULL);
    mtx_unlock(&plain);
    mtx_destroy(&plain);
    mtx_destroy(&recursive);
    return 0;
}
