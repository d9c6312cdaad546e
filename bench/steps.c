/* steps.c - threads that write to shared memory, to measure the cost of a step: steps THREADS WRITES. */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS_MAX = 1000, CELLS = 64 };
int cells[CELLS];
static int writes;

static void *work(void *arg) {
    for (int i = 0; i < writes; i++)
        cells[(i + (int)(long)arg) % CELLS] = i;
    return NULL;
}

int main(int argc, char **argv) {
    static pthread_t t[THREADS_MAX];
    int threads = argc > 1 ? atoi(argv[1]) : 4;
    writes = argc > 2 ? atoi(argv[2]) : 1000;
    threads = threads < THREADS_MAX ? threads : THREADS_MAX;
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    return 0;
}
