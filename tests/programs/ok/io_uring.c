// A ring completes calls behind everybody's back: refused, by name.
// EXPECT: none
// STATUS: 2
// OUTPUT: the program uses io_uring, which raddle cannot control
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *worker(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    char params[256];
    memset(params, 0, sizeof params);
    pthread_create(&t, NULL, worker, NULL);
    syscall(SYS_io_uring_setup, 1L, params);
    pthread_join(t, NULL);
    return 0;
}
