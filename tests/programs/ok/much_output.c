// Much output, on both streams.
// RADDLE: -s dfs -n 20
// EXPECT: none
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void *worker(void *arg) {
    char line[1000];
    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = 0;
    for (int i = 0; i < 1500; i++)
        fprintf(i % 2 ? stdout : stderr, "%d %s\n", i, line);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
