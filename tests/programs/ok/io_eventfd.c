// An eventfd as a semaphore, and one as a counter.
// RADDLE: -s random --seed 1 -n 60
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int items, done;

static void *taker(void *arg) {
    uint64_t one;
    assert(read(items, &one, sizeof one) == sizeof one && one == 1);
    assert(eventfd_write(done, 10) == 0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    uint64_t n = 2, sum = 0;
    eventfd_t got;
    items = eventfd(0, EFD_SEMAPHORE);
    done = eventfd(0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, taker, NULL);
    assert(write(items, &n, sizeof n) == sizeof n);
    while (sum < 20) {
        assert(eventfd_read(done, &got) == 0 && (got == 10 || got == 20));
        sum += got;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
