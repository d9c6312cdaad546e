/*
 * test_cover.c - the coverage of a search: executions by preemptions, orders and states by the fewest preemptions
 * that lead there, the samples of --coverage and how they are thinned. The numbers of states are counted by hand.
 */
#include "unit.h"

#include "report/coverage_csv.h"
#include "explore/loop.h"
#include "sim_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGION = 4 << 20 };

static struct sim *sim;
static struct rd_channel *channel;
static struct rd_arena arena;
static uint64_t orders_max = 16; /* room of the table of classes */

static void run(void *ctx) {
    (void)ctx;
    sim->options.strict = channel->execution.plan.strict;
    sim_run(sim, &channel->execution.plan);
}

static uint64_t now_ns(void *ctx) { return *(uint64_t *)ctx += 1000; }

/* Runs a whole search, with room for `samples` samples. */
static const struct rd_summary *cover(const struct sim_program *p, const char *strategy, uint64_t samples) {
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(
        &shape, &(struct rd_channel_size){.steps = 64, .store = 256, .samples = samples, .orders = orders_max});
    free(channel);
    channel = calloc(1, size);
    memcpy(channel, &shape, sizeof shape);
    rd_arena_reset(&arena);
    channel->config.coverage = samples != 0;
    strcpy(channel->config.strategy, strategy);
    struct rd_record rec = rd_channel_record(channel);
    sim_load(sim, p, NULL, &rec);
    uint64_t clock = 0;
    struct rd_loop_env env = {.ctx = &clock, .run = run, .now_ns = now_ns};
    rd_loop_run(channel, &arena, &env);
    return &channel->result.summary;
}

static int set_up(void **state) {
    (void)state;
    sim = sim_open();
    rd_arena_init(&arena, malloc(REGION), REGION);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sim_close(sim);
    free(arena.base);
    free(channel);
    channel = NULL;
    return 0;
}

/* Two threads, a read and a write of one variable each: AABB, BBAA; ABBA, BAAB; ABAB, BABA. */
static void executions_and_orders_by_preemptions(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    const struct rd_summary *s = cover(&p, "dfs", 0);
    assert_int_equal(s->executions, 6);
    assert_int_equal(s->preemptions[0], 2);
    assert_int_equal(s->preemptions[1], 2);
    assert_int_equal(s->preemptions[2], 2);
    /*
     * The threads run one after the other, in two ways; or both read before both write, in two ways, which ABBA and
     * BAAB show first.
     */
    assert_int_equal(s->classes, 4);
    assert_int_equal(s->classes_by[0], 2);
    assert_int_equal(s->classes_by[1], 2);
    assert_int_equal(s->classes_by[2], 0);
    assert_int_equal(s->coverage.states, 0); /* states are counted only with room for samples */
}

static void states_are_classes_of_prefixes(void **state) {
    (void)state;
    struct sim_program apart = sim_make(sim_independent, 2, 1), same = sim_make(sim_all_conflict, 2, 1);
    struct sim_program lost = sim_make(sim_lost_update, 0, 0);
    assert_int_equal(cover(&apart, "dfs", 8)->coverage.states, 4); /* no write, a, b, both */
    assert_int_equal(cover(&same, "dfs", 8)->coverage.states, 5);  /* no write, a, b, ab, ba */
    /* The reads and writes of two threads: 1 + 2 + 3 + 4 + 4 states after 0 to 4 events. */
    const struct rd_coverage *k = &cover(&lost, "dfs", 8)->coverage;
    assert_int_equal(k->states, 14);
    /* Without a preemption: the empty state, r1, r1w1, r1w1r2, all, and the same with the threads exchanged. */
    assert_int_equal(k->states_by[0], 9);
    assert_int_equal(k->states_by[1], 5);
    assert_int_equal(k->states_dropped, 0);
}

/* A search that stops in the middle has covered the states that the executions until then show. */
static void every_execution_is_a_sample(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    const struct rd_summary *s = cover(&p, "dfs", 8);
    const struct rd_sample *row = rd_channel_samples(channel);
    assert_int_equal(s->coverage.sample_count, 6);
    assert_int_equal(s->coverage.stride, 1);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(row[i].executions, i + 1);
        assert_int_equal(row[i].steps, 4);
        assert_int_equal(row[i].verdict, RD_PASSED);
        assert_int_equal(row[i].bound, -1);
        assert_true(i == 0 || row[i].elapsed_ns > row[i - 1].elapsed_ns);
        assert_int_equal(row[i].classes, (i ? row[i - 1].classes : 0) + row[i].new_class);
    }
    assert_int_equal(row[0].states, 5);
    assert_int_equal(row[0].new_class, 1);
    assert_int_equal(row[5].classes, 4);
    assert_int_equal(row[5].states, 14);
    assert_memory_equal(&row[5], &s->coverage.last, sizeof *row);
}

static void a_long_search_keeps_every_so_manieth(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_all_conflict, 3, 2); /* 90 executions */
    const struct rd_summary *s = cover(&p, "dfs", 8);
    const struct rd_coverage *k = &s->coverage;
    assert_int_equal(s->executions, 90);
    assert_int_equal(k->stride, 16);
    assert_int_equal(k->sample_count, 6); /* 1, 17, 33, 49, 65, 81 */
    for (uint32_t i = 0; i < k->sample_count; i++)
        assert_int_equal(rd_channel_samples(channel)[i].executions, 1 + 16 * i);
    assert_int_equal(k->last.executions, 90);
}

static void lines(FILE *out, char *to, size_t room) {
    rewind(out);
    size_t n = fread(to, 1, room - 1, out);
    to[n] = 0;
    fclose(out);
}

static void the_rows_of_the_file(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    char text[2048];
    cover(&p, "dfs", 2); /* room for two samples: executions 1 and 5, and the last */
    struct rd_run_result result = {.summary = channel->result.summary, .samples = rd_channel_samples(channel)};
    FILE *out = tmpfile();
    rd_coverage_executions(out, &result);
    lines(out, text, sizeof text);
    static const char head[] =
        "execution,cut,seconds,steps,points,preemptions,blocking,new_order,class,orders,lazy_orders,states,"
        "verdict,bound,tree_nodes\n1,0,";
    assert_memory_equal(text, head, strlen(head));
    char row[64];
    snprintf(row, sizeof row, ",4,2,0,0,1,%016llx,1,1,5,passed,,\n5,0,",
             (unsigned long long)result.samples[0].class);
    assert_non_null(strstr(text, row));
    assert_non_null(strstr(text, "\n6,0,"));
    assert_non_null(strstr(text, ",4,4,14,passed,,\n"));
    out = tmpfile();
    rd_coverage_bounds(out, &result);
    lines(out, text, sizeof text);
    assert_string_equal(text, "preemptions,executions,orders,states,executions_up_to,orders_up_to,states_up_to\n"
                              "0,2,2,9,2,2,9\n"
                              "1,2,2,5,4,4,14\n"
                              "2,2,0,0,6,4,14\n");
}

/* The nodes of the tree: after the first execution its alternatives and itself, in the end none. */
static void nodes_of_the_tree(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_independent, 2, 2);
    const struct rd_summary *s = cover(&p, "best:pb", 16);
    const struct rd_sample *row = rd_channel_samples(channel);
    assert_int_equal(s->coverage.sample_count, 6);
    assert_int_equal(row[0].nodes, 3); /* AABB, and BBAA and ABBA, which differ from it at steps 0 and 1 */
    assert_int_equal(row[5].nodes, 0);
    assert_int_equal(s->claim.nodes_max, 6);
    assert_int_equal(s->claim.tree_bytes_max, 6 * 32);
    s = cover(&p, "dfs", 16);
    assert_int_equal(rd_channel_samples(channel)[0].nodes, -1);
    assert_int_equal(s->claim.nodes_max, 0);
}

/* Each class by the number of its executions: AABB; ABBA, ABAB, BAAB, BABA in two classes; BBAA. */
static void executions_by_class(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    const struct rd_summary *s = cover(&p, "dfs", 8);
    const struct rd_order_count *orders = rd_channel_orders(channel);
    const struct rd_sample *row = rd_channel_samples(channel);
    uint64_t once = 0, twice = 0;
    assert_int_equal(s->coverage.order_count, 4);
    assert_int_equal(s->coverage.orders_dropped, 0);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t rows = 0;
        for (uint32_t k = 0; k < s->coverage.sample_count; k++)
            rows += row[k].class == orders[i].key;
        assert_int_equal(rows, orders[i].executions);
        once += rows == 1;
        twice += rows == 2;
    }
    assert_int_equal(once, 2);
    assert_int_equal(twice, 2);
    assert_int_equal(s->classes_by[0], 2); /* the counter beside it in the map leaves this as it is */
    assert_int_equal(s->classes_by[1], 2);

    struct rd_run_result result = {.summary = *s, .orders = rd_channel_orders(channel)};
    char text[512], expected[512];
    FILE *out = tmpfile();
    rd_coverage_orders(out, &result);
    lines(out, text, sizeof text);
    int n = snprintf(expected, sizeof expected, "class,executions\n");
    for (uint32_t i = 0; i < 4; i++)
        n += snprintf(expected + n, sizeof expected - (size_t)n, "%016llx,%llu\n",
                      (unsigned long long)orders[i].key, (unsigned long long)orders[i].executions);
    assert_string_equal(text, expected);
}

static void a_full_table_takes_no_new_class(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_all_conflict, 2, 2); /* 6 executions, each of its own class */
    orders_max = 4;
    const struct rd_summary *s = cover(&p, "dfs", 8);
    orders_max = 16;
    assert_int_equal(s->executions, 6);
    assert_int_equal(s->classes, 6);
    assert_int_equal(s->coverage.order_count, 4);
    assert_int_equal(s->coverage.orders_dropped, 2);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rd_channel_orders(channel)[i].executions, 1);
}

/* A cut execution has steps, but no class, and is not among the maxima. */
static void cut_executions_have_no_class(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_lost_update, 0, 0);
    const struct rd_summary *s = cover(&p, "dfs:depth=2", 8);
    assert_int_equal(s->executions, 0);
    assert_true(s->cut > 0);
    assert_int_equal(s->coverage.order_count, 0);
    assert_int_equal(s->steps_max, 0);
    assert_int_equal(s->preemptions_max, 0);
    assert_int_equal(rd_channel_samples(channel)[0].class, 0);
    char text[2048];
    struct rd_run_result result = {.summary = *s, .samples = rd_channel_samples(channel)};
    FILE *out = tmpfile();
    rd_coverage_executions(out, &result);
    lines(out, text, sizeof text);
    assert_non_null(strstr(text, "\n0,1,"));
    assert_non_null(strstr(text, ",2,2,0,0,0,,0,0,"));
}

/* Steps that may block: locks, waits, joins …, also where they did not have to; not an attempt, nor a late wait. */
static void blocking_steps(void **state) {
    (void)state;
    struct sim_program p = {.name = "blocking", .sems = {2}};
    SIM_THREAD(&p, do_lock(0), do_wait(1, 0), do_unlock(0), do_sem_wait(0), do_sem_post(0), do_trylock(2, 0));
    SIM_THREAD(&p, do_lock(0), do_signal(1), do_unlock(0), do_yield());
    const struct rd_summary *s = cover(&p, "dfs", 0);
    /* thread 0: lock, wake, sem-wait, and the mutex that the wait takes back with wake; thread 1: lock */
    assert_int_equal(s->blocking_max, 4);

    struct sim_program late = {.name = "late"};
    SIM_THREAD(&late, do_sleep(100), do_timedlock(0, 50, 0), do_timedlock(1, 500, 0), do_read(0, 0));
    s = cover(&late, "dfs", 0);
    assert_int_equal(s->blocking_max, 1); /* the deadline of the first lock is over, so it cannot block */
    assert_int_equal(s->steps_max, 4);
}

struct lazy {
    struct rd_arena arena, scratch;
    struct rd_map seen;
    uint64_t count;
};

static void note_lazy(void *ctx, const struct sim *s) {
    struct lazy *l = ctx;
    uint64_t *seen = rd_map_put(&l->seen, &l->arena, rd_coverage_lazy_class(&l->scratch, &s->rec));
    l->count += *seen == 0;
    *seen = 1;
}

/* Critical sections on different data count as one order. The numbers were computed beforehand. */
static void lazy_classes(void **state) {
    (void)state;
    static const struct {
        sim_build build;
        int n, k;
        uint64_t classes;
    } known[] = {{sim_independent, 2, 2, 1}, {sim_rapos1, 0, 0, 2},       {sim_rank1, 0, 0, 2},
                 {sim_rank2, 0, 0, 3},       {sim_rank3, 0, 0, 6},        {sim_rank4, 0, 0, 9},
                 {sim_rank8, 0, 0, 6},       {sim_rank9, 0, 0, 12},       {sim_rank10, 0, 0, 9},
                 {sim_split_sync, 0, 0, 4},  {sim_lost_update, 0, 0, 4},  {sim_lost_update_main, 0, 0, 4},
                 {sim_abba, 0, 0, 2},        {sim_philosophers, 3, 0, 2}, {sim_store_buffer, 0, 0, 3},
                 {sim_bluetooth, 0, 0, 8},   {sim_reorder, 2, 0, 36},     {sim_two_stage, 1, 0, 3},
                 {sim_critical, 2, 2, 1}};
    static _Alignas(16) char regions[2][1 << 20];
    for (size_t i = 0; i < RD_COUNT(known); i++) {
        struct sim_program p = sim_make(known[i].build, known[i].n, known[i].k);
        struct lazy l = {.count = 0};
        struct sim_options o = {.seen = note_lazy, .ctx = &l};
        struct sim_result r;
        rd_arena_init(&l.arena, regions[0], sizeof regions[0]);
        rd_arena_init(&l.scratch, regions[1], sizeof regions[1]);
        sim_enumerate(&p, &o, &r);
        unit_count(p.name, "lazy classes", l.count, known[i].classes);
    }
}

int test_cover(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        T(executions_and_orders_by_preemptions),
        T(lazy_classes),
        T(states_are_classes_of_prefixes),
        T(every_execution_is_a_sample),
        T(a_long_search_keeps_every_so_manieth),
        T(the_rows_of_the_file),
        T(nodes_of_the_tree),
        T(executions_by_class),
        T(a_full_table_takes_no_new_class),
        T(cut_executions_have_no_class),
        T(blocking_steps),
    };
    return cmocka_run_group_tests_name("cover", tests, NULL, NULL);
}
