// A bounded queue with a mutex and two condition variables.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
#include "lf.h"

enum { SIZE = 1 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, room = PTHREAD_COND_INITIALIZER;
static int queue[SIZE], used;

static void put(int value) {
    pthread_mutex_lock(&m);
    while (used == SIZE)
        pthread_cond_wait(&room, &m);
    queue[used++] = value;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}

static int get(void) {
    pthread_mutex_lock(&m);
    while (used == 0) {
        pthread_cond_wait(&more, &m);
        if (EITHER(0, 1))
            break;
    }
    assert(used > 0); /* BUG */
    int value = queue[--used];
    pthread_cond_signal(&room);
    pthread_mutex_unlock(&m);
    return value;
}

static void work(int me) {
    if (me == 0) {
        put(1);
        put(2);
    } else {
        assert(get() > 0);
    }
}

int main(void) {
    run(3, work);
    assert(used == 0);
    return 0;
}
