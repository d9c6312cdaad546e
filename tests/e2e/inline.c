/*
 * Ends by system calls in inline assembly: of the process, of the thread, or by execve() of another program, after
 * an execve() of a file that does not exist; the first argument chooses. With a second argument the other thread
 * fails before or after the end.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int phase, bug;

/*
 * Calls the kernel. All registers that a system call preserves must be unchanged, also if other threads ran in
 * between.
 */
static long call(long number, long a, long b, long c) {
    register long kept __asm__("r12") = 12345;
    register double number_kept __asm__("xmm9") = 0.25;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result), "+r"(kept), "+x"(number_kept)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    assert(kept == 12345 && number_kept == 0.25);
    return result;
}

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    phase = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    assert(!bug || phase != 1);
    phase = 2;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    char *args[] = {(char *)"true", NULL};
    bug = argc > 2;
    pthread_create(&t, NULL, work, NULL);
    assert(call(SYS_getpid, 0, 0, 0) > 0);
    if (strcmp(argv[1], "process") == 0)
        call(SYS_exit_group, 0, 0, 0);
    else if (strcmp(argv[1], "status") == 0)
        call(SYS_exit_group, 5, 0, 0);
    else if (strcmp(argv[1], "thread") == 0)
        call(SYS_exit, 0, 0, 0);
    assert(call(SYS_execve, (long)"/nothing/here", (long)args, (long)environ) == -2); /* ENOENT */
    call(SYS_execve, (long)"/bin/true", (long)args, (long)environ);
    return 3;
}
