/*
 * main.c - rounds of the fuzzer. `fuzz` alone is a long round; `make test` runs `fuzz --short`. A failing program
 * is made smaller and printed with the seed that repeats the failure. The round continues until enough failures of
 * each kind were shown.
 */
#include "fuzz.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WALKS = 4, REGION = 1 << 29 };

static const char usage[] =
    "usage: fuzz [--programs N] [--seed S] [--strategy NAME]... [--schedules N] [--seconds N] [--failures N]\n"
    "            [--short] [--plain] [--timed] [--loops] [--choices] [--disciplined] [--print]\n"
    "  --programs   how many (20000)         --seed       of the first; they are consecutive (1)\n"
    "  --strategy   only this one, or 'relation': only what concerns no strategy\n"
    "  --schedules  larger programs are passed over (3000; one of 16 may have 20000)\n"
    "  --seconds    stop after that time     --failures   of each kind to show (1)\n"
    "  --plain      no timeouts, wake-ups without a signal, signals, cancellations, exits\n"
    "  --timed      only programs with waits that may give up at any time\n"
    "  --loops      only programs that may have loops that wait\n"
    "  --choices    only programs with choices of their own\n"
    "  --disciplined  only programs that keep the locking discipline and stop at an assertion\n"
    "  --print      the program of the seed, nothing else\n";

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct rd_arena *region(void) {
    static struct rd_arena a;
    if (!a.base)
        a = sim_region(REGION);
    rd_arena_reset(&a);
    return &a;
}

static bool chosen(const struct fuzz_config *g, const char *strategy) {
    for (uint32_t i = 0; i < g->only_count; i++)
        if (strcmp(g->only[i], strategy) == 0)
            return true;
    return g->only_count == 0;
}

uint32_t fuzz_try(const struct fuzz_config *g, const struct fuzz_case *c, const struct fuzz_failure *like,
                  struct fuzz_counts *n, struct fuzz_failure f[FUZZ_FAILURES]) {
    static struct sim *sim;
    static const struct fuzz_failure fine = {.kind = FUZZ_FINE};
    struct fuzz_truth t;
    uint64_t most = c->seed % 16 == 0 ? RD_MAX(g->schedules_max, 20000u) : g->schedules_max;
    uint32_t failed = 0;
    f[0] = fine;
    sim = sim ? sim : sim_open();
    if (!fuzz_learn(c, most, region(), &t, &f[0]))
        return 1; /* without the truth no other check is possible */
    n->schedules += t.runs.count;
    n->classes += t.things[FUZZ_CLASS].count;
    n->failing += t.things[FUZZ_FAILURE].count > 0;
    if (like ? !like->strategy : chosen(g, "relation"))
        failed += !fuzz_commute(c, sim, WALKS, &f[0]);
    f[failed] = fine;
    if (like ? like->strategy == fuzz_simple_name : chosen(g, fuzz_simple_name))
        failed += !fuzz_simple(c, &t, n, &f[failed]);
    RD_CHECK(fuzz_promises() < FUZZ_SIMPLE);
    for (uint32_t i = 0; i < fuzz_promises(); i++) {
        f[failed] = fine;
        if (like ? like->strategy == fuzz_promise_name(i) : chosen(g, fuzz_promise_name(i)))
            failed += !fuzz_promise(c, i, &t, n, &f[failed]);
    }
    return failed;
}

const char *fuzz_kind_name(enum fuzz_kind kind) {
    static const char *const names[] = {
        [FUZZ_FINE] = "fine",
        [FUZZ_UNFIT] = "unfit",
        [FUZZ_CLASS_STATE] = "a class with two final states",
        [FUZZ_CLASS_HASH] = "the class and the relation disagree",
        [FUZZ_COUNTS] = "wrong count",
        [FUZZ_COMMUTE] = "independent operations do not commute",
        [FUZZ_ENABLES] = "an independent operation enables another",
        [FUZZ_TROUBLE] = "divergence",
        [FUZZ_STRANGE] = "an execution that does not exist",
        [FUZZ_ENDLESS] = "no end",
        [FUZZ_TWICE] = "run twice",
        [FUZZ_BEYOND] = "beyond the bound",
        [FUZZ_ORDER] = "wrong order",
        [FUZZ_CUT] = "cut",
        [FUZZ_LOST_SCHEDULE] = "schedule lost",
        [FUZZ_LOST_CLASS] = "class lost",
        [FUZZ_LOST_FINAL] = "final state lost",
        [FUZZ_LOST_FAILURE] = "failure lost",
        [FUZZ_NOT_SIMPLE] = "not the fewest preemptions",
        [FUZZ_NOT_CRITICAL] = "another step decides it",
        [FUZZ_CLAIM] = "claim not true",
    };
    return names[kind];
}

static void report(const struct fuzz_config *g, const struct fuzz_case *c, const struct fuzz_failure *f) {
    struct fuzz_case small = *c;
    struct fuzz_failure last = *f;
    fuzz_shrink(g, &small, &last);
    printf("fuzz: FAILED: %s: %s\n  %s\n", last.strategy ? last.strategy : "relation", fuzz_kind_name(last.kind),
           last.text);
    fuzz_print(stdout, &small);
    printf("  again: fuzz --programs 1 --seed %llu --strategy %s\n", (unsigned long long)c->seed,
           last.strategy ? last.strategy : "relation");
    fflush(stdout);
}

/* The number of failures of each kind. */
static uint64_t tally[FUZZ_FAILURES][FUZZ_KINDS];

static uint64_t *tally_of(const struct fuzz_failure *f) {
    uint32_t i = f->strategy == fuzz_simple_name ? FUZZ_SIMPLE : FUZZ_RELATION;
    for (uint32_t k = 0; f->strategy && k < fuzz_promises(); k++)
        if (fuzz_promise_name(k) == f->strategy)
            i = k;
    return &tally[i][f->kind];
}

static void summary(const struct fuzz_counts *n, double spent) {
    for (uint32_t i = 0; i < FUZZ_FAILURES; i++)
        for (uint32_t k = FUZZ_UNFIT + 1; k < FUZZ_KINDS; k++)
            if (tally[i][k])
                printf("fuzz: %s: %s: %llu programs\n",
                       i == FUZZ_RELATION ? "relation"
                       : i == FUZZ_SIMPLE ? fuzz_simple_name
                                          : fuzz_promise_name(i),
                       fuzz_kind_name(k), (unsigned long long)tally[i][k]);
    printf("fuzz: %llu programs (%llu too large, %llu can fail), %llu schedules, %llu classes; %llu executions by "
           "strategies, %llu cut; %.1f s, %.0f programs/s\n",
           (unsigned long long)n->programs, (unsigned long long)n->unfit, (unsigned long long)n->failing,
           (unsigned long long)n->schedules, (unsigned long long)n->classes, (unsigned long long)n->executions,
           (unsigned long long)n->cut, spent, (double)n->programs / RD_MAX(spent, 1e-9));
}

/*
 * Whether the program has no operation that depends on the enabled threads: a wait that may time out, a wake-up
 * without a signal …
 */
static bool plain(const struct fuzz_case *c) {
    bool is = !c->options.timeouts && !c->options.spurious;
    for (uint32_t t = 0; t < c->program.threads; t++)
        for (uint32_t i = 0; i < c->program.length[t]; i++) {
            const struct sim_instr *at = &c->program.code[t][i];
            is &= at->kind != SIM_SEND && at->kind != SIM_CANCEL && at->kind != SIM_EXIT && !at->until;
        }
    return is;
}

static bool has_timed(const struct fuzz_case *c) {
    bool has = false;
    for (uint32_t t = 0; t < c->program.threads; t++)
        for (uint32_t i = 0; i < c->program.length[t]; i++)
            has |= c->program.code[t][i].until != 0;
    return has && c->options.timeouts;
}

static bool has_choices(const struct fuzz_case *c) {
    bool has = false;
    for (uint32_t t = 0; t < c->program.threads; t++)
        for (uint32_t i = 0; i < c->program.length[t]; i++)
            has |= c->program.code[t][i].kind == SIM_CHOOSE;
    return has;
}

static bool wanted(const struct fuzz_config *g, const struct fuzz_case *c) {
    return (!g->plain || plain(c)) && (!g->timed || has_timed(c)) && (!g->loops || c->options.loops) &&
           (!g->choices || has_choices(c)) && (!g->disciplined || (c->disciplined && !c->options.asserts_go_on));
}

/*
 * Counts the failure, and reports the first `failures_max` of each kind. Returns false if the program was only
 * passed over.
 */
static bool count_failure(const struct fuzz_config *g, const struct fuzz_case *c, const struct fuzz_failure *f,
                          struct fuzz_counts *n) {
    uint64_t *count = tally_of(f);
    n->unfit += f->kind == FUZZ_UNFIT;
    if (f->kind != FUZZ_UNFIT && ++*count <= g->failures_max)
        report(g, c, f);
    return f->kind != FUZZ_UNFIT;
}

/*
 * Checks the relation on programs that are dense in one feature: every second feature of the generator, alternating
 * with the seed.
 */
static bool relation_fails(const struct fuzz_config *g, uint64_t seed, struct fuzz_counts *n) {
    static struct sim *sim;
    struct fuzz_case c;
    bool bad = false;
    sim = sim ? sim : sim_open();
    for (uint32_t i = seed % 2; chosen(g, "relation") && fuzz_generate_dense(&c, seed, i); i += 2) {
        struct fuzz_failure f = {.kind = FUZZ_FINE};
        if (!fuzz_commute(&c, sim, WALKS, &f))
            bad |= count_failure(g, &c, &f, n);
    }
    return bad;
}

static int fuzz_round(const struct fuzz_config *g) {
    static struct fuzz_failure f[FUZZ_FAILURES];
    struct fuzz_counts n = {0};
    bool bad = false;
    double start = now(), spent = 0;
    fuzz_promises_tell(stdout);
    for (uint64_t i = 0; i < g->programs; i++) {
        struct fuzz_case c;
        fuzz_generate(&c, g->seed + i);
        if (!wanted(g, &c))
            continue;
        n.programs++;
        uint32_t failed = fuzz_try(g, &c, NULL, &n, f);
        for (uint32_t k = 0; k < failed; k++)
            bad |= count_failure(g, &c, &f[k], &n);
        bad |= relation_fails(g, c.seed, &n);
        spent = now() - start;
        if (g->seconds && spent >= (double)g->seconds)
            break;
    }
    summary(&n, spent);
    return bad;
}

static uint64_t number(const char *text) {
    char *end;
    uint64_t n = strtoull(text, &end, 10);
    if (*end || end == text) {
        fprintf(stderr, "fuzz: '%s' is not a number\n%s", text, usage);
        exit(2);
    }
    return n;
}

int main(int argc, char **argv) {
    enum {
        PROGRAMS = 1,
        SEED,
        STRATEGY,
        SCHEDULES,
        SECONDS,
        FAILURES,
        SHORT,
        PLAIN,
        TIMED,
        LOOPS,
        CHOICES,
        DISCIPLINED,
        PRINT
    };
    static const struct option options[] = {{"programs", 1, NULL, PROGRAMS},
                                            {"seed", 1, NULL, SEED},
                                            {"strategy", 1, NULL, STRATEGY},
                                            {"schedules", 1, NULL, SCHEDULES},
                                            {"seconds", 1, NULL, SECONDS},
                                            {"failures", 1, NULL, FAILURES},
                                            {"short", 0, NULL, SHORT},
                                            {"plain", 0, NULL, PLAIN},
                                            {"loops", 0, NULL, LOOPS},
                                            {"choices", 0, NULL, CHOICES},
                                            {"disciplined", 0, NULL, DISCIPLINED},
                                            {"print", 0, NULL, PRINT},
                                            {"timed", 0, NULL, TIMED},
                                            {NULL, 0, NULL, 0}};
    struct fuzz_config g = {.seed = 1, .programs = 20000, .schedules_max = 3000, .failures_max = 1};
    bool print = false;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o == PROGRAMS)
            g.programs = number(optarg);
        else if (o == SEED)
            g.seed = number(optarg);
        else if (o == STRATEGY && g.only_count < RD_COUNT(g.only))
            g.only[g.only_count++] = optarg;
        else if (o == SCHEDULES)
            g.schedules_max = number(optarg);
        else if (o == SECONDS)
            g.seconds = number(optarg);
        else if (o == FAILURES)
            g.failures_max = number(optarg);
        else if (o == SHORT)
            g.programs = 300, g.schedules_max = 300;
        else if (o == PLAIN)
            g.plain = true;
        else if (o == TIMED)
            g.timed = true;
        else if (o == LOOPS)
            g.loops = true;
        else if (o == CHOICES)
            g.choices = true;
        else if (o == DISCIPLINED)
            g.disciplined = true;
        else if (o == PRINT)
            print = true;
        else {
            fputs(usage, stderr);
            return 2;
        }
    }
    if (print) {
        struct fuzz_case c;
        fuzz_generate(&c, g.seed);
        fuzz_print(stdout, &c);
        return 0;
    }
    return fuzz_round(&g);
}
