/* budget.c - programs that never end, or end late, each in its own way; the first argument chooses one. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MIB = 1 << 20, GIB_IN_MIB = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int shared, sink;
static char block[MIB];

static void *count(void *arg) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

/* Loops for ever without an operation. */
static void *spin(void *arg) {
    for (volatile unsigned long i = 0;; i++) {
    }
    return arg;
}
/* Loops for ever with one operation after the other. */
static void *go_on(void *arg) {
    for (;;)
        sink++;
    return arg;
}

static void come_back(int sig) { (void)sig; }
static void *fault(void *arg) {
    signal(SIGSEGV, come_back);
    *(volatile int *)8 = 1;
    return arg;
}

static long raw(long number, long a, long b) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
    return result;
#else
    return syscall(number, a, b);
#endif
}
static void *stop(void *arg) {
    raw(SYS_kill, raw(SYS_getpid, 0, 0), SIGSTOP);
    return arg;
}

static void *replace(void *arg) {
    execl("/bin/sleep", "sleep", "1000", (char *)NULL);
    return arg;
}

static void write_gib(int fd) {
    memset(block, 'x', sizeof block);
    for (int i = 0; i < GIB_IN_MIB; i++)
        if (write(fd, block, sizeof block) < 0)
            abort();
}
static void *file(void *arg) {
    int fd = open("big", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    write_gib(fd);
    close(fd);
    return arg;
}
static void *output(void *arg) {
    write_gib(1);
    return arg;
}

/* Starts two processes whose relation to this one is lost as soon as it has ended. */
static void *sessions(void *arg) {
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            setsid();
        for (;;)
            pause();
    }
    return arg;
}

static void *steps(void *arg) {
    for (int i = 0; i < 2000; i++) {
        int t = shared;
        shared = t + 1;
    }
    return arg;
}

static void *set(void *arg) {
    pthread_mutex_lock(&lock);
    shared = shared * 2 + (arg != NULL);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void pair(void *(*first)(void *), void *(*second)(void *), void *arg) {
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, arg);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void many(int n) {
    pthread_t t;
    for (int i = 0; i < n; i++)
        if (pthread_create(&t, NULL, set, NULL) != 0)
            abort();
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void *(*body)(void *);
    } bodies[] = {{"spin", spin},     {"fault", fault},       {"stop", stop},   {"exec", replace}, {"file", file},
                  {"output", output}, {"sessions", sessions}, {"count", count}, {"steps", go_on}};
    const char *what = argc > 1 ? argv[1] : "";
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        if (strcmp(what, bodies[i].name) == 0)
            pair(count, bodies[i].body, NULL);
        else if (strncmp(what, "first-", 6) == 0 && strcmp(what + 6, bodies[i].name) == 0)
            bodies[i].body(NULL);
    }
    if (strcmp(what, "threads") == 0)
        many(10000);
    if (strcmp(what, "found") == 0) { /* one order of the threads is a finding, the other one never ends */
        pair(set, set, &lock);
        if (shared == 1)
            abort();
        spin(NULL);
    }
    if (strcmp(what, "long") == 0) {
        pair(steps, steps, NULL);
        if (shared != 4000)
            abort();
    }
    if (strcmp(what, "limited") == 0) {
        struct rlimit r = {256 * MIB, 256 * MIB};
        setrlimit(RLIMIT_AS, &r);
        pair(count, count, NULL);
    }
    if (strcmp(what, "print") == 0) {
        for (int i = 0; i < 100000; i++)
            puts("a line that somebody is to read");
        pair(count, count, NULL);
    }
    return 0;
}
