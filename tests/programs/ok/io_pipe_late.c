// A pipe that is made after the threads: fork isolation is enough to keep executions apart.
// RADDLE: -s dfs -n 200
// EXPECT: none
// OUTPUT: isolation snapshot
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static sem_t made;

static void *reader(void *arg) {
    char c;
    sem_wait(&made);
    assert(read(ends[0], &c, 1) == 1 && c == 'x');
    assert(read(ends[0], &c, 1) == 0);
    return arg;
}

int main(void) {
    pthread_t t;
    sem_init(&made, 0, 0);
    pthread_create(&t, NULL, reader, NULL);
    assert(pipe(ends) == 0);
    sem_post(&made);
    assert(write(ends[1], "x", 1) == 1);
    close(ends[1]);
    pthread_join(t, NULL);
    return 0;
}
