/*
 * promise.c - the promises of each strategy, and whether the strategy keeps them. A new strategy is a row here. A
 * row whose strategy is not in the table of searches is passed over, with a message.
 */
#include "fuzz.h"

#include "search/search.h"
#include "sim_team.h"

#include <string.h>

enum promise {
    SCHEDULES = 1, /* every schedule within the bound */
    ONCE = 2,      /* … and no schedule twice */
    ONLY = 4,      /* no execution beyond the bound */
    RISING = 8,    /* never fewer preemptions than in the execution before */
    CLASSES = 16,  /* every happens-before class that can be reached within the bound */
    EACH = 32,     /* … no class twice, no execution cut; only in programs of operations that is_simple() knows */
    STATES = 64,   /* every final state within the bound */
    FAILURES = 128,   /* every assertion, misuse and deadlock within the bound */
    ASSERTIONS = 256, /* every failing assertion */
    DISCIPLINE = 512, /* only for programs that keep the locking discipline and stop at a failing assertion */
    SAMPLES = 1024,   /* the search does not end by itself */
    FOCUS = 2048,     /* preemptions only in the program's focus, which is another bound */
    TRACKS = 4096,    /* not every access is a step: compare final states and failures, not schedules */
    PLAINLY = 8192,   /* reaches what the strategy with `plain` reaches, and what priorities lead to (ranked.c) */
    HONEST = 16384,   /* its claim is always true; where threads yield, it may run more than fairness allows */
    TIGHT = 32768,    /* the budget is always almost used up, and the memory may be: the search need not end */
};

enum { ANY = 1000000, SAMPLED = 30, MANY = 1000000, TIGHTLY = 300 };

struct row {
    const char *strategy;
    unsigned what;
    uint32_t preemptions, delays; /* the bounds */
};

#define EXACT (SCHEDULES | ONCE | ONLY | CLASSES | STATES | FAILURES)
#define COVERS (STATES | FAILURES)
#define DISTINCT (1u << 30) /* as EACH, but executions may be cut */
/* Preemptions at no more than v variables; or by the literal rule, at those of the first v preemptions. */
#define AT(v) (SCHEDULES | ONCE | ONLY | ((v) + 1) << 16)
#define LITERALLY_AT(v) (SCHEDULES | ONCE | ONLY | ((v) + 1) << 24)
/* Run by two or three workers. */
#define TEAM(n) ((n) << 22)
#define FOCUSED (FOCUS | SCHEDULES | ONCE | ONLY)

static const struct row rows[] = {
    {"dfs", EXACT, ANY, ANY},
    {"auto:sweep=5", CLASSES | COVERS | HONEST, ANY, ANY},
    {"auto:sweep=0", CLASSES | COVERS | HONEST, ANY, ANY},
    {"auto:sweep=2", HONEST | TIGHT, ANY, ANY},
    {"random", SAMPLES, ANY, ANY},
    {"pos", SAMPLES, ANY, ANY},
    {"urw", SAMPLES, ANY, ANY},
    {"rapos", SAMPLES, ANY, ANY},
    {"surw", SAMPLES, ANY, ANY},
    {"rff", SAMPLES, ANY, ANY},
    {"pct:d=2", SAMPLES, ANY, ANY},
    {"pct:d=3,published", SAMPLES, ANY, ANY},
    {"idfs", SCHEDULES | CLASSES | COVERS, ANY, ANY},
    {"icb", EXACT | RISING, ANY, ANY},
    {"icb:csb=1", EXACT, ANY, ANY},
    {"icb:csb=2", EXACT, ANY, ANY},
    {"icb:c=0", EXACT, 0, ANY},
    {"icb:c=1", EXACT | RISING, 1, ANY},
    {"icb:c=2", EXACT | RISING, 2, ANY},
    {"icb:v=0", AT(0), 0, ANY},
    {"icb:v=1", AT(1) | RISING, ANY, ANY},
    {"icb:c=2,v=1", AT(1) | RISING, 2, ANY},
    {"icb:c=3,v=2", AT(2) | RISING, 3, ANY},
    {"icb:v=1,csb=1", AT(1), ANY, ANY},
    {"icb:c=3,v=2,vb=literal", LITERALLY_AT(2) | RISING, 3, ANY},
    {"icb:v=1,vb=literal", LITERALLY_AT(1) | RISING, ANY, ANY},
    {"icb:cache", CLASSES | COVERS, ANY, ANY},
    {"icb:c=0,cache", CLASSES | COVERS, 0, ANY},
    {"icb:c=1,cache", CLASSES | COVERS, 1, ANY},
    {"icb:c=2,cache", CLASSES | COVERS, 2, ANY},
    {"icb:sleep", CLASSES | COVERS, ANY, ANY},
    {"icb:c=0,sleep", CLASSES | COVERS, 0, ANY},
    {"icb:c=1,sleep", CLASSES | COVERS, 1, ANY},
    {"icb:c=2,sleep", CLASSES | COVERS, 2, ANY},
    {"delay:d=0", EXACT, ANY, 0},
    {"delay:d=1", EXACT, ANY, 1},
    {"delay:d=2", EXACT, ANY, 2},
    {"delay", EXACT, ANY, ANY},
    {"best:pb", EXACT | RISING, ANY, ANY},
    {"best:pb,c=1", EXACT, 1, ANY},
    {"best:dpor", EXACT, ANY, ANY},
    {"best:ss,mdpor,pb", EXACT, ANY, ANY},
    {"best:rand", EXACT, ANY, ANY},
    {"best:pb,reduce", CLASSES | COVERS | DISTINCT, ANY, ANY},
    {"best:mdpor,pb,reduce", CLASSES | COVERS | DISTINCT, ANY, ANY},
    {"best:ss,dpor,reduce", CLASSES | COVERS | DISTINCT, ANY, ANY},
    {"best:rand,reduce", CLASSES | COVERS | DISTINCT, ANY, ANY},
    {"dpor", CLASSES | COVERS | DISTINCT, ANY, ANY},
    {"dpor:optimal", CLASSES | COVERS | EACH, ANY, ANY},
    {"dpor:classic", COVERS, ANY, ANY},
    {"bpor:c=0", COVERS, 0, ANY},
    {"bpor:c=1", COVERS, 1, ANY},
    {"bpor:c=2", COVERS, 2, ANY},
    {"exitblock", ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:rw", ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:dd", ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:rw,dd", ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:blocks=1000", ASSERTIONS | DISCIPLINE, ANY, ANY}, /* a limit that no thread reaches */
    {"dfs", FOCUSED, ANY, ANY},
    {"icb", FOCUSED | RISING, ANY, ANY},
    {"icb:c=1", FOCUSED | RISING, 1, ANY},
    {"delay", FOCUSED, ANY, ANY},
    {"best:ss,mdpor,pb", FOCUSED, ANY, ANY},
    {"idfs", FOCUS | SCHEDULES, ANY, ANY},
    {"auto:sweep=3", FOCUS | SCHEDULES, ANY, ANY},
    {"random", FOCUS | SAMPLES | ONLY, ANY, ANY},
    {"pos", FOCUS | SAMPLES | ONLY, ANY, ANY},
    {"rapos", FOCUS | SAMPLES | ONLY, ANY, ANY},
    {"urw", FOCUS | SAMPLES | ONLY, ANY, ANY},
    {"rank:all,c=1,e=0", TRACKS | PLAINLY, 1, ANY},
    {"rank:all,c=2,e=0", TRACKS | PLAINLY, 2, ANY},
    {"rank:c=0,e=0", TRACKS | PLAINLY, 0, ANY},
    {"rank:v=1,c=1,e=0", TRACKS | PLAINLY, 1, ANY},
    {"rank:v=1,c=2,e=0", TRACKS | PLAINLY, 2, ANY},
    {"rank:v=2,c=2,e=0", TRACKS | PLAINLY, 2, ANY},
    {"rank:v=1,c=1", TRACKS | PLAINLY, 0, ANY}, /* of four threads, only some orders */
    {"rank:v=3,c=3", TRACKS | PLAINLY, 2, ANY}, /* of two threads */
    {"rank:random", TRACKS | SAMPLES, ANY, ANY},
    {"dfs", TEAM(2) | EXACT, ANY, ANY},
    {"dfs", TEAM(3) | EXACT, ANY, ANY},
    {"icb", TEAM(2) | EXACT | RISING, ANY, ANY},
    {"icb:c=1", TEAM(3) | EXACT | RISING, 1, ANY},
    {"icb:csb=1", TEAM(3) | EXACT, ANY, ANY},
    {"icb:c=2,v=1", TEAM(2) | AT(1), 2, ANY},
    {"icb:cache", TEAM(2) | CLASSES | COVERS, ANY, ANY},
    {"icb:cache", TEAM(3) | CLASSES | COVERS, ANY, ANY},
    {"icb:c=1,cache", TEAM(3) | CLASSES | COVERS | ONLY, 1, ANY},
    {"icb:c=2,cache", TEAM(2) | CLASSES | COVERS | ONLY, 2, ANY},
    {"icb:csb=1,cache", TEAM(2) | CLASSES | COVERS, ANY, ANY},
    {"icb:sleep", TEAM(2) | CLASSES | COVERS, ANY, ANY},
    {"icb:c=1,sleep", TEAM(3) | CLASSES | COVERS, 1, ANY},
    {"icb:c=2,sleep", TEAM(2) | CLASSES | COVERS, 2, ANY},
    {"delay", TEAM(3) | EXACT, ANY, ANY},
    {"delay:d=2", TEAM(2) | EXACT, ANY, 2},
    {"best:ss,mdpor,pb", TEAM(2) | EXACT, ANY, ANY},
    {"best:pb,c=1", TEAM(3) | EXACT | RISING, 1, ANY},
    {"dpor", TEAM(2) | CLASSES | COVERS | EACH, ANY, ANY},
    {"dpor", TEAM(3) | CLASSES | COVERS | EACH, ANY, ANY},
    {"dpor:optimal", TEAM(2) | CLASSES | COVERS | EACH, ANY, ANY},
    {"dpor:optimal", TEAM(3) | CLASSES | COVERS | EACH, ANY, ANY},
    {"random", TEAM(3) | SAMPLES, ANY, ANY},
    {"random:v=1", TEAM(2) | TRACKS | SAMPLES, ANY, ANY},
    {"idfs", TEAM(2) | SCHEDULES | CLASSES | COVERS, ANY, ANY},
    {"dpor:classic", TEAM(2) | COVERS, ANY, ANY},
    {"bpor:c=1", TEAM(3) | COVERS, 1, ANY},
    {"bpor:c=2", TEAM(2) | COVERS, 2, ANY},
    {"bpor", TEAM(2) | COVERS, ANY, ANY},
    {"exitblock:rw", TEAM(3) | ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:dd", TEAM(3) | ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"exitblock:blocks=1000", TEAM(2) | ASSERTIONS | DISCIPLINE, ANY, ANY},
    {"rank:all,c=1,e=0", TEAM(2) | TRACKS | PLAINLY, 1, ANY},
    {"rank:v=1,c=1,e=0", TEAM(3) | TRACKS | PLAINLY, 1, ANY},
    {"urw", TEAM(2) | SAMPLES, ANY, ANY},
    {"surw", TEAM(3) | SAMPLES, ANY, ANY},
    {"rff", TEAM(2) | SAMPLES, ANY, ANY},
    {"auto:sweep=5", TEAM(2) | CLASSES | COVERS | HONEST, ANY, ANY},
    {"auto:sweep=0", TEAM(3) | CLASSES | COVERS | HONEST, ANY, ANY},
    {"auto:sweep=2", TEAM(2) | HONEST | TIGHT, ANY, ANY},
};

uint32_t fuzz_promises(void) { return RD_COUNT(rows); }
const char *fuzz_promise_name(uint32_t i) { return rows[i].strategy; }

static const struct rd_search *parse(const struct row *r, struct rd_params *params) {
    struct rd_error error;
    return rd_search_parse(r->strategy, params, &error);
}

void fuzz_promises_tell(FILE *out) {
    for (uint32_t i = 0; i < RD_COUNT(rows); i++) {
        struct rd_params params = {.seed = 1};
        if (!parse(&rows[i], &params))
            fprintf(out, "fuzz: no strategy '%s': passed over\n", rows[i].strategy);
    }
}

/* One search on one program. */
struct trial {
    const struct row *row;
    const struct fuzz_case *c;
    struct fuzz_truth *truth;
    struct fuzz_failure *failure;
    struct sim *sim;
    uint8_t *seen; /* by schedule: how often it was run */
    uint64_t executions, cut;
    uint32_t preemptions; /* of the last execution */
    uint64_t mark;        /* the mark for final states and failures that were reached; see PLAINLY */
    bool is_void, likely; /* properties of the search's claim */
    struct fuzz_ranked ranked;
};

/* The address space of a search. It is kept from one search to the next. */
static struct rd_arena *region(void) {
    static struct rd_arena a;
    enum { SIZE = 1 << 29 };
    if (!a.base)
        a = sim_region(SIZE);
    rd_arena_reset(&a);
    return &a;
}

static bool within(const struct row *r, const struct fuzz_run *run) {
    uint32_t variables = r->what >> 16 & 0x3f, literal = r->what >> 24 & 0x3f;
    return run->preemptions <= r->preemptions && run->delays <= r->delays &&
           (!variables || run->variables < variables) && (!literal || run->literal < literal) &&
           (!(r->what & FOCUS) || run->focused);
}

static bool distinct(const struct trial *t) {
    return t->row->what & (EACH | DISTINCT) && !t->truth->stopped && !t->truth->wide && !t->truth->involved;
}

/* For executions with fewer steps than operations: final state and failure must be known to brute force. */
static bool note_shown(struct trial *t) {
    struct fuzz_shown w;
    fuzz_show(t->sim, &w);
    fuzz_ranked_tried(&t->ranked, t->sim);
    for (unsigned k = FUZZ_FINAL; k < FUZZ_THINGS; k++) {
        const uint64_t *index = w.key[k] ? rd_map_get(&t->truth->things[k].index, w.key[k]) : NULL;
        if (w.key[k] && !index)
            return fuzz_fail(t->failure, FUZZ_STRANGE, "execution %llu shows what brute force does not know",
                             (unsigned long long)t->executions);
        if (index)
            t->truth->things[k].at[*index - 1].seen |= t->mark;
    }
    return true;
}

/* The execution is not one of the schedules of brute force, but its class may be known. */
static bool note_patient(struct trial *t, const struct fuzz_shown *w) {
    for (unsigned k = 0; k < FUZZ_THINGS; k++) {
        const uint64_t *index = w->key[k] ? rd_map_get(&t->truth->things[k].index, w->key[k]) : NULL;
        if (index)
            t->truth->things[k].at[*index - 1].seen++;
    }
    return true;
}

static bool note(struct trial *t) {
    if (t->row->what & TRACKS)
        return note_shown(t);
    struct fuzz_truth *truth = t->truth;
    struct fuzz_shown w;
    fuzz_show(t->sim, &w);
    const uint64_t *at = rd_map_get(&truth->schedules, w.schedule);
    if (!at && t->row->what & HONEST && fuzz_yields(&t->c->program))
        return note_patient(t, &w);
    if (!at)
        return fuzz_fail(t->failure, FUZZ_STRANGE, "execution %llu is none that brute force knows",
                         (unsigned long long)t->executions);
    uint32_t run = (uint32_t)*at - 1;
    const struct fuzz_run *r = &truth->runs.at[run];
    t->seen[run] = (uint8_t)RD_MIN(t->seen[run] + 1, 255);
    if (t->row->what & ONCE && t->seen[run] > 1)
        return fuzz_fail(t->failure, FUZZ_TWICE, "schedule run twice: %s", fuzz_schedule_text(truth, run));
    if (t->row->what & ONLY && !within(t->row, r))
        return fuzz_fail(t->failure, FUZZ_BEYOND, "beyond the bound, %u preemptions and %u delays: %s",
                         r->preemptions, r->delays, fuzz_schedule_text(truth, run));
    if (t->row->what & RISING && r->preemptions < t->preemptions)
        return fuzz_fail(t->failure, FUZZ_ORDER, "%u preemptions after one with %u: %s", r->preemptions,
                         t->preemptions, fuzz_schedule_text(truth, run));
    t->preemptions = r->preemptions;
    for (unsigned k = 0; k < FUZZ_THINGS; k++) {
        const uint64_t *index = w.key[k] ? rd_map_get(&truth->things[k].index, w.key[k]) : NULL;
        if (index && truth->things[k].at[*index - 1].seen++ && k == FUZZ_CLASS && distinct(t))
            return fuzz_fail(t->failure, FUZZ_TWICE, "class run twice: %s", fuzz_schedule_text(truth, run));
    }
    return true;
}

static uint64_t memory_of(const struct row *r, const struct fuzz_case *c) {
    return r->what & TIGHT && c->seed % 3 ? (uint64_t)1 << (c->seed % 3 == 1 ? 15 : 20) : 0;
}

static uint32_t workers_of(const struct row *r) { return r->what >> 22 & 3; }

/* Records and checks an execution of the search. */
static bool look(struct trial *t) {
    uint64_t most = t->row->what & PLAINLY ? MANY : 10 * (uint64_t)t->truth->runs.count + 1000;
    const struct rd_outcome *o = t->sim->rec.out;
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED)
        return fuzz_fail(t->failure, FUZZ_TROUBLE, "execution %llu diverges at step %u",
                         (unsigned long long)(t->executions + t->cut + 1), o->divergence.step);
    ++*(o->verdict == RD_CUT ? &t->cut : &t->executions);
    if (o->verdict != RD_CUT && !note(t))
        return false;
    if (o->verdict == RD_CUT && t->row->what & EACH && distinct(t) && !workers_of(t->row))
        return fuzz_fail(t->failure, FUZZ_CUT, "an execution was cut");
    return t->executions + t->cut <= most ||
           fuzz_fail(t->failure, FUZZ_ENDLESS, "%llu executions and %llu cut of %u schedules",
                     (unsigned long long)t->executions, (unsigned long long)t->cut, t->truth->runs.count);
}

static bool holds(struct trial *t, const struct rd_search *search, const void *state) {
    struct rd_claim c = {.preemptions = -1, .delays = -1, .depth = -1};
    if (!(t->row->what & HONEST))
        return true;
    search->claim(state, &c);
    return fuzz_claim(&c, t->truth, t->seen, t->executions, t->failure);
}

/* Several workers run the search to its end; each program has another order of turns. */
static bool explore_together(struct trial *t, const struct sim_options *options) {
    struct sim_options o = *options;
    o.executions_max = t->row->what & SAMPLES ? SAMPLED : t->row->what & TIGHT ? TIGHTLY : 0;
    struct sim_team *team = sim_team_open(&t->c->program, t->row->strategy, &o, workers_of(t->row), t->c->seed);
    for (uint32_t i = 0; i < workers_of(t->row); i++) {
        team->at[i].sim->path_count = t->truth->path_count;
        memcpy(team->at[i].sim->paths, t->truth->paths, t->truth->path_count * sizeof *t->truth->paths);
    }
    team->params.memory_max = memory_of(t->row, t->c);
    struct sim *own = t->sim;
    bool fine = true;
    for (uint64_t n = 0; fine; n++) {
        team->left = t->row->what & TIGHT ? 1 + rd_hash2(t->c->seed, n) % 9 : 0;
        team->memory_unseen = t->row->what & TIGHT && t->c->seed & 1;
        if ((t->sim = sim_team_next(team)) == NULL)
            break;
        fine = look(t) && holds(t, team->search, team->at[0].team.state);
    }
    t->sim = own;
    bool all = t->row->what & (SAMPLES | TIGHT) || (t->row->preemptions != ANY || t->row->delays != ANY);
    struct rd_claim claim = fine ? sim_team_claim(team) : rd_claim_none();
    fine = fine && (!(t->row->what & HONEST) || fuzz_claim(&claim, t->truth, t->seen, t->executions, t->failure));
    t->is_void = claim.voids[0] != 0;
    t->likely = claim.likely;
    if (fine && !all && !claim.complete)
        return fuzz_fail(t->failure, FUZZ_ENDLESS, "all has been run, and it is not said to be complete");
    return fine;
}

/* One worker runs the search to its end. */
static bool explore(struct trial *t, const struct rd_search *search, void *state) {
    for (;;) {
        struct rd_draft draft = {.prefix = t->sim->prefix,
                                 .prefix_max = SIM_STEPS_MAX,
                                 .sleep = t->sim->sleep,
                                 .weight = t->sim->weight,
                                 .track = t->sim->track};
        if (t->row->what & TIGHT) {
            draft.left = 1 + rd_hash2(t->c->seed, t->executions) % 9;
            draft.memory_unseen = t->c->seed & 1;
        }
        if (search->next(state, &draft) == RD_NEXT_DONE)
            return holds(t, search, state);
        sim_run(t->sim, &draft.plan);
        if (!look(t))
            return false;
        search->feedback(state, &draft.plan, &t->sim->rec);
        if (!holds(t, search, state))
            return false;
        if (t->row->what & SAMPLES && t->executions == SAMPLED)
            return true;
        if (t->row->what & TIGHT && t->executions + t->cut == TIGHTLY)
            return true;
    }
}

/* Fails with the first thing of this kind that can be reached within the bound and was not seen. */
static bool all_seen(struct trial *t, unsigned kind, enum fuzz_kind lost) {
    /* without the promise FAILURES only assertions count */
    bool some = kind == FUZZ_FAILURE && !(t->row->what & FAILURES);
    const struct fuzz_things *all = &t->truth->things[kind];
    uint64_t missing = 0;
    const struct fuzz_thing *first = NULL;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct fuzz_thing *it = &all->at[i];
        if (it->seen || it->preemptions > t->row->preemptions || t->row->delays != ANY || (some && !it->assertion))
            continue;
        missing++;
        first = first ? first : it;
    }
    if (!first)
        return true;
    return fuzz_fail(t->failure, lost, "%llu of %u lost in %llu executions (%llu cut); one with %u preemptions: %s",
                     (unsigned long long)missing, all->count, (unsigned long long)t->executions,
                     (unsigned long long)t->cut, first->preemptions, fuzz_schedule_text(t->truth, first->run));
}

/* Whether everything that has one mark has the other, too. */
static bool all_marked(struct trial *t, uint64_t mark, uint64_t other) {
    for (unsigned k = FUZZ_FINAL; k < FUZZ_THINGS; k++) {
        for (uint32_t i = 0; i < t->truth->things[k].count; i++) {
            const struct fuzz_thing *it = &t->truth->things[k].at[i];
            if ((it->seen & mark) != 0 && (it->seen & other) == 0)
                return fuzz_fail(t->failure, k == FUZZ_FINAL ? FUZZ_LOST_FINAL : FUZZ_LOST_FAILURE,
                                 "lost in %llu executions because something was left out; one way there: %s",
                                 (unsigned long long)t->executions, fuzz_schedule_text(t->truth, it->run));
        }
    }
    return true;
}

static bool all_schedules(struct trial *t) {
    for (uint32_t i = 0; i < t->truth->runs.count; i++)
        if (!t->seen[i] && within(t->row, &t->truth->runs.at[i]))
            return fuzz_fail(t->failure, FUZZ_LOST_SCHEDULE, "not run, %u preemptions and %u delays: %s",
                             t->truth->runs.at[i].preemptions, t->truth->runs.at[i].delays,
                             fuzz_schedule_text(t->truth, i));
    return true;
}

static bool kept(struct trial *t) {
    unsigned what = t->row->what;
    if (what & SCHEDULES && !all_schedules(t))
        return false;
    if (what & CLASSES && !all_seen(t, FUZZ_CLASS, FUZZ_LOST_CLASS))
        return false;
    if (what & STATES && !all_seen(t, FUZZ_FINAL, FUZZ_LOST_FINAL))
        return false;
    return !(what & (FAILURES | ASSERTIONS)) || all_seen(t, FUZZ_FAILURE, FUZZ_LOST_FAILURE);
}

/*
 * Whether the search itself says that its result is no proof, for example because a loop of yields was held back.
 */
static bool says_void(struct trial *t, const struct rd_search *search, const void *state) {
    struct rd_claim c = rd_claim_none();
    search->claim(state, &c);
    t->likely = c.likely;
    return c.voids[0];
}

enum { MARK = 1, MARK_PLAIN = 2 };

/*
 * Compares with the schedules of brute force that priorities lead to, then runs the search again with `plain` and
 * compares.
 */
static bool same_plainly(struct trial *t, struct rd_params *params) {
    char strategy[64];
    struct rd_error error;
    t->ranked.changes = (uint32_t)rd_param_number(params, "c", 2);
    t->ranked.vars_max = (uint32_t)RD_MIN(rd_param_number(params, "v", ANY), (uint64_t)t->ranked.changes);
    /* with more than two threads the promise may be about the orders of any two only */
    bool all = rd_param_number(params, "e", 1) == 0 || t->c->program.threads <= 2;
    if (all && !t->likely && !fuzz_yields(&t->c->program) &&
        !fuzz_ranked_kept(&t->ranked, t->sim, t->truth, MARK, t->failure))
        return false;
    snprintf(strategy, sizeof strategy, "%s,plain", t->row->strategy);
    const struct rd_search *search = rd_search_parse(strategy, params, &error);
    RD_CHECK(search);
    t->mark = MARK_PLAIN;
    return explore(t, search, search->open(region(), params)) && all_marked(t, MARK_PLAIN, MARK) &&
           all_marked(t, MARK, MARK_PLAIN);
}

bool fuzz_promise(const struct fuzz_case *c, uint32_t i, struct fuzz_truth *truth, struct fuzz_counts *n,
                  struct fuzz_failure *f) {
    static struct sim *sim;
    const struct row *r = &rows[i];
    struct rd_params params = {.seed = c->seed, .fifo = c->options.signal_fifo, .focused = (r->what & FOCUS) != 0};
    params.memory_max = memory_of(r, c);
    const struct rd_search *search = parse(r, &params);
    if (!search || (r->what & DISCIPLINE && (!c->disciplined || c->options.asserts_go_on)))
        return true;
    if (truth->livelocks && strcmp(r->strategy, "idfs") == 0)
        return true; /* a search with executions of hundreds of steps would be run again for each of them */
    if (r->what & PLAINLY && c->program.threads + r->preemptions > 4)
        return true; /* too many orders */
    if (r->what & PLAINLY && c->program.main && !c->program.start_steps)
        return true; /* accesses before a thread's first point would happen when the thread is created */
    if (r->what & TRACKS && c->options.loops)
        return true; /* loops are recognised only if every access is a point */
    sim = sim ? sim : sim_open();
    struct sim_options options = c->options;
    if (r->what & FOCUS) {
        options.focus = &truth->focus;
        options.focus_count = 1;
    }
    sim_load(sim, &c->program, &options, NULL);
    sim->path_count = truth->path_count;
    memcpy(sim->paths, truth->paths, truth->path_count * sizeof *truth->paths);
    struct rd_arena *a = region();
    struct trial t = {.row = r, .c = c, .truth = truth, .failure = f, .sim = sim, .mark = MARK};
    t.seen = rd_arena_zero(a, truth->runs.count + 1);
    for (unsigned k = 0; k < FUZZ_THINGS; k++)
        for (uint32_t j = 0; j < truth->things[k].count; j++)
            truth->things[k].at[j].seen = 0;
    void *state = workers_of(r) ? NULL : search->open(a, &params);
    bool fine = state ? explore(&t, search, state) && (says_void(&t, search, state) || kept(&t))
                      : explore_together(&t, &options) && (t.is_void || kept(&t));
    if (fine && r->what & PLAINLY)
        fine = same_plainly(&t, &params);
    n->executions += t.executions;
    n->cut += t.cut;
    if (!fine)
        f->strategy = r->strategy;
    return fine;
}
