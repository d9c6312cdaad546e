// Threads map memory of their own and hand it on: a place in it has the same name in every execution.
// RADDLE: -s dpor --detect races
// EXPECT: data-race
// MODE: hooks
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { SIZE = 8192 };
static _Atomic(char *) given;

static char *map(void) {
    return mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *take(void *arg) {
    char *own = map(), *p = atomic_load(&given);
    own[0] = 1;
    if (p)
        p[4096] = 2; /* BUG */
    munmap(own, SIZE);
    return arg;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, take, NULL);
    char *p = map();
    atomic_store(&given, p);
    p[4096] = 1; /* BUG */
    pthread_join(a, NULL);
    munmap(p, SIZE);
    return 0;
}
