// Every thread is given the address of the loop's variable, which has changed when the thread reads it.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N = 2 };
static int visited[N + 1];

static void *worker(void *arg) {
    visited[*(int *)arg]++;
    return NULL;
}

int main(void) {
    pthread_t t[N];
    int i;
    for (i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, &i);
    for (int k = 0; k < N; k++)
        pthread_join(t[k], NULL);
    for (int k = 0; k < N; k++)
        assert(visited[k] == 1); /* BUG */
    return 0;
}
