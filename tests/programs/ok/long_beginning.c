// Long executions that differ only at their end: a search need not run their beginning again.
// RADDLE: -s dfs -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { ROUNDS = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, alone = PTHREAD_MUTEX_INITIALIZER;
static int shared, own[ROUNDS];

static void *work(void *arg) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&alone);
        own[i] += i;
        pthread_mutex_unlock(&alone);
    }
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < ROUNDS; i++)
        assert(own[i] == i);
    assert(shared == 4);
    return 0;
}
