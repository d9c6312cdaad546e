/* test_detectors.c - the table of detectors: its rows agree with each other and with the kinds of findings. */
#include "unit.h"

#include "detect/detect.h"
#include "sim_programs.h"

#include <stdlib.h>
#include <string.h>

static void rows_are_complete(void **state) {
    (void)state;
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < RD_DETECTORS; i++) {
        const struct rd_detector *d = &rd_detectors[i];
        assert_true(d->name && d->summary && d->kinds);
        assert_int_equal(d->check != NULL, d->reads == RD_READS_RECORD);
        assert_true(d->check || (!d->by_search && !d->with_last));
        assert_int_equal(kinds & d->kinds, 0); /* a finding belongs to one detector */
        kinds |= d->kinds;
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(d->name, rd_detectors[k].name);
    }
}

static void findings_in_records_are_predicted(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < RD_FINDING_KINDS; kind++) {
        bool reads = false;
        for (uint32_t i = 0; i < RD_DETECTORS; i++)
            reads |= rd_detectors[i].reads == RD_READS_RECORD && rd_detector_finds(i, kind);
        assert_int_equal(reads, rd_is_predicted(kind));
    }
}

static void names_become_bits(void **state) {
    (void)state;
    struct rd_error error;
    uint32_t bits;
    assert_true(rd_detect_parse("all", &bits, &error));
    assert_int_equal(bits, (1u << RD_DETECTORS) - 1);
    assert_true(rd_detect_parse("none", &bits, &error));
    assert_int_equal(bits, 0);
    for (uint32_t i = 0; i < RD_DETECTORS; i++) {
        assert_true(rd_detect_parse(rd_detectors[i].name, &bits, &error));
        assert_int_equal(bits, 1u << i);
        assert_int_equal(rd_detector_is_on(rd_detect_by_default(), i), rd_detectors[i].by_default);
    }
    assert_true(rd_detect_parse("heap,races,heap", &bits, &error));
    assert_int_equal(bits, 1u << RD_DETECT_HEAP | 1u << RD_DETECT_RACES);
    assert_false(rd_detect_parse("races,lock,heap", &bits, &error));
    assert_string_equal(error.text, "no detector 'lock' (see 'raddle list detectors')");
    assert_false(rd_detect_parse("", &bits, &error));
    assert_false(rd_detect_parse("leaks,", &bits, &error));
}

static void a_replay_looks_for_leaks_again(void **state) {
    (void)state;
    assert_int_equal(rd_detect_at_end(RD_LEAK), 1u << RD_DETECT_LEAKS);
    for (unsigned kind = 0; kind < RD_FINDING_KINDS; kind++)
        assert_true(kind == RD_LEAK || rd_detect_at_end(kind) == 0);
}

static bool always(const void *ctx, uint64_t key) {
    (void)ctx;
    (void)key;
    return true;
}

/*
 * A record with a race: its detector's row finds the race, finds it again by its key, and finds none with another
 * key or when the race is known.
 */
static void a_finding_is_read_again(void **state) {
    (void)state;
    struct sim_program p = {.name = "race"};
    SIM_THREAD(&p, do_write(0, 1));
    SIM_THREAD(&p, do_write(0, 2));
    struct sim *s = sim_open();
    sim_load(s, &p, NULL, NULL);
    sim_run_threads(s, NULL, 0);
    struct rd_arena arena;
    rd_arena_init(&arena, malloc(1 << 20), 1 << 20);
    struct rd_finding f, again;
    struct rd_known all = {.has = always};
    assert_true(rd_detect_run(RD_DETECT_RACES, &arena, &s->rec, NULL, &f));
    assert_int_equal(arena.used, 0);
    assert_true(rd_detect_again(&arena, &s->rec, &f, &again));
    assert_memory_equal(&f, &again, sizeof f);
    f.key++;
    assert_false(rd_detect_again(&arena, &s->rec, &f, &again));
    assert_false(rd_detect_run(RD_DETECT_RACES, &arena, &s->rec, &all, &f));
    assert_false(rd_detect_run(RD_DETECT_HEAP, &arena, &s->rec, NULL, &f));
    free(arena.base);
    sim_close(s);
}

int test_detectors(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete),       cmocka_unit_test(findings_in_records_are_predicted),
        cmocka_unit_test(names_become_bits),       cmocka_unit_test(a_replay_looks_for_leaks_again),
        cmocka_unit_test(a_finding_is_read_again),
    };
    return cmocka_run_group_tests_name("detectors", tests, NULL, NULL);
}
