// The program changes its directory and closes its streams before it fails: the schedule must still be written.
// RADDLE: -s dfs
// EXPECT: assertion
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    if (!first)
        first = *(int *)arg;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    int id[2] = {1, 2};
    if (chdir("/") != 0)
        return 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &id[i]);
    close(1);
    close(2);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(first == 1); /* BUG */
    return 0;
}
