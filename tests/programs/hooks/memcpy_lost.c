// RADDLE: -s random -n 100 --seed 1
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -fno-builtin
//
// A lost update where all accesses to the shared counter are made by libc, in memcpy. Most schedules lose
// it (100 seeds: after 1.2 executions on average), so 100 miss it with less than 1e-9.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char counter[sizeof(int)];

static void *add(void *arg) {
    int n;
    memcpy(&n, counter, sizeof n);
    n++;
    memcpy(counter, &n, sizeof n);
    return arg;
}

int main(void) {
    pthread_t t[2];
    int n;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    memcpy(&n, counter, sizeof n);
    assert(n == 2);
    return 0;
}
