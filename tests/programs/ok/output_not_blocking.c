// RADDLE: -s dfs
// EXPECT: none
/*
 * The flags of the standard output are the same at the beginning of every execution, although executions change
 * them.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>

static void *nothing(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, nothing, NULL);
    int flags = fcntl(1, F_GETFL);
    assert(!(flags & O_APPEND));
    fcntl(1, F_SETFL, flags | O_APPEND);
    pthread_join(t, NULL);
    return 0;
}
