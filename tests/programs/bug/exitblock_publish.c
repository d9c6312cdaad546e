// Double-checked initialisation: the first check is outside the lock and succeeds before the object is complete.
// RADDLE: -s exitblock
// EXPECT: lock-discipline
// MODE: hooks
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int made, value;

static int get(void) {
    if (!made) { /* BUG */
        pthread_mutex_lock(&m);
        if (!made) {
            made = 1;
            assert(made);
            value = 3;
        }
        pthread_mutex_unlock(&m);
    }
    return value; /* BUG */
}

static void *work(void *arg) {
    assert(get() == 3);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
