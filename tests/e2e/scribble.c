// scribble ADDRESS BYTES ORDER: two threads take a lock three times each. In the orders of threads that the third
// argument selects (0: in all) the program writes to the address. With a fourth argument an order fails an
// assertion, and another one kills the process of the search.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ASSERTS = 0x38, KILLS = 0x07 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order, taken;

static void *take(void *who) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        order |= *(int *)who << taken++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

/* The parent's process number as the kernel knows it: raddle refuses the number that getppid() returns. */
static int parent(void) {
    int pid = 0;
    FILE *f = fopen("/proc/self/stat", "r");
    assert(f && fscanf(f, "%*d (%*[^)]) %*c %d", &pid) == 1);
    fclose(f);
    return pid;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    int who[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, take, &who[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    char *at = (char *)strtoull(argv[1], NULL, 16);
    int when = atoi(argv[3]);
    if (at && (when == 0 || when == order))
        memset(at, 0x5a, strtoull(argv[2], NULL, 10));
    if (argc > 4) {
        assert(order != ASSERTS);
        if (order == KILLS)
            kill(parent(), SIGKILL);
    }
    return 0;
}
