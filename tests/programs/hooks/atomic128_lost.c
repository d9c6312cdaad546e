// RADDLE: -s random -n 100 --seed 1
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -mcx16 -latomic
// UNSEEN: memory accesses in libatomic.so.1 (built without raddle cc)
//
// A lost update of a 16-byte atomic: each load and each store is atomic, the two together are not. One schedule
// in 3.8 loses it (mean of 100 seeds), so 100 miss it with less than 1e-9.
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
