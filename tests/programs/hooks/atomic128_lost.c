// RADDLE: -s random -n 500 --seed 1
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -mcx16 -latomic
//
// A lost update of a 16-byte atomic: each load and each store is atomic, the two together are not. A schedule loses
// it with probability above 1/50.
#include <assert.h>
#include <pthread.h>

static _Alignas(16) unsigned __int128 counter;

static void *add(void *arg) {
    unsigned __int128 n = __atomic_load_n(&counter, __ATOMIC_SEQ_CST);
    __atomic_store_n(&counter, n + 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(__atomic_load_n(&counter, __ATOMIC_SEQ_CST) == 2);
    return 0;
}
