// The writer must be joined before its pipe is read; it fills the pipe and waits for room.
// RADDLE: -s random -n 10
// EXPECT: deadlock
// OUTPUT: send pipe
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];
static char data[100000];

static void *writer(void *arg) {
    (void)!write(ends[1], data, sizeof data); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    if (pipe(ends))
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    pthread_join(t, NULL); /* BUG */
    while (read(ends[0], data, sizeof data) > 0) {
    }
    return 0;
}
