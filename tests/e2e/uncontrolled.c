/*
 * uncontrolled.c - for test_uncontrolled.py: an action that Raddle does not control, one for each argument. It has
 * no header with a contract because the expected result depends on the argument.
 */
#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *what;
static int word, ends[2];
static volatile int never;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* As in a hand-written lock: no function of libc is called. */
static inline __attribute__((always_inline)) void call(long number, long a, long b, long c) {
#if defined __x86_64__
    register long timeout __asm__("r10") = 0;
    long result;
    __asm__ volatile("syscall" /* CALL */
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(timeout)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c, x3 __asm__("x3") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory"); /* CALL */
#endif
}

static void spin(void) {
    while (!never) /* SPIN */
        ;
}

/* Only one of two descriptors of the same file can have the lock. */
static void lock_file(void) {
    int first = open("/proc/self/exe", O_RDONLY), second = open("/proc/self/exe", O_RDONLY);
    flock(first, LOCK_EX);
    flock(second, LOCK_EX); /* FLOCK */
}

static int child(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg ? 7 : 0;
}

static void nothing(union sigval value) { (void)value; }

/* For this glibc creates a thread of its own, not through pthread_create. */
static void library_thread(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = nothing};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        abort();
}

static void check_child(pid_t pid) {
    int status;
    if (pid <= 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
        abort();
}

static void start(const char *name) {
    static char stack[65536] __attribute__((aligned(16)));
    struct clone_args args = {.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD};
    int thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    if (strcmp(name, "clone-thread") == 0)
        clone(child, stack + sizeof stack, thread, NULL);
    else if (strcmp(name, "clone-number") == 0)
        syscall(SYS_clone, thread, stack + sizeof stack, NULL, NULL, NULL);
    else if (strcmp(name, "clone-process") == 0)
        check_child(clone(child, stack + sizeof stack, SIGCHLD, stack));
    else if (strcmp(name, "clone-vfork") == 0)
        check_child(clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, stack));
    else if (strcmp(name, "clone3") == 0) {
        pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
        if (pid == 0)
            _exit(child(stack));
        check_child(pid);
    }
}

static void *worker(void *arg) {
    char c[64];
    struct sembuf operation = {0};
    const struct aiocb *none[1] = {NULL};
    if (strcmp(what, "read") == 0)
        call(SYS_read, ends[0], (long)c, 1);
    else if (strcmp(what, "futex") == 0)
        call(SYS_futex, (long)&word, FUTEX_WAIT, 0);
    else if (strcmp(what, "spin") == 0)
        spin();
    else if (strcmp(what, "flock") == 0)
        lock_file();
    else if (strcmp(what, "timer") == 0)
        library_thread();
    else if (strcmp(what, "msgrcv") == 0)
        msgrcv(0, c, 8, 0, 0);
    else if (strcmp(what, "msgsnd") == 0)
        msgsnd(0, c, 8, 0);
    else if (strcmp(what, "semop") == 0)
        semop(0, &operation, 1);
    else if (strcmp(what, "semtimedop") == 0)
        semtimedop(0, &operation, 1, NULL);
    else if (strcmp(what, "aio_suspend") == 0)
        aio_suspend(none, 1, NULL);
    else if (strcmp(what, "FUTEX_LOCK_PI") == 0)
        syscall(SYS_futex, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
#ifdef SYS_futex_waitv
    else if (strcmp(what, "SYS_futex_waitv") == 0)
        syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0);
#endif
    else
        start(what);
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    if (argc < 2 || pipe(ends) != 0)
        return 2;
    what = argv[1];
    if (strcmp(what, "early") == 0)
        library_thread();
    if (strcmp(what, "dlmopen") == 0 && !dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW))
        return 2;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, NULL);
    return 0;
}
