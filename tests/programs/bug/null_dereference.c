// The connection is checked and used in two separate critical sections.
// RADDLE: -s dfs
// EXPECT: crash
// OUTPUT: SIGSEGV
#include <pthread.h>
#include <stddef.h>

struct connection {
    int sent;
};
static struct connection only, *current = &only;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sender(void *arg) {
    pthread_mutex_lock(&lock);
    int open = current != NULL;
    pthread_mutex_unlock(&lock);
    if (open) {
        pthread_mutex_lock(&lock);
        current->sent++; /* BUG */
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *closer(void *arg) {
    pthread_mutex_lock(&lock);
    current = NULL;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, sender, NULL);
    pthread_create(&t[1], NULL, closer, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
