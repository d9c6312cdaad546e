// One thread writes numbers into a pipe, another reads them until the end.
// RADDLE: -s dfs -n 100
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *producer(void *arg) {
    for (int i = 1; i <= 3; i++)
        assert(write(ends[1], &i, sizeof i) == sizeof i);
    close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t t;
    int got, sum = 0;
    ssize_t n;
    assert(pipe(ends) == 0);
    pthread_create(&t, NULL, producer, NULL);
    while ((n = read(ends[0], &got, sizeof got)) == sizeof got)
        sum += got;
    assert(n == 0 && sum == 6);
    pthread_join(t, NULL);
    return 0;
}
