// A thread searches a table on its own stack, which no other thread uses, again and again for a missing value.
// RADDLE: -s dfs --max-seconds 20
// EXPECT: livelock
// MODE: hooks
// FLAGS: -O0
// TIMES: 1
#include <pthread.h>
#include <stdatomic.h>

enum { ENTRIES = 80 };

static atomic_int wanted;

static void *look(void *arg) {
    int table[ENTRIES];
    volatile int *entry = table;
    for (int i = 0; i < ENTRIES; i++)
        entry[i] = i;
    int key = atomic_load(&wanted) ? ENTRIES : 0;
    for (;;)
        for (int i = 0; i < ENTRIES; i++)
            if (entry[i] == key)
                return arg;
}

static void *ask(void *arg) {
    atomic_store(&wanted, 1);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, ask, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
