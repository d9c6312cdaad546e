// A ring completes calls unseen by Raddle. io_uring fails, as on kernels without it, so that libraries use other calls.
// EXPECT: none
// ALONE: no
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *worker(void *arg) { return arg; }

int main(void) {
    pthread_t t;
    char params[256];
    memset(params, 0, sizeof params);
    assert(syscall(SYS_io_uring_setup, 1L, params) == -1 && errno == ENOSYS);
    pthread_create(&t, NULL, worker, NULL);
    assert(syscall(SYS_io_uring_setup, 1L, params) == -1 && errno == ENOSYS);
    pthread_join(t, NULL);
    return 0;
}
