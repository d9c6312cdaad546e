/*
 * test_exitblock.c - the search over atomic blocks: the very paths of the figures of the paper, counts by formula,
 * the traps of its text (each test is named after the program that shows it), and brute force beside it.
 */
#include "unit.h"

#include "search/exitblock.h"
#include "search/lockchain.h"
#include "sim_programs.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28, TEXT = 4096, LINE = 256 };

/* What a search showed, path by path. */
struct shown {
    char text[TEXT];       /* the sections of each path, "X" where it was aborted, "cut" where it was pruned */
    uint64_t paths, executions, aborted, pruned;
    uint64_t asserts, deadlocks, cycles; /* executions; cycles: that show a lock cycle */
    uint64_t first_failure;              /* path */
    bool undisciplined;
    struct rd_claim claim;
};

enum { S = 0, Z = 13 }; /* variables: section k writes number k */
#define SEC(k) do_write(S + (k), 1)

/* Sections of the first `length` steps. */
static void add_line(struct shown *r, const struct rd_record *rec, uint32_t length, const char *end) {
    static rd_place first;
    size_t used = strlen(r->text);
    for (uint32_t i = 0; i < length; i++) {
        const struct rd_step *s = &rec->steps[i];
        first = (s->place & 0xffff) / 8;
        if (s->op == RD_OP_WRITE && first >= 1 && first < Z && used + LINE < TEXT)
            used += (size_t)snprintf(r->text + used, LINE, "%d ", (int)first);
    }
    if (used + LINE < TEXT)
        snprintf(r->text + used, LINE, "%s|", end);
}

static void note(struct shown *r, const struct sim *sim, const struct rd_exitblock_count *c) {
    const struct rd_outcome *o = sim->rec.out;
    bool failed = o->verdict == RD_FOUND;
    r->executions++;
    r->asserts += failed && sim->failed;
    r->deadlocks += failed && o->finding.kind == RD_DEADLOCK;
    if (failed && !r->first_failure)
        r->first_failure = r->paths + 1;
    if (c->paths > r->paths)
        add_line(r, &sim->rec, c->length, c->aborted > r->aborted ? "X" : c->pruned > r->pruned ? "cut" : "");
    r->paths = c->paths;
    r->aborted = c->aborted;
    r->pruned = c->pruned;
}

static void explore(const struct sim_program *p, const char *strategy, struct shown *r) {
    *r = (struct shown){.paths = 0};
    struct sim *sim = sim_open();
    sim_load(sim, p, NULL, NULL);
    void *m = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m != MAP_FAILED);
    struct rd_arena arena;
    rd_arena_init(&arena, m, REGION);
    struct rd_params params = {.seed = 0};
    char error[128];
    const struct rd_search *search = rd_search_parse(strategy, &params, error, sizeof error);
    assert_non_null(search);
    void *state = search->open(&arena, &params);
    struct rd_draft d = {.prefix = sim->prefix, .prefix_max = SIM_STEPS_MAX, .sleep = sim->sleep};
    while (search->next(state, &d) == RD_NEXT_RUN) {
        sim_run(sim, &d.plan);
        assert_int_not_equal(sim->rec.out->verdict, RD_DIVERGED);
        search->feedback(state, &d.plan, &sim->rec);
        struct rd_exitblock_count c = rd_exitblock_count(state);
        note(r, sim, &c);
        struct rd_finding f;
        size_t mark = arena.used;
        r->cycles += rd_lockchain_check(&arena, &sim->rec, NULL, NULL, &f);
        arena.used = mark;
        while (search->predict(state, &sim->rec, &f))
            r->undisciplined |= f.kind == RD_LOCK_DISCIPLINE;
    }
    search->claim(state, &r->claim);
    assert_true(r->claim.complete);
    munmap(m, REGION);
    sim_close(sim);
}

static void shows(const struct sim_program *p, const char *strategy, const char *paths, uint64_t cycles) {
    struct shown r;
    explore(p, strategy, &r);
    if (strcmp(r.text, paths) != 0)
        print_error("%s, %s\n", p->name, strategy);
    assert_string_equal(r.text, paths);
    unit_count(p->name, "reports", r.cycles, cycles);
}

enum { A, B, M = 0 }; /* mutexes */

static int zero(const int *r) { return r[0] == 0; }
static int not_1(const int *r) { return r[0] != 1; }
static int not_3(const int *r) { return r[0] != 3; }
static int same(const int *r) { return r[0] == r[1]; }
static int plus_1(const int *r) { return r[0] + 1; }

static void figure_2(struct sim_program *p) {
    *p = (struct sim_program){.name = "figure 2"};
    SIM_THREAD(p, SEC(1), do_lock(A), SEC(2), do_write(Z, 1), do_lock(B), SEC(3), do_unlock(B), SEC(4),
               do_unlock(A), SEC(5));
    SIM_THREAD(p, SEC(6), do_lock(A), SEC(7), do_read(Z, 0), do_unlock(A), SEC(8), do_lock(B), SEC(9), do_unlock(B),
               SEC(10));
}

static void figure_8(struct sim_program *p) {
    *p = (struct sim_program){.name = "figure 8"};
    SIM_THREAD(p, SEC(1), do_lock(A), SEC(2), do_lock(B), SEC(3), do_unlock(B), SEC(4), do_unlock(A), SEC(5));
    SIM_THREAD(p, SEC(6), do_lock(B), SEC(7), do_lock(A), SEC(8), do_unlock(A), SEC(9), do_unlock(B), SEC(10));
}

/* Section 10 is inside 9; the brace that closes it too early in print leaves no deadlock. */
static void figure_10(struct sim_program *p) {
    *p = (struct sim_program){.name = "figure 10"};
    SIM_THREAD(p, SEC(1), do_lock(A), SEC(2), do_lock(B), SEC(3), do_unlock(B), SEC(4), do_unlock(A), SEC(5));
    SIM_THREAD(p, SEC(6), do_lock(A), SEC(7), do_unlock(A), SEC(8), do_lock(B), SEC(9), do_lock(A), SEC(10),
               do_unlock(A), SEC(11), do_unlock(B), SEC(12));
}

static void figures(void **state) {
    (void)state;
    struct sim_program p;
    figure_2(&p);
    shows(&p, "exitblock",
          "1 2 3 4 5 6 7 8 9 10 |1 2 3 X|6 7 8 9 10 1 2 3 4 5 |6 7 1 2 3 4 5 8 9 10 |6 7 1 2 3 8 9 10 4 5 |", 0);
    shows(&p, "exitblock:rw", "1 2 3 4 5 6 7 8 9 10 |1 2 3 X|6 7 8 9 10 1 2 3 4 5 |6 7 1 2 3 4 5 cut|", 0);
    figure_8(&p);
    shows(&p, "exitblock:dd", "1 2 3 4 5 6 7 8 9 10 |1 2 3 X|6 7 8 9 10 1 2 3 4 5 |6 7 8 X|", 2);
    shows(&p, "exitblock:rw,dd", "1 2 3 4 5 6 7 8 9 10 |1 2 3 X|6 7 8 9 10 cut|", 1);
    figure_10(&p);
    const char *six = "1 2 3 4 5 6 7 8 9 10 11 12 |1 2 3 X|6 7 8 9 10 11 12 1 2 3 4 5 |6 7 8 9 10 X|"
                      "6 7 1 2 3 4 5 8 9 10 11 12 |6 7 1 2 3 X|";
    shows(&p, "exitblock:dd", six, 2);
    shows(&p, "exitblock:rw,dd", "1 2 3 4 5 6 7 8 9 10 11 12 |1 2 3 X|6 7 8 9 10 11 12 cut|", 0);
    shows(&p, "exitblock:rw,dd,lock-is-write", six, 2);
}

/* k threads with n critical sections each. */
static void sections(struct sim_program *p, uint32_t k, uint32_t n, bool same_data, bool one_lock) {
    *p = (struct sim_program){.name = "critical sections"};
    for (uint32_t t = 0; t < k; t++) {
        sim_thread(p, NULL, 0);
        for (uint32_t i = 0; i < n; i++) {
            uint8_t x = (uint8_t)(same_data ? 0 : t), m = (uint8_t)(one_lock ? 0 : t);
            SIM_APPEND(p, do_lock(m), do_read(x, 0), do_write_fn(x, plus_1), do_unlock(m));
        }
    }
}

static void counts_are_those_of_the_formulas(void **state) {
    (void)state;
    static const struct {
        uint32_t k, n;
        uint64_t orders, independent;
    } rows[] = {{2, 1, 2, 2}, {2, 2, 6, 3},  {2, 3, 20, 4},    {3, 1, 6, 4},
                {3, 2, 90, 9}, {3, 3, 1680, 16}, {4, 1, 24, 8}, {4, 2, 2520, 27}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p;
        struct shown r;
        sections(&p, rows[i].k, rows[i].n, true, true);
        explore(&p, "exitblock", &r);
        unit_count("all conflict", "paths", r.paths, rows[i].orders);
        unit_count("all conflict", "executions", r.executions, rows[i].orders);
        explore(&p, "exitblock:rw", &r);
        unit_count("all conflict", "paths with rw", r.paths, rows[i].orders);
        assert_false(r.undisciplined);
        for (unsigned one = 0; one < 2; one++) {
            sections(&p, rows[i].k, rows[i].n, false, one);
            explore(&p, "exitblock:rw", &r);
            unit_count("no conflict", "paths with rw", r.paths, rows[i].independent);
            unit_count("no conflict", "executions with rw", r.executions, rows[i].independent);
        }
    }
}

static void split_sync(struct sim_program *p, bool more) {
    *p = (struct sim_program){.name = "SplitSync"};
    for (uint8_t t = 0; t < 2; t++) {
        uint8_t b = 3 * t;
        SIM_THREAD(p, do_lock(M), SEC(b + 1), do_read(Z, 0), do_unlock(M), do_lock(M), SEC(b + 2), do_read(Z, 1),
                   do_assert(same), do_write_fn(Z, plus_1), do_unlock(M));
        if (more)
            SIM_APPEND(p, do_lock(1 + t), SEC(b + 3), do_unlock(1 + t));
        else
            SIM_APPEND(p, SEC(b + 3));
    }
}

static void split_sync_fails_on_the_second_path_or_the_third(void **state) {
    (void)state;
    struct sim_program p;
    struct shown r;
    split_sync(&p, false);
    shows(&p, "exitblock", "1 2 3 4 5 6 |1 4 5 6 2 |1 4 2 3 5 |4 5 6 1 2 3 |4 1 2 3 5 |4 1 5 6 2 |", 0);
    shows(&p, "exitblock:rw", "1 2 3 4 5 6 |1 4 5 6 2 |1 4 2 3 5 |4 5 6 1 2 3 |", 0);
    explore(&p, "exitblock", &r);
    unit_count(p.name, "first failure", r.first_failure, 2);
    split_sync(&p, true); /* one more lock exit at the end of each thread, as in Java */
    explore(&p, "exitblock:rw", &r);
    unit_count(p.name, "first failure", r.first_failure, 3);
    unit_count(p.name, "paths", r.paths, 8);
    explore(&p, "exitblock", &r);
    unit_count(p.name, "paths", r.paths, 16);
    unit_count(p.name, "assertions", r.asserts, 8);
}

/* With read sets intersected as printed the write after a read is no reason to come back. */
static void misp(void **state) {
    (void)state;
    struct sim_program p = {.name = "misp"};
    struct shown r;
    SIM_THREAD(&p, do_lock(A), SEC(1), do_read(Z, 0), do_assert(zero), do_unlock(A));
    SIM_THREAD(&p, do_lock(A), SEC(2), do_write(Z, 1), do_unlock(A));
    explore(&p, "exitblock:rw", &r);
    unit_count(p.name, "assertions", r.asserts, 1);
    assert_string_equal(r.text, "1 2 |2 1 |");
    p = (struct sim_program){.name = "two readers"};
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_lock(A), SEC(t + 1), do_read(Z, 0), do_unlock(A));
    shows(&p, "exitblock:rw", "1 2 |2 cut|", 0);
}

/* One delayed thread instead of a set: the only order that fails is lost. */
static void lose3(void **state) {
    (void)state;
    struct sim_program p = {.name = "lose3"};
    struct shown r;
    SIM_THREAD(&p, do_lock(M), do_read(Z, 0), do_if(not_3, 0), do_write(Z, 1), do_label(0), do_unlock(M));
    SIM_THREAD(&p, do_lock(M), do_read(Z, 0), do_assert(not_1), do_unlock(M));
    SIM_THREAD(&p, do_lock(M), do_write(Z, 3), do_unlock(M));
    explore(&p, "exitblock", &r);
    unit_count(p.name, "paths", r.paths, 6);
    unit_count(p.name, "assertions", r.asserts, 1);
    explore(&p, "exitblock:rw", &r);
    unit_count(p.name, "assertions with rw", r.asserts, 1);
}

int test_exitblock(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(counts_are_those_of_the_formulas),
        cmocka_unit_test(split_sync_fails_on_the_second_path_or_the_third),
        cmocka_unit_test(misp),
        cmocka_unit_test(lose3),
    };
    return cmocka_run_group_tests_name("exitblock", tests, NULL, NULL);
}
