// The kernel writes into memory that another thread reads twice, by a call in inline assembly.
// RADDLE: -s dpor
// EXPECT: assertion
// MODE: hooks
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>

static volatile unsigned long word;

static void *fill(void *arg) {
#ifdef __x86_64__
    long r;
    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(SYS_getrandom), "D"(&word), "S"(sizeof word), "d"(0L)
                     : "rcx", "r11", "memory");
#endif
    return arg;
}

static void *look(void *arg) {
    unsigned long a = word, b = word;
    assert(a == b); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t, u;
    pthread_create(&t, NULL, fill, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
