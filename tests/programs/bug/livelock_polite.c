// "After you": each thread sets its flag, sees the other's, resets its own, and tries again.
// RADDLE: --max-steps 4000
// EXPECT: livelock
// MODE: hooks
// OUTPUT: and no thread makes progress
// TIMES: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag[2];
static int inside;

static void *enter(void *arg) {
    int me = arg != NULL;
    for (;;) {
        atomic_store(&flag[me], 1);        /* BUG */
        if (atomic_load(&flag[1 - me]) == 0) /* BUG */
            break;
        atomic_store(&flag[me], 0); /* BUG */
    }
    inside++;
    atomic_store(&flag[me], 0);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, enter, NULL);
    pthread_create(&t[1], NULL, enter, &inside);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
