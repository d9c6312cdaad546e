// Closes all open descriptors and goes to the root directory, as daemons do.
// RADDLE: -s dfs -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int turns;

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    turns++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    assert(chdir("/") == 0);
    pthread_create(&t[0], NULL, worker, NULL);
    close(0);
    close(1);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    closefrom(3);
    pthread_join(t[1], NULL);
    assert(turns == 2);
    return 0;
}
