/* A ring buffer that works for thousands of items, and loses one at the wrap. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 8, ITEMS = 1500 };

struct ring {
    int item[SIZE];
    atomic_int head, tail;
};

static struct ring ring;
static long sum;

static void *producer(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        while (atomic_load(&ring.tail) - atomic_load(&ring.head) > SIZE) /* one too many */
            ;
        ring.item[atomic_load(&ring.tail) % SIZE] = i;
        atomic_fetch_add(&ring.tail, 1);
    }
    return unused;
}

static void *consumer(void *unused) {
    for (int i = 1; i <= ITEMS; i++) {
        while (atomic_load(&ring.head) == atomic_load(&ring.tail))
            ;
        sum += ring.item[atomic_load(&ring.head) % SIZE];
        atomic_fetch_add(&ring.head, 1);
    }
    return unused;
}

int main(void) {
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    assert(sum == (long)ITEMS * (ITEMS + 1) / 2);
    return 0;
}
