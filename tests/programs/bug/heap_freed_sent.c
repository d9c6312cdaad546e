// A block is freed while another thread is about to write it into a pipe.
// RADDLE: -s dpor --detect heap
// EXPECT: use-after-free
// MODE: hooks
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static char *block;
static int ends[2];

static void *sends(void *arg) {
    if (write(ends[1], block, 8) != 8) /* BUG */
        return NULL;
    return arg;
}

int main(void) {
    pthread_t a;
    if (pipe(ends))
        return 1;
    block = calloc(1, 8);
    pthread_create(&a, NULL, sends, NULL);
    free(block);
    pthread_join(a, NULL);
    return 0;
}
