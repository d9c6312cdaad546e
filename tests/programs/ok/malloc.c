// The whole malloc family, with blocks that are freed by another thread.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *box[8];

static void swap(int slot, void *p) {
    pthread_mutex_lock(&lock);
    void *old = box[slot];
    box[slot] = p;
    pthread_mutex_unlock(&lock);
    free(old);
}

static void *worker(void *arg) {
    int c = (int)(intptr_t)arg;
    void *aligned = NULL;
    char *p = malloc(10);
    memset(p, c, 10);
    p = realloc(p, 5000);
    assert(p[0] == c && p[9] == c && malloc_usable_size(p) >= 5000);
    int *zero = calloc(100, sizeof *zero);
    for (int i = 0; i < 100; i++)
        assert(zero[i] == 0);
    assert(posix_memalign(&aligned, 256, 100) == 0 && (uintptr_t)aligned % 256 == 0);
    void *more = aligned_alloc(64, 128);
    assert((uintptr_t)more % 64 == 0);
    swap(0, p);
    swap(1, zero);
    swap(2, aligned);
    swap(3, more);
    swap(4, strdup("text"));
    swap(5, reallocarray(NULL, 3, 7));
    free(NULL);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    for (intptr_t i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)('a' + i));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 8; i++)
        free(box[i]);
    return 0;
}
