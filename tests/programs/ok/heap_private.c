// Blocks that no other thread can know: freeing them is no operation, and only the starts, the joins and main's reads
// of its two variables are run in all orders.
// RADDLE: -s dfs --points all
// EXPECT: none
// EXECUTIONS: 14
// EXECUTIONS-PLAIN: 5
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg) {
    for (int i = 0; i < 50; i++) {
        char *p = malloc(64 + (size_t)i), *q = malloc(32);
        free(q);
        p = realloc(p, 200);
        free(p);
    }
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
