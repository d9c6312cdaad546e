/*
 * test_rff.c - sampling guided by the writes that reads read from: the pairs are those of brute force, constraints
 * are met in every execution that permits it, and a bug that needs one late read among many threads is found in few
 * executions, with any number of other operations.
 */
#include "unit.h"

#include "search/sampler/rff.h"
#include "sim_search.h"

#include <string.h>

static bool is_write(const struct rd_step *s) {
    return s->op == RD_OP_WRITE || s->op == RD_OP_ATOMIC_RMW || s->op == RD_OP_MUTEX_LOCK ||
           s->op == RD_OP_MUTEX_UNLOCK;
}
static bool is_read(const struct rd_step *s) { return s->op != RD_OP_WRITE && s->op != RD_OP_MUTEX_UNLOCK; }

/* For each read, looks back for the last write to the same place and compares. */
static void same_pairs(void *ctx, const struct sim *s) {
    struct rd_rff_constraint list[256];
    struct rd_record r = s->rec;
    uint32_t count = rd_rff_pairs(ctx, &r, list, RD_COUNT(list)), n = 0;
    for (uint32_t i = 0; i < r.out->steps; i++) {
        const struct rd_step *read = &r.steps[i];
        if (!read->place || !is_read(read))
            continue;
        uint32_t write = 0;
        bool own = false;
        for (uint32_t k = i; k-- > 0 && !write;)
            if (r.steps[k].place == read->place && is_write(&r.steps[k])) {
                write = rd_rff_event(r.steps[k].pc, r.steps[k].place);
                own = r.steps[k].tid == read->tid;
            }
        assert_true(n < count && list[n].write == write && list[n].positive && list[n].own == own);
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

/* ---- the picker and its constraints ---- */

enum { SEEDS = 25, PATIENCE = 200 };

struct pairs {
    struct rd_rff_constraint at[64];
    uint32_t count;
    struct rd_arena arena;
    char memory[1 << 16];
};

static bool same_pair(const struct rd_rff_constraint *a, const struct rd_rff_constraint *b) {
    return a->write == b->write && a->read == b->read;
}

static bool has_pair(const struct pairs *p, const struct rd_rff_constraint *w) {
    for (uint32_t i = 0; i < p->count; i++)
        if (same_pair(&p->at[i], w))
            return true;
    return false;
}

/* Adds all pairs of the execution to the set. */
static void add_pairs(void *ctx, const struct sim *s) {
    struct pairs *all = ctx;
    struct rd_rff_constraint list[64];
    struct rd_record r = s->rec;
    uint32_t count = rd_rff_pairs(&all->arena, &r, list, RD_COUNT(list));
    for (uint32_t i = 0; i < count; i++)
        if (!has_pair(all, &list[i])) {
            assert_true(all->count < RD_COUNT(all->at));
            all->at[all->count++] = list[i];
        }
}

static void clear_pairs(struct pairs *p) {
    p->count = 0;
    rd_arena_init(&p->arena, p->memory, sizeof p->memory);
}

/* Runs one execution by random priorities with these constraints. */
static void run_with(struct sim *s, uint64_t seed, const struct rd_rff_constraint *wanted, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct rd_weight *to = &s->weight[i * RD_RFF_WEIGHTS];
        to[0] = (struct rd_weight){.steps = wanted[i].read};
        to[1] = (struct rd_weight){.steps = wanted[i].write, .parent = wanted[i].positive};
        to[2] = (struct rd_weight){.steps = wanted[i].object};
    }
    sim_run(s, &(struct rd_plan){
                   .picker = RD_PICK_RFF, .seed = rd_mix(seed), .ask_always = 1, .a = count, .b = PATIENCE});
}

/*
 * In programs in which no thread reads its own writes, and no thread waits, each pair that some schedule shows
 * occurs in every execution that has it as a constraint, and in none that has its opposite as a constraint if the
 * read can read from another write.
 */
static void pairs_come_about_or_do_not(void **state) {
    (void)state;
    static const struct sim_case cases[] = {
        {sim_reorder, 2, 0}, {sim_ring, 3, 0}, {sim_store_buffer, 0, 0}, {sim_readers, 3, 0}, {sim_rank1, 0, 0}};
    static struct pairs all, one;
    for (size_t c = 0; c < RD_COUNT(cases); c++) {
        struct sim_program p = sim_make(cases[c].build, cases[c].n, cases[c].k);
        struct sim_result r;
        clear_pairs(&all);
        sim_explore(&p, "dfs", &(struct sim_options){.asserts_go_on = true, .seen = add_pairs, .ctx = &all}, &r);
        assert_true(r.complete && all.count > 1);
        struct sim *s = sim_open();
        sim_load(s, &p, &(struct sim_options){.asserts_go_on = true}, NULL);
        for (uint32_t i = 0; i < all.count * 2 * SEEDS; i++) {
            struct rd_rff_constraint w = all.at[i / 2 / SEEDS];
            uint32_t others = 0;
            w.positive = i % 2 == 0;
            for (uint32_t k = 0; k < all.count; k++)
                others += all.at[k].read == w.read && all.at[k].write != w.write;
            clear_pairs(&one);
            run_with(s, i, &w, 1);
            add_pairs(&one, s);
            if (w.positive || others)
                assert_int_equal(has_pair(&one, &w), w.positive);
        }
        sim_close(s);
    }
}

/* The reader is to read the first write of any thread, and none of the second ones: it fails in every execution. */
static void constraints_work_together(void **state) {
    (void)state;
    enum { SETTERS = 10 };
    struct sim_program p = sim_make(sim_reorder, SETTERS, 0);
    struct sim *s = sim_open();
    sim_load(s, &p, NULL, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_STAY}); /* all setters, then the reader */
    const struct rd_step *steps = s->rec.steps;
    struct rd_step first[SETTERS], read[2];
    for (uint32_t t = 0; t < SETTERS; t++)
        first[t] = steps[t * 2];
    memcpy(read, &steps[SETTERS * 2], sizeof read);
    for (uint32_t i = 0; i < SETTERS * SEEDS; i++) {
        const struct rd_step *from = &first[i % SETTERS];
        struct rd_rff_constraint wanted[] = {{.write = rd_rff_event(from->pc, from->place),
                                              .read = rd_rff_event(read[0].pc, read[0].place),
                                              .object = rd_rff_object(read[0].place),
                                              .positive = true},
                                             {.write = 0,
                                              .read = rd_rff_event(read[1].pc, read[1].place),
                                              .object = rd_rff_object(read[1].place),
                                              .positive = true}};
        run_with(s, i, wanted, RD_COUNT(wanted));
        assert_int_equal(s->rec.out->verdict, RD_FOUND);
    }
    sim_close(s);
}

static int is_zero(const int *reg) { return reg[0] == 0; }

/*
 * A constraint with a read that never comes: the write that it holds back is performed all the same when the
 * patience is used up.
 */
static void no_thread_is_held_back_for_ever(void **state) {
    (void)state;
    enum { X, ROUNDS, AGAIN = 0 };
    struct sim_program p = {.name = "a loop that counts"};
    SIM_THREAD(&p, do_label(AGAIN), do_write(ROUNDS, 1), do_read(X, 0), do_if(is_zero, AGAIN));
    SIM_THREAD(&p, do_write(X, 1));
    struct sim *s = sim_open();
    sim_load(s, &p, NULL, NULL);
    sim_run(s, &(struct rd_plan){.picker = RD_PICK_LAST});
    struct rd_rff_constraint w = {.read = 1, .positive = true};
    for (uint32_t i = 0; i < s->rec.out->steps; i++)
        if (s->rec.steps[i].tid == 2)
            w.object = rd_rff_object(s->rec.steps[i].place);
    assert_int_not_equal(w.object, 0);
    for (uint32_t i = 0; i < SEEDS; i++) {
        run_with(s, i, &w, 1);
        assert_int_equal(s->rec.out->verdict, RD_PASSED);
        assert_in_range(s->rec.out->steps, PATIENCE, 2 * PATIENCE);
    }
    sim_close(s);
}

/* ---- the search ---- */

/*
 * Executions until the first failure, summed over `searches` searches with different seeds, each limited to `most`.
 */
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
        assert_true(c.classes == 0 && c.proved[0] == 0); /* the executions are no sample of one distribution */
        sim_search_close(&s);
    }
    return sum;
}

/*
 * Ten threads set a then b; the thread that reads both must come between the two writes of all of them. From the
 * second execution on at least a fifth of the executions have a constraint that leads there: 16 searches that need
 * 240 executions in all have a probability below 1e-9.
 */
enum { SEARCHES = 16, MOST = 300, ENOUGH = 240 };

static void many_threads_need_few_executions(void **state) {
    (void)state;
    struct sim_program bare = sim_make(sim_reorder, 10, 0), p;
    sim_with_main(&p, &bare, true);
    uint32_t guided = until_found(&p, SEARCHES, MOST);
    assert_true(guided < ENOUGH);
    static const char *const others[] = {"pos", "random"};
    for (size_t i = 0; i < RD_COUNT(others); i++) {
        struct sim_result r;
        sim_explore(&p, others[i], &(struct sim_options){.executions_max = SEARCHES * MOST, .seed = 1}, &r);
        double mean = (double)r.executions / (double)(r.asserts + 1);
        assert_true(mean > 10.0 * guided / SEARCHES);
    }
}

/*
 * The same program in which each setter also reads and writes a variable of its own in between: such variables are
 * not drawn for constraints.
 */
static void private_variables_cost_no_executions(void **state) {
    (void)state;
    enum { A, B, MINE, SETTERS = 10 };
    struct sim_program bare = sim_make(sim_reorder, 0, 0), p = {.name = "reorder, private variables"};
    for (int t = 0; t < SETTERS; t++)
        SIM_THREAD(&p, do_write((uint8_t)(MINE + t), 1), do_write(A, 1), do_read((uint8_t)(MINE + t), 0),
                   do_write((uint8_t)(MINE + t), 2), do_write(B, -1), do_read((uint8_t)(MINE + t), 0));
    sim_thread(&p, bare.code[0], bare.length[0]);
    assert_true(until_found(&p, SEARCHES, MOST) < ENOUGH);
}

int test_rff(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_brute_force),   cmocka_unit_test(pairs_come_about_or_do_not),
        cmocka_unit_test(constraints_work_together),        cmocka_unit_test(no_thread_is_held_back_for_ever),
        cmocka_unit_test(many_threads_need_few_executions), cmocka_unit_test(private_variables_cost_no_executions),
    };
    return cmocka_run_group_tests_name("reads-from guided", tests, NULL, NULL);
}
