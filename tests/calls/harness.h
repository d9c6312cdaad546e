/*
 * harness.h - shared by all programs of the differential test of calls (generate.py makes the rest). A program is a
 * few statements for each of 2 or 3 threads, named on the command line: "3,17,4 9,9". Compiled with `raddle cc`,
 * Raddle schedules the threads. Compiled with -DTURNS by the plain compiler, the program tries every order of the
 * statements itself: for each order it forks a process in which real threads take turns, and prints the different
 * outcomes.
 *
 * An outcome is all output of the program: the output of the threads, the result of each of their statements, and
 * the final state of all shared objects. Code that only keeps results is QUIET, so that it makes no operation.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <glob.h>
#include <iconv.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libgen.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>

#define QUIET __attribute__((no_sanitize("thread"), noinline, unused))
enum { THREADS = 3, STATEMENTS = 8, BLOCKED = 77 };

/* The private state of a thread. */
struct local {
    FILE *stream;
    char *kept;
    char text[64];
    uint64_t pad[64];
};

/* The state that all threads share: two objects of each kind, so that some statements are independent. */
static int G[2];
static int many[2][4];
static char B[2][64];
static wchar_t W[2][32];
static char *heap[2];
static char *rest[2]; /* the rest of strtok_r */
static char *line[2];
static size_t line_size[2];
static struct tm when[2];
static sigset_t mask[2];
static struct iovec parts[2][2];
static unsigned short seeds[2][3];
static pthread_mutex_t M[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int F[2], P[2][2], E[2];
static FILE *S[2];
static DIR *D;

QUIET static uint64_t hash(const void *from, size_t size) {
    const unsigned char *p = (const unsigned char *)from;
    uint64_t h = 1469598103934665603u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ p[i]) * 1099511628211u;
    return h ^ h >> 29;
}
QUIET static size_t length(const char *s) {
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
QUIET static uint64_t text(const char *s) { return s ? hash(s, length(s)) : 0; }
QUIET static uint64_t wide(const wchar_t *s) {
    size_t n = 0;
    while (s[n])
        n++;
    return hash(s, n * sizeof *s);
}

typedef uint64_t statement(struct local *L, unsigned x);
extern statement *const statements[];
void set_up(void); /* sets up the groups of statements that a program has */
void tear_down(void);

static struct {
    unsigned count;
    unsigned of[STATEMENTS];
    uint64_t seen[STATEMENTS];
    struct local local;
} threads[THREADS];
static unsigned thread_count;
static const char alphabet[] = "0123456789abcdefghijklmnopqrstuv";

/* One statement of a thread. Its argument is a small number that depends on the last statement's result. */
QUIET static void step(unsigned t, unsigned i) {
    unsigned x = i ? (unsigned)threads[t].seen[i - 1] & 3 : t + 1;
    threads[t].seen[i] = statements[threads[t].of[i]](&threads[t].local, x);
}

QUIET static void read_program(int argc, char **argv) {
    for (int a = 1; a < argc && thread_count < THREADS; a++, thread_count++)
        for (const char *p = argv[a]; *p; p += *p == ',') {
            unsigned n = 0;
            for (; *p >= '0' && *p <= '9'; p++)
                n = n * 10 + (unsigned)(*p - '0');
            threads[thread_count].of[threads[thread_count].count++] = n;
        }
}

QUIET static char *put(char *to, uint64_t v) {
    for (int i = 0; i < 6; i++, v >>= 5)
        *to++ = alphabet[v & 31];
    *to++ = ' ';
    return to;
}

static void show(void) {
    char out[1024], *to = out;
    for (unsigned t = 0; t < thread_count; t++) {
        for (unsigned i = 0; i < threads[t].count; i++)
            to = put(to, threads[t].seen[i]);
        *to++ = '|';
    }
    *to++ = '\n';
    fflush(NULL);
    fwrite(out, 1, (size_t)(to - out), stdout);
    printf("%d %d %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", G[0], G[1], text(B[0]), text(B[1]),
           wide(W[0]), wide(W[1]));
    printf("%d %d %d %d %d %d %d %d\n", many[0][0], many[0][1], many[0][2], many[0][3], many[1][0], many[1][1],
           many[1][2], many[1][3]);
    printf("%s %s %d %d %d %s\n", heap[0], heap[1], when[0].tm_mday, when[0].tm_hour, when[1].tm_year, line[0]);
    printf("%d%d %d %d\n", sigismember(&mask[0], SIGUSR1), sigismember(&mask[1], SIGUSR2), seeds[0][0],
           seeds[1][1]);
    tear_down();
    fflush(NULL);
}

static void begin(void) {
    for (int i = 0; i < 2; i++) {
        snprintf(B[i], sizeof B[i], "%d,4%d;x", 31 + i, i);
        swprintf(W[i], 32, L"1%d w", i);
        heap[i] = (char *)malloc(32);
        strcpy(heap[i], i ? "one" : "zero");
        for (int k = 0; k < 4; k++)
            many[i][k] = 7 - 2 * k + i;
        seeds[i][0] = seeds[i][1] = seeds[i][2] = (unsigned short)(i + 5);
        parts[i][0].iov_base = B[i], parts[i][0].iov_len = 2;
        parts[i][1].iov_base = B[i] + 8, parts[i][1].iov_len = 3;
        sigemptyset(&mask[i]);
        when[i].tm_mday = 1 + i;
        when[i].tm_year = 100;
    }
    set_up();
}

#ifdef TURNS

static struct {
    pthread_t thread;
    sem_t turn;
} workers[THREADS];
static sem_t done;

static void *worker(void *arg) {
    unsigned t = (unsigned)(uintptr_t)arg;
    for (unsigned i = 0; i < threads[t].count; i++) {
        sem_wait(&workers[t].turn);
        step(t, i);
        sem_post(&done);
    }
    return NULL;
}

/* A statement that would block ends the process: another order of turns runs it later. */
static void cannot_go_on(void) { _exit(BLOCKED); }
static void lock(pthread_mutex_t *m) {
    if (pthread_mutex_trylock(m) != 0)
        cannot_go_on();
}

static void one_order(const unsigned char *order, unsigned count, int out) {
    dup2(out, 1);
    begin();
    sem_init(&done, 0, 0);
    for (unsigned t = 0; t < thread_count; t++) {
        sem_init(&workers[t].turn, 0, 0);
        pthread_create(&workers[t].thread, NULL, worker, (void *)(uintptr_t)t);
    }
    for (unsigned i = 0; i < count; i++) {
        sem_post(&workers[order[i]].turn);
        sem_wait(&done);
    }
    for (unsigned t = 0; t < thread_count; t++)
        pthread_join(workers[t].thread, NULL);
    show();
    _exit(0);
}

enum { OUTCOMES = 4096, ROOM = 4096 };
static uint64_t outcomes[OUTCOMES];
static unsigned outcome_count;

/* Prints the outcome if it is new: its size in a line, and then its text. */
static void collect(int out) {
    static char got[ROOM];
    ssize_t n = pread(out, got, sizeof got, 0);
    uint64_t h = hash(got, (size_t)n);
    for (unsigned i = 0; i < outcome_count; i++)
        if (outcomes[i] == h)
            return;
    if (n < 0 || n == ROOM || outcome_count == OUTCOMES)
        abort();
    outcomes[outcome_count++] = h;
    printf("%zd\n", n);
    fwrite(got, 1, (size_t)n, stdout);
}

static void every_order(unsigned char *order, unsigned at, unsigned left[THREADS], int out) {
    bool last = true;
    for (unsigned t = 0; t < thread_count; t++) {
        if (!left[t])
            continue;
        last = false;
        left[t]--;
        order[at] = (unsigned char)t;
        every_order(order, at + 1, left, out);
        left[t]++;
    }
    if (!last)
        return;
    int status = 0;
    fflush(stdout);
    if (ftruncate(out, 0) != 0 || lseek(out, 0, SEEK_SET) != 0)
        abort();
    pid_t child = fork();
    if (child == 0)
        one_order(order, at, out);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        collect(out);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != BLOCKED)
        printf("!%x\n", (unsigned)status);
}

int main(int argc, char **argv) {
    unsigned char order[THREADS * STATEMENTS];
    unsigned left[THREADS];
    read_program(argc, argv);
    for (unsigned t = 0; t < thread_count; t++)
        left[t] = threads[t].count;
    every_order(order, 0, left, memfd_create("out", 0));
    return 0;
}

#else

static void lock(pthread_mutex_t *m) { pthread_mutex_lock(m); }

QUIET static void *thread(void *arg) {
    unsigned t = (unsigned)(uintptr_t)arg;
    for (unsigned i = 0; i < threads[t].count; i++)
        step(t, i);
    return NULL;
}

QUIET static void *nothing(void *arg) { return arg; }

/* Code before the first creation of a thread runs once for all executions; files would keep their contents. */
QUIET int main(int argc, char **argv) {
    pthread_t t[THREADS], first;
    read_program(argc, argv);
    pthread_create(&first, NULL, nothing, NULL);
    pthread_join(first, NULL);
    begin();
    for (unsigned i = 0; i < thread_count; i++)
        pthread_create(&t[i], NULL, thread, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < thread_count; i++)
        pthread_join(t[i], NULL);
    show();
    return 0;
}

#endif
