/*
 * fuzz.h - the differential fuzzer: random small programs for the simulator, all their schedules by brute force,
 * and every search against that. Deterministic: a program follows from its seed, and so does everything done with
 * it.
 *
 *   generate*.c  a seed becomes a program
 *   truth.c      brute force: what there is, and with how many preemptions and delays it can be reached; executions
 *                of the same happens-before class must end in the same state
 *   commute.c    what the dependence relation calls independent must commute
 *   promise.c    what each strategy promises, and whether it keeps it
 *   ranked.c     which schedules strict priorities give, for `rank`
 *   simple.c     failing schedules that are made simpler and explained
 *   claims.c     whether what a search claims meanwhile is so
 *   shrink.c     the smallest program that still fails
 *   print.c      a program as source
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
    bool disciplined; /* every variable has a lock that is held when it is touched */
    uint32_t mutexes; /* of a disciplined one: the lock of a variable is its number modulo this */
};

/* What went wrong with a program. Two failures of the same kind by the same strategy are taken for the same. */
enum fuzz_kind {
    FUZZ_FINE,
    FUZZ_UNFIT,       /* no failure: too many schedules, or too long ones */
    FUZZ_CLASS_STATE, /* one class, two final states */
    FUZZ_CLASS_HASH,  /* the class by its hash and the class by the relation are not the same */
    FUZZ_COUNTS,      /* the engine counts preemptions otherwise than we do */
    FUZZ_COMMUTE,     /* independent, but the order matters */
    FUZZ_ENABLES,     /* independent, but one enables the other */
    FUZZ_TROUBLE,     /* divergence or refusal */
    FUZZ_STRANGE,     /* an execution that brute force does not know */
    FUZZ_ENDLESS,     /* far more executions than schedules */
    FUZZ_TWICE,       /* something was run twice */
    FUZZ_BEYOND,      /* something beyond the bound was run */
    FUZZ_ORDER,       /* not in the promised order */
    FUZZ_CUT,         /* an execution was cut that should not be */
    FUZZ_LOST_SCHEDULE,
    FUZZ_LOST_CLASS,
    FUZZ_LOST_FINAL,
    FUZZ_LOST_FAILURE,
    FUZZ_NOT_SIMPLE,   /* there is a schedule with fewer preemptions */
    FUZZ_NOT_CRITICAL, /* another step decides it */
    FUZZ_CLAIM,        /* a search says that it has covered what it has not */
    FUZZ_KINDS,
};

struct fuzz_failure {
    enum fuzz_kind kind;
    const char *strategy; /* NULL: the relation or the engine itself */
    char text[1024];
};

/* Fills in the failure (the first one wins) and returns false. */
__attribute__((format(printf, 3, 4))) bool fuzz_fail(struct fuzz_failure *f, enum fuzz_kind kind,
                                                     const char *format, ...);
const char *fuzz_kind_name(enum fuzz_kind kind);

void fuzz_generate(struct fuzz_case *c, uint64_t seed);
/* One in which this feature of the generator's meets itself all the time. False: there are not so many features. */
bool fuzz_generate_dense(struct fuzz_case *c, uint64_t seed, uint32_t feature);
/* A variable, a mutex or a thread's code, by the seed: what rows of promise.c with a focus are restricted to. */
struct rd_range fuzz_focus(uint64_t seed);

/* One schedule, by brute force. */
struct fuzz_run {
    uint32_t preemptions, delays;
    uint32_t variables, literal; /* at how many it is preempted; how many the literal rule needs to allow it */
    bool passed;
    bool focused;        /* its preemptions are all in the program's focus */
    uint32_t at, length; /* its picks in fuzz_truth.picks */
};

/* Something that can be reached, and by which schedule with the fewest preemptions. */
enum fuzz_thing_kind { FUZZ_CLASS, FUZZ_FINAL, FUZZ_FAILURE, FUZZ_THINGS };
struct fuzz_thing {
    uint64_t key;
    uint64_t seen; /* by the search under test */
    uint32_t run, preemptions;
    bool assertion; /* of a failure */
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
        RD_VEC(uint16_t); /* threads; + RD_TID_MAX: waiters */
    } picks;
    struct fuzz_things things[FUZZ_THINGS];
    struct rd_map states; /* class -> final state + 1 … */
    struct rd_map traces; /* class by the relation -> class by hash, and the other way round */
    struct rd_thread_path paths[SIM_THREADS + 1]; /* which number is which thread: the same for all searches */
    uint32_t path_count;
    bool livelocks; /* programs that have one are not passed over */
    bool stopped;   /* some executions end before all threads have done what they could */
    bool wide;      /* something depends on everything */
    bool involved;  /* more than memory, mutexes, semaphores, creation and join */
    struct fuzz_failure *failure;
};

/* The keys of what an execution shows; 0: it does not show that kind of thing. */
struct fuzz_shown {
    uint64_t schedule, key[FUZZ_THINGS];
};
void fuzz_show(const struct sim *s, struct fuzz_shown *shown);
uint32_t fuzz_delays(const struct rd_record *r);
/* Does a thread ever yield or sleep? Is there nothing but memory, by threads that are all there from the start? */
bool fuzz_yields(const struct sim_program *p);
bool fuzz_never_blocks(const struct sim_program *p);
/* False: see f. */
bool fuzz_learn(const struct fuzz_case *c, uint64_t schedules_max, struct rd_arena *a, struct fuzz_truth *t,
                struct fuzz_failure *f);

/* The relation against pairs of operations in random states. */
bool fuzz_commute(const struct fuzz_case *c, struct sim *s, uint32_t walks, struct fuzz_failure *f);

/* Every strategy, or the one that is named. The counts are added to. */
struct fuzz_counts {
    uint64_t programs, unfit, schedules, classes, executions, cut, pairs, failing;
};
uint32_t fuzz_promises(void);
const char *fuzz_promise_name(uint32_t i);
/* The strategies that are not there (yet) are told once. */
void fuzz_promises_tell(FILE *out);
bool fuzz_promise(const struct fuzz_case *c, uint32_t i, struct fuzz_truth *t, struct fuzz_counts *n,
                  struct fuzz_failure *f);

/* Some failing schedules are made simpler and explained. It is chosen by this name. */
extern const char fuzz_simple_name[];
bool fuzz_simple(const struct fuzz_case *c, const struct fuzz_truth *t, struct fuzz_counts *n,
                 struct fuzz_failure *f);
struct rd_claim;
/* Has the search shown by now what it claims to have covered? `seen`: by schedule, how often it was run. */
bool fuzz_claim(const struct rd_claim *c, const struct fuzz_truth *t, const uint8_t *seen, uint64_t executions,
                struct fuzz_failure *f);

/* What a search by ranks is bound to, and the variables that it tried. */
struct fuzz_ranked {
    uint32_t changes, vars_max;
    struct rd_track vars[64];
    uint32_t count;
};
/* An execution of the search: what it could change at. */
void fuzz_ranked_tried(struct fuzz_ranked *b, const struct sim *s);
/* Was everything that can be reached so shown with this mark, and nothing else? */
bool fuzz_ranked_kept(const struct fuzz_ranked *b, struct sim *s, struct fuzz_truth *t, uint64_t mark,
                      struct fuzz_failure *f);
/* A schedule, for people. */
const char *fuzz_schedule_text(const struct fuzz_truth *t, uint32_t run);

struct fuzz_config {
    uint64_t seed, programs, schedules_max, seconds, failures_max;
    char *only[16]; /* strategies; none: all */
    uint32_t only_count;
    bool plain;       /* pass over programs with operations that depend on everything */
    bool timed;       /* … without waits that may give up at any time */
    bool loops;       /* … without loops that wait */
    bool choices;     /* … without choices of their own */
    bool disciplined; /* … that break the locking discipline, or go on after a failed assertion */
};
enum { FUZZ_FAILURES = 128, FUZZ_RELATION = FUZZ_FAILURES - 1, FUZZ_SIMPLE = FUZZ_FAILURES - 2 };
/* Everything for one program: how many failures there are in f. `like`: only what can fail as this did; NULL: all.
 */
uint32_t fuzz_try(const struct fuzz_config *g, const struct fuzz_case *c, const struct fuzz_failure *like,
                  struct fuzz_counts *n, struct fuzz_failure f[FUZZ_FAILURES]);
/* Makes the program smaller as long as it fails in the same way. */
void fuzz_shrink(const struct fuzz_config *g, struct fuzz_case *c, struct fuzz_failure *f);

void fuzz_print(FILE *out, const struct fuzz_case *c);
const char *fuzz_expr_name(sim_expr e);
const char *fuzz_update_name(sim_update u);

#endif
