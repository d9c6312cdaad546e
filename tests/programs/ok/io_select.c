// select reports which of two pipes is ready, and the rest of the timeout.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2][2];

static void *writer(void *arg) {
    int *to = arg;
    assert(write(to[1], "x", 1) == 1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int got = 0;
    for (int i = 0; i < 2; i++) {
        assert(pipe(ends[i]) == 0);
        pthread_create(&t[i], NULL, writer, ends[i]);
    }
    while (got < 2) {
        fd_set in, out;
        FD_ZERO(&in);
        FD_ZERO(&out);
        FD_SET(ends[0][0], &in);
        FD_SET(ends[1][0], &in);
        int n = select(ends[1][1] + 1, &in, NULL, NULL, NULL);
        assert(n == 1 || n == 2);
        for (int i = 0; i < 2; i++)
            if (FD_ISSET(ends[i][0], &in)) {
                char c;
                assert(read(ends[i][0], &c, 1) == 1 && c == 'x');
                got++;
                n--;
            }
        assert(n == 0);
    }
    fd_set in, out;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_SET(ends[0][0], &in);
    struct timeval left = {0, 200000};
    assert(select(ends[0][0] + 1, &in, NULL, NULL, &left) == 0 && left.tv_sec == 0 && left.tv_usec == 0);
    FD_SET(ends[0][1], &out);
    assert(select(ends[0][1] + 1, &in, &out, NULL, &left) == 1 && FD_ISSET(ends[0][1], &out));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
