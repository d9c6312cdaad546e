// One thread polls under a read lock, one writes: all schedules are run, one by one.
// RADDLE: -s dfs
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int level;

static void *filler(void *arg) {
    pthread_rwlock_wrlock(&lock);
    level = 2;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static int look(void) {
    pthread_rwlock_rdlock(&lock);
    int l = level;
    pthread_rwlock_unlock(&lock);
    return l;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, filler, NULL);
    while (look() < 2) {
    }
    pthread_join(t, NULL);
    return 0;
}
