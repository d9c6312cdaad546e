// A thread reads its own memory in a long computation; it does not wait, and its memory does not concern other threads.
// RADDLE: -s dpor --max-steps 1000
// EXPECT: none
// MODE: hooks
// ORDERS: 2
// EXECUTIONS: 2
#include <pthread.h>

enum { WORDS = 500, ROUNDS = 400 };

static int a, sums[2];

static void *sum(void *arg) {
    int *mine = arg, word[WORDS], s = 0;
    for (int i = 0; i < WORDS; i++)
        word[i] = i;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WORDS; i++)
            s += ((volatile int *)word)[i];
    *mine = s;
    __atomic_add_fetch(&a, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sum, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sums[0] != sums[1] || a != 2;
}
