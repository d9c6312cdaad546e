// The program has its own malloc, which libc calls, too: the addresses of blocks must not depend on the kind of search.
// RADDLE: -s dfs
// EXPECT: assertion
// FLAGS: -fno-builtin
// OUTPUT: the program brings its own malloc
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static _Alignas(16) char pool[1 << 20];
static size_t used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *first;

void *malloc(size_t size) {
    size_t *block = (size_t *)(void *)(pool + used);
    used += (size + 31) & ~(size_t)15;
    if (used > sizeof pool)
        return NULL;
    *block = size;
    return block + 2;
}
void free(void *p) { (void)p; }
void *calloc(size_t count, size_t size) { return malloc(count * size); } /* the pool is zero */
void *realloc(void *p, size_t size) {
    char *block = malloc(size);
    for (size_t i = 0; p && block && i < size && i < ((size_t *)p)[-2]; i++)
        block[i] = ((char *)p)[i];
    return block;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    int *mine = malloc(sizeof *mine);
    *mine = 1;
    first = first ? first : mine;
    assert(first == mine || !arg); /* BUG */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, &lock);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
