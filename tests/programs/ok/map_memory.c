// Memory is mapped, handed over under a lock and unmapped: addresses are not used twice, and there is no race.
// RADDLE: -s dpor --require-complete
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

enum { SIZE = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *given;

static void *take(void *arg) {
    pthread_mutex_lock(&lock);
    char *p = given;
    given = NULL;
    pthread_mutex_unlock(&lock);
    if (p) {
        assert(p[8] == 1);
        munmap(p, SIZE);
    }
    char *own = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(own[8] == 0);
    own[8] = 2;
    munmap(own, SIZE);
    return arg;
}

int main(void) {
    pthread_t a, b;
    given = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    given[8] = 1;
    pthread_create(&a, NULL, take, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
