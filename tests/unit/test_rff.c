/*
 * test_rff.c - sampling guided by who reads from whom: the pairs are those of brute force, wishes are granted where
 * they can be, and a bug that needs one read to be late among many threads is found in few executions.
 */
#include "unit.h"

#include "search/rff.h"
#include "sim_search.h"

static bool is_write(const struct rd_step *s) {
    return s->op == RD_OP_WRITE || s->op == RD_OP_ATOMIC_RMW || s->op == RD_OP_MUTEX_LOCK ||
           s->op == RD_OP_MUTEX_UNLOCK;
}
static bool is_read(const struct rd_step *s) { return s->op != RD_OP_WRITE; }

/* For each read look back for the last write to the same place. */
static void same_pairs(void *ctx, const struct sim *s) {
    struct rd_rff_wish list[256];
    struct rd_record r = s->rec;
    uint32_t count = rd_rff_pairs(ctx, &r, list, RD_COUNT(list)), n = 0;
    for (uint32_t i = 0; i < r.out->steps; i++) {
        const struct rd_step *read = &r.steps[i];
        if (!read->place || !is_read(read))
            continue;
        uint32_t write = 0;
        for (uint32_t k = i; k-- > 0 && !write;)
            if (r.steps[k].place == read->place && is_write(&r.steps[k]))
                write = rd_rff_event(r.steps[k].pc, r.steps[k].place);
        assert_true(n < count && list[n].write == write && list[n].positive);
        assert_int_equal(list[n].read, rd_rff_event(read->pc, read->place));
        assert_int_equal(list[n++].object, rd_rff_object(read->place));
    }
    assert_int_equal(n, count);
}

static void pairs_are_those_of_brute_force(void **state) {
    (void)state;
    static char memory[1 << 16];
    static const struct sim_case cases[] = {{sim_reorder, 3, 0}, {sim_rank10, 0, 0}, {sim_two_stage, 2, 0}};
    struct rd_arena a;
    rd_arena_init(&a, memory, sizeof memory);
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        struct sim_program p = sim_make(cases[i].build, cases[i].n, cases[i].k);
        struct sim_result r;
        sim_explore(&p, "pos",
                    &(struct sim_options){.executions_max = 100, .seed = 1, .seen = same_pairs, .ctx = &a}, &r);
    }
    assert_int_equal(a.used, 0);
}

/* Four threads write and one reads: it sees whom it is told to. */
static void wishes_are_granted(void **state) {
    (void)state;
    enum { X, WRITERS = 4 };
    struct sim_program p = {.name = "a wish"};
    SIM_THREAD(&p, do_read(X, 0));
    for (int t = 1; t <= WRITERS; t++)
        SIM_THREAD(&p, do_write(X, t));
    struct sim *s = sim_open();
    sim_load(s, &p, NULL, NULL);
    uint32_t events[WRITERS + 1] = {0}, read = 0, object = 0; /* the first one: what was there before */
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY});
    for (uint32_t i = 0; i < s->rec.out->steps; i++) {
        const struct rd_step *step = &s->rec.steps[i];
        uint32_t event = rd_rff_event(step->pc, step->place);
        object = rd_rff_object(step->place);
        if (step->op == RD_OP_READ)
            read = event;
        else
            events[step->tid - 1] = event;
    }
    for (uint32_t from = 0; from <= WRITERS; from++) {
        for (uint64_t seed = 0; seed < 40; seed++) {
            s->weight[0] = (struct rd_weight){.steps = read};
            s->weight[1] = (struct rd_weight){.steps = events[from], .parent = 1};
            s->weight[2] = (struct rd_weight){.steps = object};
            sim_run(s, &(struct rd_plan){.picker = RD_PICK_RFF, .seed = rd_mix(seed), .ask_always = 1, .a = 1});
            assert_int_equal(s->reg[0][0], from);
        }
    }
    sim_close(s);
}

/* Executions until the first failure, of so many searches with other seeds, each no longer than that. */
static uint32_t until_found(const struct sim_program *p, uint32_t searches, uint32_t most) {
    uint32_t sum = 0;
    for (uint32_t seed = 1; seed <= searches; seed++) {
        struct sim_search s = sim_search_open(p, "rff", &(struct sim_options){.seed = seed});
        for (uint32_t i = 0; i < most; i++) {
            assert_true(sim_search_next(&s));
            sum++;
            if (s.sim->rec.out->verdict == RD_FOUND)
                break;
        }
        struct rd_claim c = sim_search_claim(&s);
        assert_true(c.orders == 0 && c.proved[0] == 0); /* they are no sample of one distribution */
        sim_search_close(&s);
    }
    return sum;
}

/* Ten threads set a then b; whoever reads both must come between the two, of all of them. */
static void many_threads_need_few_executions(void **state) {
    (void)state;
    struct sim_program bare = sim_make(sim_reorder, 10, 0), p;
    sim_with_main(&p, &bare, true);
    enum { SEARCHES = 8, MOST = 300 };
    uint32_t guided = until_found(&p, SEARCHES, MOST);
    assert_true(guided < SEARCHES * 15); /* 6 each in the mean of 20 other seeds */
    static const char *const others[] = {"pos", "random"};
    for (size_t i = 0; i < RD_COUNT(others); i++) {
        struct sim_result r;
        sim_explore(&p, others[i], &(struct sim_options){.executions_max = SEARCHES * MOST, .seed = 1}, &r);
        double mean = (double)r.executions / (double)(r.asserts + 1);
        assert_true(mean > 10.0 * guided / SEARCHES);
    }
}

int test_rff(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_brute_force),
        cmocka_unit_test(wishes_are_granted),
        cmocka_unit_test(many_threads_need_few_executions),
    };
    return cmocka_run_group_tests_name("reads-from guided", tests, NULL, NULL);
}
