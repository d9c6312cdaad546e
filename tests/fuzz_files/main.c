/*
 * main.c - the fuzzer of files: hands changed schedules and programs to all that reads them and writes reports
 * about them, which is compiled with AddressSanitizer and UndefinedBehaviorSanitizer. Processes do the work in
 * batches, so a crash ends one of them only: it is reported with the number of its input, and the next input
 * follows.
 */
#include "fuzz_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 500, SECONDS_MAX = 10, JOBS_MAX = 64, REPORT_MAX = 1 << 16, KINDS_MAX = 256, SITE = 160 };

static const char usage[] =
    "usage: fuzz_files --corpus FOLDER [--inputs N] [--first N] [--seed S] [--jobs N] [--write FILE]\n"
    "  --corpus  folder with NAME.sched and NAME.elf, made by corpus.py\n"
    "  --inputs  how many (100000)       --first  number of the first one (0)\n"
    "  --seed    of all inputs (1)       --jobs   processes at a time (1)\n"
    "  --write   only write the input of the number --first into the file\n";

struct options {
    const char *corpus, *write;
    uint64_t inputs, first, seed;
    uint32_t jobs;
};

/* A process at work on a batch. `at` and `counts` are in memory that it shares with the fuzzer. */
struct batch {
    pid_t pid;
    int report; /* what the process writes to standard error */
    uint64_t end;
    struct batch_state {
        uint64_t at;
        struct files_counts counts;
    } * state;
};

/* Crashes at one place of the code. */
struct crash_site {
    char where[SITE];
    uint64_t count, first;
    bool ours; /* not in the libraries that read ELF and DWARF */
};

static struct files_corpus corpus;
static struct crash_site sites[KINDS_MAX];
static uint32_t site_count;
static char report[REPORT_MAX];

/* The sanitizers' own settings; an allocation of any size fails or not as without them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0:handle_abort=1:handle_sigill=1:exitcode=99:"
           "detect_stack_use_after_return=0:quarantine_size_mb=16";
}
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "print_stacktrace=1:halt_on_error=1"; }

static struct files_bytes load(const char *folder, const char *name, size_t stem, const char *ending) {
    char path[4096];
    struct stat st;
    snprintf(path, sizeof path, "%s/%.*s%s", folder, (int)stem, name, ending);
    FILE *in = fopen(path, "re");
    if (!in || fstat(fileno(in), &st) != 0) {
        fprintf(stderr, "fuzz_files: cannot open '%s': %s\n", path, strerror(errno));
        exit(2);
    }
    struct files_bytes b = {malloc((size_t)st.st_size + 1), (size_t)st.st_size};
    b.size = fread(b.data, 1, b.size, in);
    b.data[b.size] = 0;
    fclose(in);
    return b;
}

static int is_schedule(const struct dirent *e) {
    size_t n = strlen(e->d_name);
    return n > 6 && strcmp(e->d_name + n - 6, ".sched") == 0;
}

static void load_corpus(const char *folder) {
    struct dirent **found;
    int n = scandir(folder, &found, is_schedule, alphasort);
    if (n <= 0) {
        fprintf(stderr, "fuzz_files: no schedules in '%s'\n", folder);
        exit(2);
    }
    for (int i = 0; i < n && corpus.count < FILES_PAIRS_MAX; i++) {
        struct files_pair *p = &corpus.pairs[corpus.count++];
        size_t stem = strlen(found[i]->d_name) - 6;
        p->schedule = load(folder, found[i]->d_name, stem, ".sched");
        p->program = load(folder, found[i]->d_name, stem, ".elf");
        free(found[i]);
    }
    free(found);
}

/* The input with a number: every eighth is a program. `which`: the file of the corpus that a program comes from. */
static enum files_kind make(uint64_t seed, uint64_t number, struct rd_rng *r, struct files_bytes *b,
                            uint32_t *which) {
    rd_rng_seed(r, rd_mix(seed) + number);
    enum files_kind kind = rd_rng_below(r, 8) == 0 ? FILES_PROGRAM : FILES_SCHEDULE;
    *b = kind == FILES_PROGRAM ? files_change_program(&corpus, r, which) : files_change_schedule(&corpus, r);
    return kind;
}

/* Makes and uses one input. */
static void use(uint64_t seed, uint64_t number, struct files_counts *n) {
    struct rd_rng r;
    struct files_bytes b;
    uint32_t which = 0;
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_MAX}};
    setitimer(ITIMER_PROF, &limit, NULL); /* of processor time: the machine may be busy */
    alarm(30 * SECONDS_MAX);
    enum files_kind kind = make(seed, number, &r, &b, &which);
    n->inputs++;
    if (kind == FILES_PROGRAM) {
        n->programs++;
        n->runnable += files_use_program(b, corpus.pairs[which].schedule, &r);
    } else {
        char path[FILES_PATH];
        bool named = rd_rng_below(&r, 16) == 0; /* debug information takes most of the time */
        int fd = named ? files_open(corpus.pairs[rd_rng_below(&r, corpus.count)].program, path) : -1;
        n->schedules++;
        n->accepted += files_use_schedule(b, named ? path : NULL, &r);
        if (named)
            close(fd);
    }
    free(b.data);
}

/* Begins a process for the inputs from `first` on. */
static void begin(struct batch *p, const struct options *o, uint64_t first, uint64_t end) {
    p->end = end;
    p->state->at = first;
    p->report = memfd_create("report", 0);
    RD_CHECK(p->report >= 0);
    fflush(stdout);
    p->pid = fork();
    RD_CHECK(p->pid >= 0);
    if (p->pid)
        return;
    dup2(p->report, 2);
    for (; p->state->at < end; p->state->at++)
        use(o->seed, p->state->at, &p->state->counts);
    _exit(0);
}

/* The place of a crash: of the sanitizer's stack the innermost frame that is in no runtime library and no libc. */
static bool find_site(char to[SITE]) {
    snprintf(to, SITE, "no stack");
    for (const char *line = strstr(report, "    #0 "); line && strstr(line, "    #") == line;) {
        const char *eol = strchrnul(line, '\n'), *what = strstr(line, " in ");
        const char *paren = memrchr(line, '(', (size_t)(eol - line));
        bool runtime = memmem(line, (size_t)(eol - line), "libasan", 7) ||
                       memmem(line, (size_t)(eol - line), "libc.so", 7) ||
                       memmem(line, (size_t)(eol - line), "libubsan", 8) ||
                       memmem(line, (size_t)(eol - line), " rd_bug ", 8) ||
                       memmem(line, (size_t)(eol - line), "/sanitizer_common/", 18);
        bool reads_elf =
            memmem(line, (size_t)(eol - line), "/libdw", 6) || memmem(line, (size_t)(eol - line), "/libelf", 7);
        if (!runtime) {
            const char *text = reads_elf && paren ? paren : what && what < eol ? what + 4 : line;
            snprintf(to, SITE, "%.*s", (int)(eol - text), text);
            return !reads_elf;
        }
        line = *eol ? eol + 1 : NULL;
    }
    return true;
}

/* Notes a crash of this input, and prints the first one at its place. */
static void note(const struct options *o, const struct batch *p, int status) {
    char where[SITE];
    ssize_t n = pread(p->report, report, sizeof report - 1, 0);
    report[n > 0 ? n : 0] = 0;
    bool ours = find_site(where);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
        snprintf(where, sizeof where, "no end in %d seconds", SECONDS_MAX);
    struct crash_site *s = sites;
    while (s < sites + site_count && strcmp(s->where, where) != 0)
        s++;
    if (s == sites + site_count && site_count < KINDS_MAX - 1)
        *s = (struct crash_site){.first = p->state->at, .ours = ours}, strcpy(s->where, where), site_count++;
    if (s->count++ || !ours)
        return;
    printf("fuzz_files: FAILED: input %llu: %s\n%.6000s\n", (unsigned long long)p->state->at, where, report);
    printf("  again: fuzz_files --corpus %s --seed %llu --first %llu --inputs 1\n", o->corpus,
           (unsigned long long)o->seed, (unsigned long long)p->state->at);
}

/* Waits for a process; begins another one for the rest of its batch if an input has ended it. */
static void finish(struct batch *batches, const struct options *o) {
    int status;
    pid_t pid = wait(&status);
    RD_CHECK(pid > 0);
    struct batch *p = batches;
    while (p->pid != pid)
        p++;
    p->pid = 0;
    bool failed = status != 0;
    if (failed)
        note(o, p, status);
    close(p->report);
    if (failed && p->state->at + 1 < p->end)
        begin(p, o, p->state->at + 1, p->end);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Runs all inputs; the counts are sums over all processes. */
static struct files_counts run(const struct options *o) {
    struct batch batches[JOBS_MAX] = {0};
    struct files_counts all = {0};
    uint64_t next = o->first, end = o->first + o->inputs;
    uint32_t busy = 0;
    for (uint32_t i = 0; i < o->jobs; i++) {
        batches[i].state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        RD_CHECK(batches[i].state != MAP_FAILED);
    }
    do {
        for (uint32_t i = 0; i < o->jobs; i++)
            if (!batches[i].pid && next < end) {
                uint64_t last = RD_MIN(next + BATCH, end);
                begin(&batches[i], o, next, last);
                next = last;
            }
        finish(batches, o);
        busy = 0;
        for (uint32_t i = 0; i < o->jobs; i++)
            busy += batches[i].pid != 0;
    } while (busy || next < end);
    for (uint32_t i = 0; i < o->jobs; i++) {
        const struct files_counts *n = &batches[i].state->counts;
        all.inputs += n->inputs;
        all.schedules += n->schedules;
        all.accepted += n->accepted;
        all.programs += n->programs;
        all.runnable += n->runnable;
    }
    return all;
}

static int summary(const struct options *o, const struct files_counts *n, double spent) {
    uint64_t ours = 0, theirs = 0;
    for (uint32_t i = 0; i < site_count; i++) {
        *(sites[i].ours ? &ours : &theirs) += sites[i].count;
        printf("fuzz_files: %s: %llu inputs, first %llu\n", sites[i].where, (unsigned long long)sites[i].count,
               (unsigned long long)sites[i].first);
    }
    printf("fuzz_files: %llu schedules (%llu accepted), %llu programs (%llu to be run), seed %llu: %llu failed, "
           "%llu failed "
           "in libdw and libelf; %.1f s, %.0f inputs/s\n",
           (unsigned long long)n->schedules, (unsigned long long)n->accepted, (unsigned long long)n->programs,
           (unsigned long long)n->runnable, (unsigned long long)o->seed, (unsigned long long)ours,
           (unsigned long long)theirs, spent, (double)n->inputs / RD_MAX(spent, 1e-9));
    return ours > 0;
}

static uint64_t number(const char *text) {
    char *rest;
    uint64_t n = strtoull(text, &rest, 10);
    if (*rest || !*text) {
        fputs(usage, stderr);
        exit(2);
    }
    return n;
}

static int write_input(const struct options *o) {
    struct rd_rng r;
    struct files_bytes b;
    uint32_t which;
    make(o->seed, o->first, &r, &b, &which);
    FILE *out = fopen(o->write, "we");
    bool fine = out && fwrite(b.data, 1, b.size, out) == b.size;
    fine = out && fclose(out) == 0 && fine;
    if (!fine)
        fprintf(stderr, "fuzz_files: cannot write '%s': %s\n", o->write, strerror(errno));
    return fine ? 0 : 2;
}

int main(int argc, char **argv) {
    static const struct option names[] = {
        {"corpus", 1, NULL, 'c'}, {"inputs", 1, NULL, 'n'}, {"first", 1, NULL, 'f'}, {"seed", 1, NULL, 's'},
        {"jobs", 1, NULL, 'j'},   {"write", 1, NULL, 'w'},  {NULL, 0, NULL, 0}};
    struct options o = {.inputs = 100000, .seed = 1, .jobs = 1};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        if (c == 'c')
            o.corpus = optarg;
        else if (c == 'w')
            o.write = optarg;
        else if (c == 'n')
            o.inputs = number(optarg);
        else if (c == 'f')
            o.first = number(optarg);
        else if (c == 's')
            o.seed = number(optarg);
        else if (c == 'j')
            o.jobs = (uint32_t)RD_MIN(number(optarg), (uint64_t)JOBS_MAX);
        else
            o.corpus = NULL, optind = argc;
    }
    if (!o.corpus || optind != argc || !o.inputs || !o.jobs)
        return fputs(usage, stderr), 2;
    load_corpus(o.corpus);
    if (o.write)
        return write_input(&o);
    double start = now();
    struct files_counts n = run(&o);
    return summary(&o, &n, now() - start);
}
