// The thread that comes second sends the process a signal that ends it: the finding is at the call that sends it.
// RADDLE: -s dfs
// EXPECT: crash
// OUTPUT: SIGTERM
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int registered;

static void *enlist(void *arg) {
    pthread_mutex_lock(&lock);
    if (registered++ && arg)
        kill(getpid(), SIGTERM); /* BUG */
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, enlist, &lock);
    pthread_create(&t[1], NULL, enlist, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
