// Two threads compute for long, independently: the execution makes progress, and is explored like a short one.
// RADDLE: -s dpor
// EXPECT: none
// EXECUTIONS: 2
// ORDERS: 2
// MODE: hooks
// FLAGS: -O1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

int cells[2][64];
static atomic_int order;

static void *compute(void *arg) {
    int *mine = cells[arg != NULL];
    for (int i = 0; i < 30000; i++)
        mine[i % 64] = i;
    atomic_fetch_add(&order, 1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, compute, NULL);
    pthread_create(&t[1], NULL, compute, cells);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
