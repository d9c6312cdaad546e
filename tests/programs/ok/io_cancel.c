// A thread that waits for a pipe is cancelled: its cleanup handler closes the other end.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int in[2], out[2];

static void clean(void *arg) {
    (void)arg;
    close(out[1]);
}

static void *reader(void *arg) {
    char c;
    pthread_cleanup_push(clean, NULL);
    (void)!read(in[0], &c, 1);
    assert(0);
    pthread_cleanup_pop(0);
    return arg;
}

int main(void) {
    pthread_t t;
    void *result;
    char c;
    assert(pipe(in) == 0 && pipe(out) == 0);
    pthread_create(&t, NULL, reader, NULL);
    pthread_cancel(t);
    assert(read(out[0], &c, 1) == 0);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    return 0;
}
