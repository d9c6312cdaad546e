/*
 * test_exitblock.c - the search over atomic blocks: exactly the paths of the paper's figures, counts by formula,
 * the traps in its text (each test is named after the program that shows the trap), and comparison with brute
 * force.
 */
#include "unit.h"

#include "search/exitblock/exitblock.h"
#include "detect/detect.h"
#include "sim_programs.h"
#include "trace/place.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 28, TEXT = 4096, LINE = 256 };

/* The result of a search, path by path. */
struct shown {
    char text[TEXT]; /* the sections of each path, "X" where it was aborted, "cut" where it was pruned */
    uint64_t paths, executions, aborted, pruned;
    uint64_t asserts, deadlocks, cycles; /* numbers of executions; cycles: that show a lock cycle */
    uint64_t first_failure;              /* number of the path */
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

static void explore_trusting(const struct sim_program *p, const char *strategy, const struct rd_range *code,
                             struct shown *r) {
    *r = (struct shown){.paths = 0};
    struct sim *sim = sim_open();
    sim_load(sim, p, NULL, NULL);
    struct rd_arena arena = sim_region(REGION);
    struct rd_params params = {.seed = 0};
    struct rd_error error;
    const struct rd_search *search = rd_search_parse(strategy, &params, &error);
    assert_non_null(search);
    params.ranges = code;
    params.range_count = code != NULL;
    void *state = search->open(&arena, &params);
    struct rd_draft d = {
        .prefix = sim->prefix, .prefix_max = SIM_STEPS_MAX, .sleep = sim->sleep, .weight = sim->weight};
    while (search->next(state, &d) == RD_NEXT_RUN) {
        sim_run(sim, &d.plan);
        assert_int_not_equal(sim->rec.out->verdict, RD_DIVERGED);
        search->feedback(state, &d.plan, &sim->rec);
        struct rd_exitblock_count c = rd_exitblock_count(state);
        note(r, sim, &c);
        struct rd_finding f;
        size_t mark = arena.used;
        r->cycles += rd_detect_lockchain(&arena, &sim->rec, NULL, &f);
        arena.used = mark;
        while (search->hooks.predict(state, &sim->rec, &f))
            r->undisciplined |= f.kind == RD_LOCK_DISCIPLINE;
    }
    search->claim(state, &r->claim);
    assert_true(r->claim.complete);
    munmap(arena.base, REGION);
    sim_close(sim);
}

static void explore(const struct sim_program *p, const char *strategy, struct shown *r) {
    explore_trusting(p, strategy, NULL, r);
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

/* Section 10 is inside section 9. In print a brace closes section 9 too early, which leaves no deadlock. */
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
    } rows[] = {{2, 1, 2, 2},  {2, 2, 6, 3},     {2, 3, 20, 4}, {3, 1, 6, 4},
                {3, 2, 90, 9}, {3, 3, 1680, 16}, {4, 1, 24, 8}, {4, 2, 2520, 27}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        if (rows[i].orders > 1000 && !unit_is_slow())
            continue;
        struct sim_program p;
        struct shown r;
        sections(&p, rows[i].k, rows[i].n, true, true);
        explore(&p, "exitblock", &r);
        unit_count("all conflict", "paths", r.paths, rows[i].orders);
        unit_count("all conflict", "executions", r.executions, rows[i].orders);
        explore(&p, "exitblock:rw", &r);
        unit_count("all conflict", "paths with rw", r.paths, rows[i].orders);
        unit_count("all conflict", "executions with rw", r.executions, rows[i].orders);
        assert_false(r.undisciplined);
        sections(&p, rows[i].k, rows[i].n, false, true);
        explore(&p, "exitblock:rw", &r);
        unit_count("no conflict", "paths with rw", r.paths, rows[i].independent);
        sections(&p, rows[i].k, rows[i].n, false, false);
        explore(&p, "exitblock:rw", &r);
        unit_count("no lock in common", "paths with rw", r.paths, 1);
        explore(&p, "exitblock", &r);
        unit_count("no lock in common", "paths", r.paths, 1);
    }
}

static void split_sync(struct sim_program *p, bool more) {
    *p = (struct sim_program){.name = "SplitSync"};
    for (uint8_t t = 0; t < 2; t++) {
        uint8_t b = 3 * t;
        SIM_THREAD(p, do_lock(M), SEC(b + 1), do_read(Z, 0), do_unlock(M), do_lock(M), SEC(b + 2), do_read(Z, 1),
                   do_assert(same), do_write_fn(Z, plus_1), do_unlock(M));
        if (more)
            SIM_APPEND(p, SEC(b + 3), do_sem_post(t));
        else
            SIM_APPEND(p, SEC(b + 3));
    }
}

/*
 * The third schedule of the paper needs one more block exit at the end of each thread, which in Java is that of a
 * lock. Without it the search runs the second schedule.
 */
static void third_schedule(void **state) {
    (void)state;
    struct sim_program p;
    struct shown r;
    split_sync(&p, false);
    shows(&p, "exitblock", "1 2 3 4 5 6 |1 4 5 6 2 |1 4 2 3 5 |4 5 6 1 2 3 |4 1 2 3 5 |4 1 5 6 2 |", 0);
    shows(&p, "exitblock:rw", "1 2 3 4 5 6 |1 4 5 6 2 |1 4 2 3 5 |4 5 6 1 2 3 |", 0);
    explore(&p, "exitblock", &r);
    unit_count(p.name, "first failure", r.first_failure, 2);
    split_sync(&p, true);
    explore(&p, "exitblock:rw", &r);
    unit_count(p.name, "first failure", r.first_failure, 3);
    unit_count(p.name, "paths", r.paths, 8);
    explore(&p, "exitblock", &r);
    unit_count(p.name, "paths", r.paths, 16);
    unit_count(p.name, "assertions", r.asserts, 8);
}

/* If read sets were intersected as printed, a write after a read would create no backtracking point. */
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

/* If one delayed thread were remembered instead of a set, the only failing order would be lost. */
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

/*
 * Two threads have C(2n, n) schedules, which is about 4^n / sqrt(pi n), while the formula (1/k)^n gives another
 * number.
 */
static void stirling(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 6; n++) {
        struct sim_program p;
        struct shown r;
        sections(&p, 2, n, true, true);
        explore(&p, "exitblock", &r);
        double about = 1;
        for (uint32_t i = 0; i < n; i++)
            about *= 4;
        double ratio = (double)r.paths * (double)r.paths * 3.14159265 * n / (about * about);
        assert_true(ratio > 0.75 && ratio < 1); /* 1 - 1 / (4 n) or so */
    }
}

/*
 * Figure 10 as printed: section 10 comes after section 9, not inside it. There is no lock cycle, and none is
 * reported.
 */
static void stray_brace(void **state) {
    (void)state;
    struct sim_program p = {.name = "figure 10 as printed"};
    struct sim_result all;
    struct shown r;
    SIM_THREAD(&p, SEC(1), do_lock(A), SEC(2), do_lock(B), SEC(3), do_unlock(B), SEC(4), do_unlock(A), SEC(5));
    SIM_THREAD(&p, do_lock(A), SEC(7), do_unlock(A), do_lock(B), SEC(9), do_unlock(B), do_lock(A), SEC(10),
               do_unlock(A));
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "deadlocks", all.deadlocks, 0);
    explore(&p, "exitblock:dd", &r);
    unit_count(p.name, "reports", r.cycles, 0);
}

/*
 * Both threads lock A, then B; one releases A first. Without the rule for locks that are not nested that would be a
 * cycle.
 */
static void hand_over_hand(void **state) {
    (void)state;
    struct sim_program p = {.name = "hand over hand"};
    struct sim_result all;
    struct shown r;
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_lock(A), SEC(4 * t + 1), do_lock(B), SEC(4 * t + 2), do_unlock(A), SEC(4 * t + 3),
                   do_unlock(B));
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "deadlocks", all.deadlocks, 0);
    explore(&p, "exitblock:dd", &r);
    unit_count(p.name, "reports", r.cycles, 0);
    assert_true(r.aborted > 0);
}

/* The woken waiter is a choice: with the first waiter only, half of the deadlocks are lost. */
static void notify(void **state) {
    (void)state;
    static const struct {
        int broadcast;
        bool fifo;
        uint64_t executions, deadlocks;
    } rows[] = {{0, false, 80, 8}, {0, true, 60, 4}, {1, false, 80, 0}};
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(sim_slot, 2, rows[i].broadcast);
        struct sim_options o = {.signal_fifo = rows[i].fifo};
        static const char *const strategies[] = {"exitblock", "exitblock:rw", "exitblock:dd"};
        for (size_t k = 0; k < RD_COUNT(strategies); k++) {
            struct sim_result r;
            sim_explore(&p, strategies[k], &o, &r);
            unit_count(strategies[k], "executions", r.executions, rows[i].executions);
            unit_count(strategies[k], "deadlocks", r.deadlocks, rows[i].deadlocks);
            unit_count(strategies[k], "cut", r.cut, 0);
            unit_count(strategies[k], "repeated", r.repeated, 0);
        }
    }
}

/* A real deadlock in which no thread can finish its last block: the search lets the delayed threads run. */
static void every_thread_is_stopped(void **state) {
    (void)state;
    struct sim_program p = {.name = "stopped"};
    struct sim_result r;
    for (uint8_t t = 0; t < 2; t++)
        SIM_THREAD(&p, do_lock(t), do_lock(2), SEC(1 + t), do_unlock(2), SEC(3 + t), do_lock(1 - t), SEC(5 + t),
                   do_unlock(1 - t), do_unlock(t));
    sim_explore(&p, "exitblock", NULL, &r);
    assert_true(r.deadlocks > 0);
    assert_true(r.complete);
}

/* The lock exits of trusted code end no block: here the exits of the second thread. */
static void trusted_code(void **state) {
    (void)state;
    struct sim_program p;
    struct shown r;
    rd_place first = rd_place_make(RD_PLACE_MODULE, 0x401000);
    struct rd_range second_thread = {.first = first, .last = first + 0xfff, .list = RD_NAMES_TRUST};
    sections(&p, 2, 2, true, true);
    explore(&p, "exitblock", &r);
    unit_count("all code", "paths", r.paths, 6);
    explore_trusting(&p, "exitblock", &second_thread, &r);
    /* one block of the second thread: before, between or after the first thread's blocks */
    unit_count("trusted code", "paths", r.paths, 3);
}

static void the_claim(void **state) {
    (void)state;
    struct sim_program p;
    struct shown r;
    sections(&p, 2, 1, true, true);
    explore(&p, "exitblock", &r);
    assert_non_null(strstr(r.claim.proved, "(2 paths); deadlocks were not looked for"));
    explore(&p, "exitblock:dd", &r);
    assert_non_null(strstr(r.claim.proved, "there is no deadlock by mutexes and conditions alone"));
    explore(&p, "exitblock:rw,dd", &r);
    assert_non_null(strstr(r.claim.proved, "a deadlock may have been missed"));
    assert_string_equal(r.claim.voids, "");
    p = (struct sim_program){.name = "a lock is held while a semaphore is waited for"};
    SIM_THREAD(&p, do_lock(0), do_sem_wait(0), do_unlock(0));
    SIM_THREAD(&p, do_lock(0), do_sem_post(0), do_unlock(0));
    explore(&p, "exitblock:dd", &r);
    assert_non_null(strstr(r.claim.proved, "a deadlock may have been missed"));
    p = (struct sim_program){.name = "locks in a circle"};
    SIM_THREAD(&p, do_lock(0), do_lock(1), do_unlock(1), do_unlock(0));
    SIM_THREAD(&p, do_lock(1), do_lock(0), do_unlock(0), do_unlock(1));
    explore(&p, "exitblock:dd", &r);
    assert_non_null(strstr(r.claim.proved, "there is no other deadlock"));
    p = sim_make(sim_lost_update, 0, 0); /* a program without locks */
    explore(&p, "exitblock", &r);
    assert_true(r.undisciplined);
    assert_string_not_equal(r.claim.voids, "");
}

int test_exitblock(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),        cmocka_unit_test(counts_are_those_of_the_formulas),
        cmocka_unit_test(third_schedule), cmocka_unit_test(misp),
        cmocka_unit_test(lose3),          cmocka_unit_test(stirling),
        cmocka_unit_test(stray_brace),    cmocka_unit_test(hand_over_hand),
        cmocka_unit_test(notify),         cmocka_unit_test(every_thread_is_stopped),
        cmocka_unit_test(trusted_code),   cmocka_unit_test(the_claim),
    };
    return cmocka_run_group_tests_name("exitblock", tests, NULL, NULL);
}
