// A lost update of the only shared variable, in the middle of a long computation.
// RADDLE: -t 30 --detect none
// EXPECT: assertion
// LINE: 33
// MODE: hooks
// FLAGS: -O1
// TIMES: 1
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
enum { N = 250, ROUNDS = 1000 };
static int a[2][N], total;
static void add(void) {
    int t = total;
    total = t + 1;
}
static void *work(void *arg) {
    int *mine = a[arg != NULL];
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            mine[i] = mine[(i + 1) % N] + r;
        if (r == ROUNDS / (arg ? 2 : 3))
            add();
    }
    return NULL;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, a);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(total == 2);
    return 0;
}
