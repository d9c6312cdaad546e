// The program orders the two accesses by a relaxed atomic, which does not order them, and by an annotation, which does.
// RADDLE: -s dpor
// EXPECT: none
// MODE: hooks
#include <pthread.h>
#include <stdatomic.h>

void __tsan_release(void *) __attribute__((weak));
void __tsan_acquire(void *) __attribute__((weak));

static int data, seen;
static atomic_int flag;

static void *producer(void *arg) {
    data = 1;
    if (__tsan_release)
        __tsan_release(&flag);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *consumer(void *arg) {
    if (!atomic_load_explicit(&flag, memory_order_relaxed))
        return arg;
    if (__tsan_acquire)
        __tsan_acquire(&flag);
    seen = data;
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, producer, NULL);
    pthread_create(&b, NULL, consumer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen > 1;
}
