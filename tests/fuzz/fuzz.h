/*
 * fuzz.h - the differential fuzzer: generates random small programs for the simulator, runs all their schedules by
 * brute force, and compares every search with that. Deterministic: a program follows from its seed, and so does
 * every check of it.
 *
 *   generate*.c  generates a program from a seed
 *   truth.c      brute force: every schedule, class, final state and failure of a program, with the preemptions and
 *                delays that it needs; executions of one happens-before class must end in the same state
 *   commute.c    checks that operations commute which the dependence relation calls independent
 *   promise.c    the promises of each strategy, and whether the strategy keeps them
 *   ranked.c     the schedules that strict priorities lead to, for `rank`
 *   simple.c     minimised and explained schedules of failures
 *   claims.c     whether the claim of a running search is true
 *   shrink.c     makes a failing program smaller
 *   print.c      prints a program as source
 *   main.c       options and rounds
 */
#ifndef RD_FUZZ_H
#define RD_FUZZ_H

#include "base/map.h"
#include "base/rng.h"
#include "sim.h"

#include <stdio.h>

struct fuzz_case {
    uint64_t seed;
    struct sim_program program;
    struct sim_options options;
    bool disciplined; /* every variable has a lock that is held at each access */
    uint32_t mutexes; /* in a disciplined program: the lock of a variable is its number modulo this */
};

/* The kind of a failure. Two failures of the same kind by the same strategy count as the same failure. */
enum fuzz_kind {
    FUZZ_FINE,
    FUZZ_UNFIT,       /* no failure: the program has too many schedules, or too long ones */
    FUZZ_CLASS_STATE, /* one class with two final states */
    FUZZ_CLASS_HASH,  /* the class by its hash and the class by the relation differ */
    FUZZ_COUNTS,      /* the engine counts preemptions differently */
    FUZZ_COMMUTE,     /* independent, but the order matters */
    FUZZ_ENABLES,     /* independent, but one enables the other */
    FUZZ_TROUBLE,     /* divergence or refusal */
    FUZZ_STRANGE,     /* an execution that brute force does not have */
    FUZZ_ENDLESS,     /* far more executions than schedules */
    FUZZ_TWICE,       /* a schedule or class was run twice */
    FUZZ_BEYOND,      /* an execution beyond the bound */
    FUZZ_ORDER,       /* not in the promised order */
    FUZZ_CUT,         /* an execution was cut although the strategy promises not to */
    FUZZ_LOST_SCHEDULE,
    FUZZ_LOST_CLASS,
    FUZZ_LOST_FINAL,
    FUZZ_LOST_FAILURE,
    FUZZ_NOT_SIMPLE,   /* there is a schedule with fewer preemptions */
    FUZZ_NOT_CRITICAL, /* another step is the critical one */
    FUZZ_CLAIM,        /* a search claims to have covered a schedule, class or state that it has not */
    FUZZ_KINDS,
};

struct fuzz_failure {
    enum fuzz_kind kind;
    const char *strategy; /* NULL: the relation or the engine */
    char text[1024];
};

/* Fills in the failure unless it is filled in already. Returns false. */
__attribute__((format(printf, 3, 4))) bool fuzz_fail(struct fuzz_failure *f, enum fuzz_kind kind,
                                                     const char *format, ...);
const char *fuzz_kind_name(enum fuzz_kind kind);

void fuzz_generate(struct fuzz_case *c, uint64_t seed);
/*
 * Generates a program that consists almost only of this feature of the generator. Returns false if there is no
 * feature of this number.
 */
bool fuzz_generate_dense(struct fuzz_case *c, uint64_t seed, uint32_t feature);
/* A variable, a mutex or a thread's code, by the seed: the focus of the rows of promise.c that have one. */
struct rd_range fuzz_focus(uint64_t seed);

/* One schedule of brute force. */
struct fuzz_run {
    uint32_t preemptions, delays;
    /* the number of variables at which it is preempted; the number that the literal rule needs to allow it */
    uint32_t variables, literal;
    bool passed;
    bool focused;        /* all its preemptions are in the program's focus */
    uint32_t at, length; /* its choices are picks[at … at + length - 1] of fuzz_truth */
};

/*
 * A class, final state or failure that the program can reach, with the schedule of fewest preemptions that reaches
 * it.
 */
enum fuzz_thing_kind { FUZZ_CLASS, FUZZ_FINAL, FUZZ_FAILURE, FUZZ_THINGS };
struct fuzz_thing {
    uint64_t key;
    uint64_t seen; /* by the search under test: a count, or marks */
    uint32_t run, preemptions;
    bool assertion; /* of a failure: whether it is a failed assertion */
};

struct fuzz_things {
    struct rd_map index; /* key -> index + 1 */
    RD_VEC(struct fuzz_thing);
};

struct fuzz_truth {
    struct rd_arena *arena;
    struct rd_range focus;
    struct rd_map schedules; /* hash -> index + 1 in runs */
    struct {
        RD_VEC(struct fuzz_run);
    } runs;
    struct {
        RD_VEC(uint16_t); /* numbers of threads; RD_TID_MAX + way for the choice of a waiter */
    } picks;
    struct fuzz_things things[FUZZ_THINGS];
    struct rd_map states; /* class -> final state */
    struct rd_map traces; /* class by the relation -> class by hash, and the reverse */
    /* the numbers of threads by their creation, which all searches share */
    struct rd_thread_path paths[SIM_THREADS + 1];
    uint32_t path_count;
    bool livelocks; /* a program with a livelock is checked nevertheless, not passed over */
    bool stopped;   /* some executions end before all threads have ended or are blocked */
    bool wide;      /* some operations depend on everything */
    bool involved;  /* has operations other than memory, mutexes, semaphores, creation and join */
    struct fuzz_failure *failure;
};

/* The keys of the class, final state and failure of an execution; 0: it has none. */
struct fuzz_shown {
    uint64_t schedule, key[FUZZ_THINGS];
};
void fuzz_show(const struct sim *s, struct fuzz_shown *shown);
uint32_t fuzz_delays(const struct rd_record *r);
/*
 * fuzz_yields: whether a thread yields or sleeps. fuzz_never_blocks: whether the program has only memory accesses,
 * by threads that all exist from the start.
 */
bool fuzz_yields(const struct sim_program *p);
bool fuzz_never_blocks(const struct sim_program *p);
/* Runs all schedules. Returns false with the failure in f. */
bool fuzz_learn(const struct fuzz_case *c, uint64_t schedules_max, struct rd_arena *a, struct fuzz_truth *t,
                struct fuzz_failure *f);

/* Checks the relation for pairs of operations in random states. */
bool fuzz_commute(const struct fuzz_case *c, struct sim *s, uint32_t walks, struct fuzz_failure *f);

/* Runs a strategy on the program; adds to the counts. */
struct fuzz_counts {
    uint64_t programs, unfit, schedules, classes, executions, cut, pairs, failing;
};
uint32_t fuzz_promises(void);
const char *fuzz_promise_name(uint32_t i);
/* Prints the strategies that the table of searches does not have. */
void fuzz_promises_tell(FILE *out);
bool fuzz_promise(const struct fuzz_case *c, uint32_t i, struct fuzz_truth *t, struct fuzz_counts *n,
                  struct fuzz_failure *f);

/* Minimises and explains some failing schedules. On the command line this check has the name fuzz_simple_name. */
extern const char fuzz_simple_name[];
bool fuzz_simple(const struct fuzz_case *c, const struct fuzz_truth *t, struct fuzz_counts *n,
                 struct fuzz_failure *f);
struct rd_claim;
/*
 * Whether the search has covered the schedules that it claims to have covered. `seen`: how often each schedule was
 * run.
 */
bool fuzz_claim(const struct rd_claim *c, const struct fuzz_truth *t, const uint8_t *seen, uint64_t executions,
                struct fuzz_failure *f);

/* The bounds of a `rank` search, and the variables at which it tried changes. */
struct fuzz_ranked {
    uint32_t changes, vars_max;
    struct rd_track vars[64];
    uint32_t count;
};
/* Records the variables at which an execution of the search could change priorities. */
void fuzz_ranked_tried(struct fuzz_ranked *b, const struct sim *s);
/* Whether the search has marked exactly the final states and failures that priorities lead to within the bounds. */
bool fuzz_ranked_kept(const struct fuzz_ranked *b, struct sim *s, struct fuzz_truth *t, uint64_t mark,
                      struct fuzz_failure *f);
/* A schedule as text. */
const char *fuzz_schedule_text(const struct fuzz_truth *t, uint32_t run);

struct fuzz_config {
    uint64_t seed, programs, schedules_max, seconds, failures_max;
    char *only[16]; /* names of the strategies to run; none: all */
    uint32_t only_count;
    bool plain;       /* pass over programs with operations that depend on everything */
    bool timed;       /* … without waits that may time out at any time */
    bool loops;       /* … without loops that wait */
    bool choices;     /* … without choices by the program */
    bool disciplined; /* … that break the locking discipline, or go on after a failed assertion */
};
enum { FUZZ_FAILURES = 128, FUZZ_RELATION = FUZZ_FAILURES - 1, FUZZ_SIMPLE = FUZZ_FAILURES - 2 };
/*
 * Runs all checks on one program, and returns the number of failures, which are in f. `like`: run only the check
 * that produced this failure; NULL: all.
 */
uint32_t fuzz_try(const struct fuzz_config *g, const struct fuzz_case *c, const struct fuzz_failure *like,
                  struct fuzz_counts *n, struct fuzz_failure f[FUZZ_FAILURES]);
/* Makes the program smaller as long as it fails in the same way. */
void fuzz_shrink(const struct fuzz_config *g, struct fuzz_case *c, struct fuzz_failure *f);

void fuzz_print(FILE *out, const struct fuzz_case *c);
const char *fuzz_expr_name(sim_expr e);
const char *fuzz_update_name(sim_update u);

#endif
