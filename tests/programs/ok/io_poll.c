// A loop over two pipes with poll until both have ended.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[3][2];

static void *writer(void *arg) {
    int *to = arg;
    assert(write(to[1], "ab", 2) == 2);
    assert(write(to[1], "c", 1) == 1);
    close(to[1]);
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int bytes = 0, open = 3;
    struct pollfd p[3];
    for (int i = 0; i < 3; i++) {
        assert(pipe(ends[i]) == 0);
        p[i] = (struct pollfd){.fd = ends[i][0], .events = POLLIN};
        pthread_create(&t[i], NULL, writer, ends[i]);
    }
    while (open > 0) {
        int ready = poll(p, 3, -1), seen = 0;
        assert(ready > 0);
        for (int i = 0; i < 3; i++) {
            char c[8];
            if (!p[i].revents)
                continue;
            seen++;
            ssize_t n = read(p[i].fd, c, sizeof c);
            assert(n >= 0 && n <= 3);
            bytes += (int)n;
            if (n == 0) {
                p[i].fd = -1;
                open--;
            }
        }
        assert(seen == ready);
    }
    assert(bytes == 9);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
