// A program that ends in a way that Raddle does not control, or continues where Raddle expects an end; the argument
// chooses it.
#define _GNU_SOURCE
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static int shared;
static const char *what;

static bool is(const char *name) { return strcmp(what, name) == 0; }

/* Kills itself, under the process number that the kernel knows. */
static void die_at_once(void) {
    int pid = 0;
    FILE *f = fopen("/proc/self/stat", "r");
    if (f && fscanf(f, "%d", &pid) == 1)
        kill(pid, SIGKILL);
}

static void post(union sigval unused) {
    (void)unused;
    sem_post(&never);
}

static void wait_for_timer(void) {
    timer_t timer;
    struct sigevent event;
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = post;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &soon, NULL);
    sem_wait(&never);
}

/* Overwrites up to a megabyte of every writable mapping except this stack. */
static void write_everywhere(void) {
    enum { MOST = 1024 };
    static unsigned long from[MOST], to[MOST];
    char line[512], how[8];
    unsigned long here = (unsigned long)&line;
    int count = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && count < MOST && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s", &from[count], &to[count], how) == 3 && how[1] == 'w' &&
            !(here >= from[count] && here < to[count]))
            count++;
    for (int i = 0; i < count; i++)
        for (unsigned long at = from[i]; at < to[i] && at < from[i] + (1 << 20); at += 8)
            *(volatile unsigned long *)at = 0x5a5a5a5a5a5a5a5a;
}

static void *worker(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (is("exec"))
        execl("/bin/true", "true", (char *)NULL);
    else if (is("exec-number"))
        syscall(SYS_execve, "/bin/true", (char *[]){"true", NULL}, NULL);
    else if (is("seccomp"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else if (is("seccomp-number"))
        syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
    else if (is("stop"))
        raise(SIGSTOP);
    else if (is("parent"))
        kill(getppid(), SIGTERM);
    else if (is("group"))
        kill(0, SIGTERM);
    else if (is("killed"))
        die_at_once();
    else if (is("timer"))
        wait_for_timer();
    else if (is("everywhere"))
        write_everywhere();
    if (is("race")) {
        shared = 1;
        sem_wait(&never);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    if (is("exec-early"))
        execl("/bin/true", "true", (char *)NULL);
    if (is("seccomp-early"))
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    pthread_create(&t, NULL, worker, NULL);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    int seen = is("race") ? shared : 0;
    pthread_join(t, NULL);
    return seen;
}
