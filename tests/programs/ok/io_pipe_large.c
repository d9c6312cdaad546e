// More data than a pipe holds: the writer continues when the reader has made room; the reader gets every byte.
// RADDLE: -s random --seed 3 -n 30
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SIZE = 200000 };
static int ends[2];
static unsigned char from[SIZE];

static void *producer(void *arg) {
    struct iovec v[3] = {{from, 10}, {from + 10, 100000}, {from + 100010, SIZE - 100010}};
    assert(writev(ends[1], v, 3) == SIZE);
    assert(write(ends[1], from, SIZE) == SIZE);
    close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t t;
    static unsigned char got[65536];
    size_t all = 0;
    ssize_t n;
    for (int i = 0; i < SIZE; i++)
        from[i] = (unsigned char)(i * 7 / 3);
    assert(pipe(ends) == 0);
    pthread_create(&t, NULL, producer, NULL);
    while ((n = read(ends[0], got, sizeof got)) > 0) {
        assert(got[0] == from[all % SIZE] && got[n - 1] == from[(all + (size_t)n - 1) % SIZE]);
        all += (size_t)n;
    }
    assert(n == 0 && all == 2 * SIZE);
    pthread_join(t, NULL);
    return 0;
}
