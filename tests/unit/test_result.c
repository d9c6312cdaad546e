/*
 * test_result.c - from a channel that a program may have damaged to a result that the driver can use: nothing of a
 * sound channel is lost, every damage of a count, an index or a text is noticed or harmless, and the results of
 * several workers are added up as counters.def says.
 */
#include "unit.h"

#include "base/rng.h"
#include "drive/take_result.h"
#include "explore/loop.h"
#include "sim_programs.h"

#include <stdlib.h>
#include <string.h>

enum { REGION = 4 << 20 };

static struct sim *sim;
static struct rd_worker worker;
static uint64_t channel_size;
static struct rd_arena arena;

/* The driver's own protects head and configuration; here nothing writes there. */
bool rd_worker_is_whole(const struct rd_worker *w) { return w->channel != NULL; }

static void run(void *ctx) {
    (void)ctx;
    sim->options.strict = worker.channel->execution.plan.strict;
    sim_run(sim, &worker.channel->execution.plan);
}

static uint64_t now_ns(void *ctx) { return *(uint64_t *)ctx += 1000; }

/* A search with findings, samples and, as if --outcomes had been given, an ending. */
static int set_up(void **state) {
    (void)state;
    struct rd_channel shape = {0};
    struct rd_channel_size size = {
        .steps = 64, .store = 256, .samples = 8, .orders = 8, .outcomes = true, .detail = true};
    sim = sim_open();
    rd_arena_init(&arena, malloc(REGION), REGION);
    channel_size = rd_channel_layout(&shape, &size);
    struct rd_channel *c = calloc(1, channel_size);
    memcpy(c, &shape, sizeof shape);
    rd_channel_set_canaries(c);
    worker.channel = c;
    c->config.coverage = 1;
    c->config.keep_going = 1;
    strcpy(c->config.strategy, "dfs");
    struct sim_program p = sim_make(sim_abba, 0, 0);
    struct rd_record rec = rd_channel_record(c);
    sim_load(sim, &p, NULL, &rec);
    uint64_t clock = 0;
    struct rd_loop_env env = {.ctx = &clock, .run = run, .now_ns = now_ns};
    rd_loop_run(c, &arena, &env);
    c->live.attached = 1;
    c->execution.path_count = 3;
    c->execution.module_count = 2;
    strcpy(c->execution.modules[0].path, "/bin/program");
    strcpy(c->execution.modules[1].path, "/lib/library.so");
    strcpy(rd_channel_texts(c), "outputx=1");
    c->result.summary.texts_used = 9;
    c->result.summary.ending_count = 1;
    rd_channel_endings(c)[0] = (struct rd_ending){.count = 1, .output_size = 6, .observed_size = 3};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sim_close(sim);
    free(arena.base);
    free(worker.channel);
    worker.channel = NULL;
    return 0;
}

/* ---- taking ---- */

static void nothing_is_lost(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    struct rd_run_result r;
    assert_null(rd_run_result_take(&r, &worker));
    assert_true(c->result.summary.found_count > 0);
    assert_memory_equal(&r.summary, &c->result.summary, sizeof r.summary);
    assert_memory_equal(r.found, c->result.found, r.summary.found_count * sizeof *r.found);
    assert_memory_equal(r.store, rd_channel_store(c), r.summary.store_used * sizeof *r.store);
    assert_memory_equal(r.texts, "outputx=1", 9);
    assert_int_equal(r.module_count, 2);
    assert_string_equal(r.modules[1].path, "/lib/library.so");
    assert_int_equal(r.path_count, c->execution.path_count);
    assert_int_equal(r.outcome.steps, c->execution.outcome.steps);
    assert_memory_equal(r.record.steps, rd_channel_record(c).steps, r.outcome.steps * sizeof *r.record.steps);
    assert_true(r.attached && !r.explored);
    struct rd_record record = rd_run_result_record(&r);
    assert_ptr_equal(record.out, &r.outcome);
    rd_run_result_free(&r);
}

struct field {
    void *at;
    size_t size;
};
#define FIELD(member) \
    { &(member), sizeof(member) }

/* Damages each field alone: every damage must be noticed, and without damage the channel is sound. */
static void damage(const struct field *fields, size_t count) {
    char before[1024];
    struct rd_run_result r;
    for (size_t i = 0; i < count; i++) {
        assert_true(fields[i].size <= sizeof before);
        memcpy(before, fields[i].at, fields[i].size);
        memset(fields[i].at, 0xee, fields[i].size);
        if (!rd_run_result_take(&r, &worker))
            fail_msg("the damage of field %zu was not noticed", i);
        rd_run_result_free(&r);
        memcpy(fields[i].at, before, fields[i].size);
    }
    assert_null(rd_run_result_take(&r, &worker));
    rd_run_result_free(&r);
}

/* One damage each, of every count, index, enumerator and text of the search's result. */
static void damage_of_the_result_is_noticed(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    struct rd_summary *s = &c->result.summary;
    struct rd_found *f = &c->result.found[0];
    struct rd_ending *e = rd_channel_endings(c);
    struct rd_profile *p = rd_channel_profile(c);
    const struct field fields[] = {
        FIELD(s->end),
        FIELD(s->trouble),
        FIELD(s->found_count),
        FIELD(s->ending_count),
        FIELD(s->opaque_count),
        FIELD(s->tracks_used),
        FIELD(s->store_used),
        FIELD(s->texts_used),
        FIELD(s->coverage.sample_count),
        FIELD(s->coverage.order_count),
        FIELD(s->message),
        FIELD(s->no_snapshot),
        FIELD(s->claim.proved),
        FIELD(s->claim.voids),
        FIELD(s->claim.phase),
        FIELD(s->claim.chance),
        FIELD(s->divergence),
        FIELD(f->finding.kind),
        FIELD(f->finding.circle_count),
        FIELD(f->finding.message),
        FIELD(f->finding.file),
        FIELD(f->finding.function),
        FIELD(f->store),
        FIELD(f->steps),
        FIELD(f->track),
        FIELD(f->track_count),
        FIELD(f->access_points),
        FIELD(f->why.second_op),
        FIELD(f->why.critical),
        FIELD(f->why.before),
        FIELD(f->why.first),
        FIELD(f->why.second),
        FIELD(f->finding.step),
        FIELD(f->finding.other_step),
        FIELD(rd_channel_store(c)[0].op),
        FIELD(rd_channel_store(c)[0].tid),
        FIELD(e->text),
        FIELD(e->output_size),
        FIELD(p->var_count),
        FIELD(p->site_count),
        FIELD(p->block_count),
        FIELD(p->global_count),
    };
    damage(fields, RD_COUNT(fields));
}

/* The same of the last execution, and of what is known of the program. */
static void damage_of_the_execution_is_noticed(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    struct rd_execution *x = &c->execution;
    struct rd_outcome *o = &x->outcome;
    struct rd_thread_info *t = &rd_channel_record(c).threads[1];
    const struct field fields[] = {
        FIELD(x->module_count),
        FIELD(x->modules[1].path),
        FIELD(x->modules[0].build_id_size),
        FIELD(x->path_count),
        FIELD(x->paths[1].parent),
        FIELD(x->annotation_count),
        FIELD(x->plan.track_count),
        FIELD(x->plan.access_points),
        FIELD(o->verdict),
        FIELD(o->threads),
        FIELD(o->steps),
        FIELD(o->cands),
        FIELD(o->known_count),
        FIELD(o->noted_count),
        FIELD(o->message),
        FIELD(o->finding.message),
        FIELD(o->divergence),
        FIELD(t->frames),
        FIELD(t->state),
        FIELD(t->pending.kind),
        FIELD(t->name),
        FIELD(c->live.running),
        FIELD(c->live.stuck),
    };
    damage(fields, RD_COUNT(fields));
}

/* A process that is killed may leave its last step half written: the steps before it count. */
static void a_half_written_step_is_cut_off(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    struct rd_run_result r;
    uint32_t steps = c->execution.outcome.steps;
    rd_channel_record(c).steps[steps - 1].op = 0xee;
    assert_null(rd_run_result_take(&r, &worker));
    assert_int_equal(r.outcome.steps, steps - 1);
    rd_run_result_free(&r);
}

static void a_sound_finding_survives_damage(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    struct rd_run_result r;
    struct rd_found damaged = c->result.found[0];
    damaged.store = UINT64_MAX;
    c->result.found[c->result.summary.found_count++] = damaged;
    assert_non_null(rd_run_result_take(&r, &worker));
    assert_int_equal(r.summary.found_count, c->result.summary.found_count - 1);
    assert_int_equal(r.found[0].finding.key, c->result.found[0].finding.key);
    rd_run_result_free(&r);
}

/* Reads everything that a report may read; with a sanitizer or valgrind, a wrong index shows. */
static uint64_t read_all(struct rd_run_result *r) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < r->summary.found_count; i++) {
        const struct rd_found *f = &r->found[i];
        for (uint32_t k = 0; k < f->steps; k++)
            sum += r->store[f->store + k].place + rd_op_flags(r->store[f->store + k].op);
        for (uint32_t k = 0; k < f->track_count; k++)
            sum += r->tracks[f->track + k].first;
        sum += strlen(f->finding.message) + strlen(f->finding.file) + strlen(rd_finding_name(f->finding.kind));
    }
    for (uint32_t i = 0; i < r->summary.ending_count; i++)
        for (uint32_t k = 0; k < r->endings[i].output_size; k++)
            sum += (unsigned char)r->texts[r->endings[i].text + k];
    for (uint32_t i = 0; i < r->summary.coverage.sample_count; i++)
        sum += r->samples[i].classes;
    for (uint32_t i = 0; i < r->summary.coverage.order_count; i++)
        sum += r->orders[i].executions;
    for (uint32_t i = 0; i < r->module_count; i++)
        sum += strlen(r->modules[i].path);
    for (uint32_t i = 0; i < r->outcome.steps; i++) {
        const struct rd_step *s = &r->record.steps[i];
        for (uint32_t k = 0; !rd_step_is_way(s) && k < s->ncand; k++)
            sum += r->record.threads[r->record.cands[s->cand + k]].state;
    }
    for (uint32_t i = 0; i < RD_TID_MAX; i++)
        for (uint32_t k = 0; k < r->record.threads[i].frames; k++)
            sum += r->record.stacks[i][k];
    return sum + strlen(r->summary.message) + strlen(r->summary.claim.proved) + strlen(r->outcome.message);
}

/* Random words of the channel get random values. Nothing of a result that is taken for sound may be out of bounds.
 */
static void random_damage_does_no_harm(void **state) {
    (void)state;
    struct rd_channel *c = worker.channel;
    char *before = malloc(sizeof *c - RD_CHANNEL_PROTECTED), *from = (char *)c + RD_CHANNEL_PROTECTED;
    uint64_t words = (sizeof *c - RD_CHANNEL_PROTECTED) / 4, noticed = 0, sum = 0;
    unsigned times = unit_is_slow() ? 20000 : 100;
    struct rd_rng rng;
    rd_rng_seed(&rng, 18);
    memcpy(before, from, sizeof *c - RD_CHANNEL_PROTECTED);
    for (unsigned i = 0; i < times; i++) {
        struct rd_run_result r;
        for (unsigned k = 0; k < 1 + i % 40; k++) {
            uint32_t value = (uint32_t)(rd_rng_next(&rng) >> (rd_rng_next(&rng) % 64));
            char *in[] = {from, (char *)&c->execution.outcome, (char *)&c->result.summary, (char *)c->result.found};
            uint64_t size[] = {words, sizeof c->execution.outcome / 4, sizeof c->result.summary / 4,
                               sizeof c->result.found[0] / 4};
            uint32_t part = rd_rng_below(&rng, RD_COUNT(in));
            memcpy(in[part] + 4 * (rd_rng_next(&rng) % size[part]), &value, sizeof value);
        }
        noticed += rd_run_result_take(&r, &worker) != NULL;
        sum += read_all(&r);
        rd_run_result_free(&r);
        memcpy(from, before, sizeof *c - RD_CHANNEL_PROTECTED);
    }
    free(before);
    assert_true(noticed > times / 20 && noticed < times && sum);
}

/* ---- adding up ---- */

static void findings_of_two_workers(void **state) {
    (void)state;
    struct rd_run_result a, b;
    assert_null(rd_run_result_take(&a, &worker));
    assert_null(rd_run_result_take(&b, &worker));
    uint32_t count = a.found[0].count, had = a.summary.found_count;
    rd_run_result_add_findings(&a, &b);
    assert_int_equal(a.summary.found_count, had); /* the same bugs */
    assert_int_equal(a.found[0].count, 2 * count);
    for (uint64_t key = 1; key <= RD_FOUND_MAX; key++) {
        b.found[0].finding.key = key;
        rd_run_result_add_finding(&a, &b, &b.found[0]);
    }
    assert_int_equal(a.summary.found_count, RD_FOUND_MAX);
    assert_int_equal(a.summary.unstored, had);
    const struct rd_found *last = &a.found[RD_FOUND_MAX - 1];
    assert_memory_equal(a.store + last->store, b.store + b.found[0].store, last->steps * sizeof *a.store);
    assert_null(rd_run_result_check(&a));
    rd_run_result_free(&a);
    rd_run_result_free(&b);
}

/* Each row of the list has a name of its own, and its key in JSON stands once. */
static void the_list_of_counters(void **state) {
    (void)state;
    struct rd_summary s = {.executions = 7, .probes = 3};
    uint32_t count = rd_summary_counter_count(), seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct rd_counter_row row = rd_summary_counter(&s, i);
        seen += strcmp(row.name, "executions") == 0 && row.value == 7;
        seen += strcmp(row.name, "probes") == 0 && row.value == 3;
        for (uint32_t k = 0; k < i; k++) {
            struct rd_counter_row other = rd_summary_counter(&s, k);
            assert_string_not_equal(row.name, other.name);
            if (row.json[0])
                assert_string_not_equal(row.json, other.json);
        }
    }
    assert_int_equal(seen, 2);
}

static void counters_of_two_workers(void **state) {
    (void)state;
    struct rd_summary a = {.executions = 5, .threads_max = 3, .played = 1, .classes = 9, .end = RD_END_BUDGET};
    struct rd_summary b = {.executions = 7, .threads_max = 2, .played = 4, .classes = 4, .end = RD_END_FOUND};
    a.opaque[a.opaque_count++] = (struct rd_opaque){10, 1};
    b.opaque[b.opaque_count++] = (struct rd_opaque){11, 2};
    b.opaque[b.opaque_count++] = (struct rd_opaque){10, 3};
    a.preemptions[1] = 2;
    b.preemptions[1] = 3;
    rd_summary_merge(&a, &b);
    assert_int_equal(a.executions, 12); /* SUM */
    assert_int_equal(a.threads_max, 3); /* MAX */
    assert_int_equal(a.played, 5);      /* OR */
    assert_int_equal(a.classes, 9);     /* FIRST */
    assert_int_equal(a.end, RD_END_FOUND);
    assert_int_equal(a.preemptions[1], 5);
    assert_int_equal(a.opaque_count, 2);
    assert_int_equal(a.opaque[0].calls, 4);
}

int test_result(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        T(nothing_is_lost),
        T(damage_of_the_result_is_noticed),
        T(damage_of_the_execution_is_noticed),
        T(a_half_written_step_is_cut_off),
        T(a_sound_finding_survives_damage),
        T(random_damage_does_no_harm),
        T(findings_of_two_workers),
        cmocka_unit_test(the_list_of_counters),
        cmocka_unit_test(counters_of_two_workers),
    };
    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
