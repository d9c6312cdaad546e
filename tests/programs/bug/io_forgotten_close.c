// A thread that finds the queue empty ends without closing the pipe: the reader waits for the end of file for ever.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2], work = 1, writers = 2;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg) {
    pthread_mutex_lock(&lock);
    int mine = work > 0 ? work-- : 0;
    pthread_mutex_unlock(&lock);
    if (!mine)
        return arg;
    (void)!write(ends[1], "x", 1);
    pthread_mutex_lock(&lock);
    int last = --writers == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        close(ends[1]);
    return arg;
}

int main(void) {
    pthread_t t[2];
    char c;
    if (pipe(ends))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, NULL);
    while (read(ends[0], &c, 1) == 1) { /* BUG */
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
