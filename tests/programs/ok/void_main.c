// main() returns no value: the result of its last call, which is still in the register, is no exit status.
// RADDLE: -s dfs
// EXPECT: none
// ALONE: no
// FLAGS: -Wno-main -Wno-main-return-type -Wno-return-type
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    return arg;
}

void main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d turns, and a status that nobody meant\n", turns);
}
