// Several threads print to one stream: every line is whole, and every thread's lines are in order.
// RADDLE: -s random --seed 5 -n 200
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, LINES = 4 };
static FILE *out;

static void *worker(void *arg) {
    for (int i = 0; i < LINES; i++) {
        fprintf(out, "thread %d line %d of %d\n", (int)(intptr_t)arg, i, LINES);
        printf("and on standard output: thread %d line %d\n", (int)(intptr_t)arg, i);
        sched_yield();
    }
    return NULL;
}

int main(void) {
    char *text = NULL;
    size_t size = 0;
    int next[THREADS] = {0}, lines = 0;
    pthread_t t[THREADS];
    out = open_memstream(&text, &size);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    fclose(out);
    for (char *p = text; *p; lines++) {
        int id, line, of, used = 0;
        assert(sscanf(p, "thread %d line %d of %d\n%n", &id, &line, &of, &used) == 3 && used > 0);
        assert(id < THREADS && line == next[id]++ && of == LINES);
        p += used;
    }
    assert(lines == THREADS * LINES);
    free(text);
    return 0;
}
