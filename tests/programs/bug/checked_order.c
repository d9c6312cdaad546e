// The two writes race only if the second thread is the first to take the lock.
// RADDLE: -s dpor -k --points sync --detect races,heap
// EXPECT: data-race
// FINDINGS: 1
// MODE: hooks
// OUTPUT: 1 variable is a point, too, because accesses there race or a loop waits for them: shared
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long turn, shared;

static void *first(void *arg) {
    pthread_mutex_lock(&lock);
    turn = turn ? turn : 1;
    shared++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *second(void *arg) {
    pthread_mutex_lock(&lock);
    turn = turn ? turn : 2;
    long mine = turn;
    pthread_mutex_unlock(&lock);
    if (mine == 2)
        shared = 5;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
