/*
 * test_sites.c - selective executions: the code whose hooks are switched off, the repetition of an execution with
 * all hooks on, and the reaction of the loop when code was wrongly off. A script makes up the executions.
 */
#include "unit.h"

#include "explore/loop.h"
#include "explore/sites.h"
#include "trace/place.h"
#include "trace/profile.h"

#include <stdlib.h>
#include <string.h>

enum { REGION = 1 << 20, MUCH = 2 * RD_SITES_ACCESSES_MIN };

static rd_place at(uint64_t offset) { return rd_place_make(RD_PLACE_MODULE, offset); }

static const struct rd_track tracked = {((uint64_t)RD_PLACE_MODULE << 48) + 0x100,
                                        ((uint64_t)RD_PLACE_MODULE << 48) + 0x103, 0, 0};

/* Site 0 touches another variable, site 1 the tracked one, site 2 both, site 3 too many; site 4 is not known. */
static struct rd_profile *profile_of(uint64_t accesses) {
    struct rd_profile *p = calloc(1, sizeof *p);
    *p = (struct rd_profile){.executions = 2, .accesses = 2 * accesses, .var_count = 2, .site_count = 5};
    p->vars[0] = (struct rd_var){.first = at(0x100), .size = 4};
    p->vars[1] = (struct rd_var){.first = at(0x200), .size = 4};
    p->sites[0] = (struct rd_site){.pc = at(1), .vars = {2}};
    p->sites[1] = (struct rd_site){.pc = at(2), .vars = {1}};
    p->sites[2] = (struct rd_site){.pc = at(3), .vars = {2, 1}};
    p->sites[3] = (struct rd_site){.pc = at(4), .vars = {2}, .many = 1};
    p->sites[4] = (struct rd_site){.pc = at(5)};
    return p;
}

static unsigned off_sites(const struct rd_profile *p) {
    unsigned bits = 0;
    for (uint32_t i = 0; i < p->site_count; i++)
        bits |= (unsigned)p->sites[i].off << i;
    return bits;
}

static uint8_t watch_of(struct rd_sites *s, const struct rd_track *track, struct rd_profile *p, bool goes_on) {
    struct rd_plan plan = {.access_points = RD_ACCESSES_TRACKED, .track_count = track ? 1 : 0};
    rd_sites_plan(s, &plan, track, p, goes_on);
    return plan.access_points;
}

static void code_that_touches_other_variables_is_off(void **state) {
    (void)state;
    struct rd_profile *p = profile_of(MUCH);
    struct rd_sites s = {0};
    assert_int_equal(watch_of(&s, &tracked, p, true), RD_ACCESSES_SELECTIVE);
    assert_int_equal(off_sites(p), 1);
    p->sites[2].seen = p->sites[3].seen = p->sites[4].seen = 1;
    p->sites[3].touched = 1;
    assert_int_equal(rd_sites_learn(p), 0);
    assert_int_equal(off_sites(p), 1 | 4 | 16);
    /* the same set: the knowledge is kept */
    assert_int_equal(watch_of(&s, &tracked, p, true), RD_ACCESSES_SELECTIVE);
    assert_int_equal(off_sites(p), 1 | 4 | 16);
    assert_int_equal(watch_of(&s, NULL, p, true), RD_ACCESSES_SELECTIVE); /* another set: no variable is tracked */
    assert_int_equal(off_sites(p), 1 | 2 | 4);
    free(p);
}

/* No profile tells which access follows another: all sites are on first, then the sites off that followed none. */
static void the_following_access_is_seen_first(void **state) {
    (void)state;
    struct rd_profile *p = profile_of(MUCH);
    struct rd_sites s = {0};
    for (int run = 0; run < 2; run++) {
        struct rd_plan plan = {.access_points = RD_ACCESSES_AFTER, .track_count = 1};
        rd_sites_plan(&s, &plan, &tracked, p, true);
        assert_int_equal(plan.access_points, RD_ACCESSES_SELECTIVE_AFTER);
        assert_int_equal(off_sites(p), run ? 4 : 0);
        p->sites[0].seen = p->sites[2].seen = 1;
        p->sites[0].touched = p->sites[1].touched = 1;
        assert_int_equal(rd_sites_learn(p), 0);
    }
    p->sites[2].touched = 1;
    assert_int_equal(rd_sites_learn(p), 1);
    struct rd_plan plan = {.access_points = RD_ACCESSES_AFTER, .track_count = 1};
    s = (struct rd_sites){0};
    p->accesses = 0;
    rd_sites_note_accesses(&s, &plan, MUCH);
    rd_sites_plan(&s, &plan, &tracked, p, false);
    assert_int_equal(plan.access_points, RD_ACCESSES_SELECTIVE_AFTER);
    s.given_up = s.has_set = true;
    s.selective = false;
    plan.access_points = RD_ACCESSES_AFTER;
    rd_sites_plan(&s, &plan, &tracked, p, false);
    assert_int_equal(plan.access_points, RD_ACCESSES_AFTER);
    free(p);
}

static void wrongly_switched_off_code_stays_on(void **state) {
    (void)state;
    struct rd_profile *p = profile_of(MUCH);
    struct rd_sites s = {0};
    watch_of(&s, &tracked, p, true);
    p->sites[0].touched = 1;
    assert_int_equal(rd_sites_learn(p), 1);
    assert_int_equal(rd_sites_learn(p), 0);
    watch_of(&s, NULL, p, true);
    watch_of(&s, &tracked, p, true);
    p->sites[0].seen = 1;
    rd_sites_learn(p);
    assert_int_equal(p->sites[0].off, 0);
    uint32_t off, fixed;
    p->sites[1].fixed = 1;
    rd_sites_count(p, &off, &fixed);
    assert_int_equal(fixed, 1); /* the other site could be switched off */
    free(p);
}

static void few_accesses_are_not_worth_it(void **state) {
    (void)state;
    struct rd_profile *p = profile_of(RD_SITES_ACCESSES_MIN - 1);
    struct rd_sites s = {0};
    struct rd_plan all = {.access_points = RD_ACCESSES_ALL}, tracks = {.access_points = RD_ACCESSES_TRACKED};
    assert_int_equal(watch_of(&s, &tracked, p, true), RD_ACCESSES_TRACKED);
    rd_sites_note_accesses(&s, &tracks, MUCH);
    assert_int_equal(watch_of(&s, &tracked, p, true), RD_ACCESSES_TRACKED); /* the decision holds for the set */
    assert_int_equal(watch_of(&s, NULL, p, true), RD_ACCESSES_SELECTIVE);
    s = (struct rd_sites){0};
    rd_sites_note_accesses(&s, &all, MUCH);
    assert_int_equal(watch_of(&s, &tracked, p, false), RD_ACCESSES_TRACKED);
    rd_sites_note_accesses(&s, &tracks, MUCH);
    assert_int_equal(watch_of(&s, &tracked, p, false), RD_ACCESSES_SELECTIVE);
    rd_sites_plan(&s, &all, &tracked, p, false);
    assert_int_equal(all.access_points, RD_ACCESSES_ALL);
    s.given_up = true;
    assert_int_equal(watch_of(&s, NULL, p, false), RD_ACCESSES_TRACKED);
    free(p);
}

static void executions_are_checked_more_and_more_seldom(void **state) {
    (void)state;
    struct rd_sites s = {0};
    unsigned checked = 0;
    for (unsigned i = 1; i <= 640; i++) {
        bool due = rd_sites_check_is_due(&s);
        assert_true(due || (i & (i - 1)) || i > 64);
        checked += due;
    }
    assert_int_equal(checked, 7 + 9);
    s.runs = 0; /* another set: its count begins again, so its second execution is due, not the 641st of all */
    assert_false(rd_sites_check_is_due(&s));
    assert_true(rd_sites_check_is_due(&s));
}

/* ---- the loop ---- */

struct fake {
    struct rd_channel *channel;
    struct rd_arena arena;
    uint64_t runs, selective, again, tracked;
    void (*script)(struct fake *f);
};
static struct fake fake;

static void run(void *ctx) {
    struct fake *f = ctx;
    const struct rd_plan *plan = &f->channel->execution.plan;
    f->runs++;
    assert_int_equal(f->channel->live.sequence, f->runs);
    f->channel->execution.outcome =
        (struct rd_outcome){.verdict = RD_PASSED, .started = 1, .waited_outside = 0, .passed = MUCH};
    f->tracked += plan->access_points == RD_ACCESSES_TRACKED;
    f->selective += plan->access_points == RD_ACCESSES_SELECTIVE && !plan->sites_on;
    f->again += plan->access_points == RD_ACCESSES_SELECTIVE && plan->sites_on;
    f->script(f);
}

static uint64_t now_ns(void *ctx) { return ((struct fake *)ctx)->runs; }

static int setup(void **state) {
    (void)state;
    struct rd_channel shape = {0};
    uint64_t size = rd_channel_layout(&shape, &(struct rd_channel_size){.steps = 64, .store = 256});
    fake = (struct fake){.channel = calloc(1, size)};
    memcpy(fake.channel, &shape, sizeof shape);
    rd_arena_init(&fake.arena, malloc(REGION), REGION);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(fake.arena.base);
    free(fake.channel);
    return 0;
}

/* Runs a search with one tracked variable; site 0 is known to touch another variable. */
static const struct rd_summary *search(void (*script)(struct fake *f), uint64_t executions) {
    struct rd_channel *c = fake.channel;
    struct rd_profile *p = rd_channel_profile(c);
    p->var_count = p->site_count = 1;
    p->vars[0] = (struct rd_var){.first = at(0x200), .size = 4};
    p->sites[0] = (struct rd_site){.pc = at(1), .vars = {1}};
    fake.script = script;
    strcpy(c->config.strategy, "random:var=x");
    c->config.ranges[0] = (struct rd_range){.first = tracked.first, .last = tracked.last, .list = RD_NAMES_VAR};
    c->config.range_count = 1;
    c->config.executions_max = executions;
    c->config.keep_going = 1;
    struct rd_loop_env env = {.ctx = &fake, .run = run, .now_ns = now_ns};
    rd_loop_run(c, &fake.arena, &env);
    return &c->result.summary;
}

static struct rd_site *site(struct fake *f) { return &rd_channel_profile(f->channel)->sites[0]; }

static void quiet(struct fake *f) { assert_int_equal(site(f)->off, f->selective > 0); }

static void some_executions_are_run_again(void **state) {
    (void)state;
    const struct rd_summary *s = search(quiet, 11);
    assert_int_equal(s->executions, 11);
    assert_int_equal(s->selective, 10);
    assert_int_equal(s->selective_checked, 4); /* executions 1, 2, 4, 8 */
    assert_int_equal(fake.again, 4);
    assert_int_equal(fake.tracked, 2); /* the first execution, and its repetition that checks determinism */
    assert_int_equal(s->sites_off, 1);
    assert_int_equal(s->sites_missed + s->sites_unrepaired + s->unwatched, 0);
}

static void touches_in_the_third(struct fake *f) { site(f)->touched |= f->again == 3; }

static void wrong_code_voids_the_claim(void **state) {
    (void)state;
    const struct rd_summary *s = search(touches_in_the_third, 11);
    assert_int_equal(s->sites_missed, 1);
    assert_int_equal(s->sites_unrepaired, 1);
    assert_int_equal(s->executions, 11);
    assert_int_equal(site(&fake)->off, 0);
}

/* The seventh selective execution has a finding that the repetition with all hooks on does not show. */
static void goes_another_way(struct fake *f) {
    bool seventh = f->selective == 7;
    site(f)->touched |= seventh && f->channel->execution.plan.sites_on;
    if (seventh && !f->channel->execution.plan.sites_on) {
        f->channel->execution.outcome.verdict = RD_FOUND;
        f->channel->execution.outcome.finding.kind = RD_ASSERTION;
    }
}

static void unrepeatable_findings_are_dropped(void **state) {
    (void)state;
    const struct rd_summary *s = search(goes_another_way, 11);
    assert_int_equal(s->findings, 0);
    assert_int_equal(s->cut, 1);
    assert_int_equal(s->unwatched, 1);
    assert_int_equal(s->sites_missed, 1);
}

static void hangs_when_selective(struct fake *f) {
    if (f->channel->execution.plan.access_points != RD_ACCESSES_SELECTIVE)
        return;
    f->channel->execution.outcome.verdict = RD_FOUND;
    f->channel->execution.outcome.finding = (struct rd_finding){.kind = RD_HANG, .status = RD_HANG_BY_TIME};
}

static void a_hang_is_looked_at_with_all_code_on(void **state) {
    (void)state;
    const struct rd_summary *s = search(hangs_when_selective, 11);
    assert_int_equal(s->findings + s->hangs, 0);
    assert_int_equal(s->unwatched, 1);
    assert_int_equal(s->cut, 1);
    assert_int_equal(fake.selective, 1); /* one such execution is enough */
    assert_int_equal(s->executions, 10);
}

int test_sites(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_that_touches_other_variables_is_off),
        cmocka_unit_test(the_following_access_is_seen_first),
        cmocka_unit_test(wrongly_switched_off_code_stays_on),
        cmocka_unit_test(few_accesses_are_not_worth_it),
        cmocka_unit_test(executions_are_checked_more_and_more_seldom),
        cmocka_unit_test_setup_teardown(some_executions_are_run_again, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_code_voids_the_claim, setup, teardown),
        cmocka_unit_test_setup_teardown(unrepeatable_findings_are_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(a_hang_is_looked_at_with_all_code_on, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
