// Large buffers are cleared and copied: each call is one operation, with the cost of one.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
// MODE: hooks
// FLAGS: -O1
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { SIZE = 1 << 20 };
static char from[2][SIZE], to[2][SIZE];

static void *work(void *arg) {
    int me = *(int *)arg;
    memset(from[me], 'a' + me, SIZE);
    memcpy(to[me], from[me], SIZE);
    assert(to[me][SIZE - 1] == 'a' + me);
    return NULL;
}

int main(void) {
    static int number[2] = {0, 1};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(to[0][0] == 'a' && to[1][0] == 'b');
    return 0;
}
