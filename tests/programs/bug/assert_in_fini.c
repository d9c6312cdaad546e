// RADDLE: -s dfs
// EXPECT: assertion
// A function in .fini_array, which the linker has put there: it runs at the end although no code has registered it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int last;

__attribute__((destructor)) static void check(void) { assert(last != 1); /* BUG */ }

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    last = *(int *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
