/*
 * Writes as text what a program can observe of its process: one record for each execution, appended to the file
 * that the first argument names. All records of a program must be the same, whatever mode it runs in. With a second
 * argument `fail`, two threads race for a counter, and the program fails when an update is lost.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct text {
    size_t used;
    char at[256 << 10];
};
static struct text whole, of_thread[2];
static __thread int local;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *counter;

static void say(struct text *t, const char *format, ...) {
    va_list list;
    va_start(list, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, list);
    va_end(list);
    assert(t->used < sizeof t->at);
}

static void streams(struct text *t) {
    struct stat st[3];
    for (int fd = 0; fd < 3; fd++) {
        fstat(fd, &st[fd]);
        say(t, "descriptor %d: mode %o, blocks of %ld, terminal %d, flags %x, position %ld\n", fd,
            (unsigned)st[fd].st_mode, (long)st[fd].st_blksize, isatty(fd), fcntl(fd, F_GETFL),
            (long)lseek(fd, 0, SEEK_CUR));
    }
    say(t, "output and error are one file: %d\n", st[1].st_ino == st[2].st_ino && st[1].st_dev == st[2].st_dev);
    say(t, "stdout: buffer %zu, lines %d, pending %zu, position %ld\n", __fbufsize(stdout), __flbf(stdout),
        __fpending(stdout), ftell(stdout));
    say(t, "stdin: buffer %zu, lines %d\n", __fbufsize(stdin), __flbf(stdin));
    for (int fd = 0; fd < 1000; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            say(t, "open: %d, close on exec %d\n", fd, fcntl(fd, F_GETFD));
}

static void signals(struct text *t) {
    for (int sig = 1; sig <= 64; sig++) {
        struct sigaction a;
        if (sigaction(sig, NULL, &a) != 0)
            say(t, "signal %d: error %d\n", sig, errno);
        else if (a.sa_handler != SIG_DFL || a.sa_flags)
            say(t, "signal %d: %s, flags %x\n", sig, a.sa_handler == SIG_IGN ? "ignored" : "handled", a.sa_flags);
    }
    sigset_t pending;
    sigpending(&pending);
    for (int sig = 1; sig <= 64; sig++)
        if (sigismember(&pending, sig) == 1)
            say(t, "pending: %d\n", sig);
}

/* Adds the properties of the calling thread. */
static void thread(struct text *t) {
    sigset_t mask;
    stack_t alternate;
    cpu_set_t cpus;
    char name[32] = "", *block = malloc(100);
    void *mapping = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_t attr;
    void *low;
    size_t size;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int sig = 1; sig <= 64; sig++)
        if (sigismember(&mask, sig) == 1)
            say(t, "blocked: %d\n", sig);
    sigaltstack(NULL, &alternate);
    sched_getaffinity(0, sizeof cpus, &cpus);
    prctl(PR_GET_NAME, name);
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    say(t, "stack %p, %zu at %p, block %p, mapping %p\n", (void *)&mask, size, low, (void *)block, mapping);
    say(t, "thread %lx, its variable %p, errno %p\n", (unsigned long)pthread_self(), (void *)&local,
        (void *)&errno);
    say(t, "alternate stack %x, processors %d, name %s, rounding %d, errno %d\n", (unsigned)alternate.ss_flags,
        CPU_COUNT(&cpus), name, fegetround(), errno);
    free(block);
    munmap(mapping, 4096);
}

static void process(struct text *t, char **argv) {
    _Alignas(4096) char aligned[1];
    char cwd[PATH_MAX];
    struct rlimit limit;
    int fd = open("/dev/null", O_RDONLY), death = 0;
    for (char **a = argv; *a; a++)
        say(t, "argument %p %s\n", (void *)*a, a - argv == 1 ? "(file)" : *a);
    for (char **e = environ; *e; e++)
        say(t, "environment %p %s\n", (void *)*e, *e);
    say(t, "aligned %p, main %p, libc %p, new descriptor %d\n", (void *)aligned, (void *)process, (void *)qsort,
        fd);
    close(fd);
    void *library = dlopen("libresolv.so.2", RTLD_NOW);
    say(t, "another library: %p\n", library ? dlsym(library, "ns_parserr") : NULL);
    for (int i = 0; i < RLIM_NLIMITS; i++)
        if (getrlimit((__rlimit_resource_t)i, &limit) == 0)
            say(t, "limit %d: %lu %lu\n", i, (unsigned long)limit.rlim_cur, (unsigned long)limit.rlim_max);
    mode_t mask = umask(022);
    umask(mask);
    prctl(PR_GET_PDEATHSIG, &death);
    say(t, "mask %o, directory %s, locale %s\n", (unsigned)mask, getcwd(cwd, sizeof cwd), setlocale(LC_ALL, NULL));
    say(t, "personality %x, death %d, dumpable %d, priority %d\n", (unsigned)personality(0xffffffff), death,
        prctl(PR_GET_DUMPABLE), getpriority(PRIO_PROCESS, 0));
    say(t, "name %s, %s, %s\n", program_invocation_name, (const char *)getauxval(AT_EXECFN),
        program_invocation_short_name);
    say(t, "process %d, group %d, session leader %d\n", getpid(), getpgrp() == getpid(), getsid(0) == getpid());
    say(t, "time %ld, break %p\n", (long)time(NULL), sbrk(0));
}

static void *work(void *arg) {
    struct text *t = arg;
    int fd = open("/dev/null", O_RDONLY);
    thread(t);
    close(fd);
    pthread_mutex_lock(&lock);
    int seen = *counter;
    pthread_mutex_unlock(&lock);
    printf("%d\n", seen);
    pthread_mutex_lock(&lock);
    *counter = seen + 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    printf("hello\n");
    thread(&whole);
    process(&whole, argv);
    streams(&whole);
    signals(&whole);
    counter = calloc(1, sizeof *counter);
    say(&whole, "counter %p\n", (void *)counter);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &of_thread[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    streams(&whole);
    signals(&whole);
    for (int i = 0; i < 2; i++)
        say(&whole, "thread %d\n%s", i, of_thread[i].at);
    say(&whole, "----\n");
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
    assert(write(fd, whole.at, whole.used) == (ssize_t)whole.used);
    close(fd);
    assert(argc < 3 || *counter == 2); /* BUG */
}
