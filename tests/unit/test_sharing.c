/* test_sharing.c - the table of shared memory: cells against a list of all accesses, versions, and what is listed.
 */
#include "unit.h"

#include "base/rng.h"
#include "trace/place.h"
#include "trace/sharing.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CELLS = 8, ACCESSES = 24, ROUNDS = 4000, BASE = 0x1000 };

static struct rd_sharing *fresh(void) {
    struct rd_sharing *s = calloc(1, sizeof *s);
    assert_non_null(s);
    rd_sharing_open(s);
    return s;
}

static rd_place place_of(unsigned cell) { return rd_place_make(RD_PLACE_HEAP, BASE + cell * RD_SHARING_GRANULE); }

static void mark(struct rd_sharing *s, uint8_t *cells, unsigned i) {
    rd_sharing_mark(s, &cells[i], 1, place_of(i), place_of(i) + RD_SHARING_GRANULE - 1);
}

/* By the definition: more than one thread has used it, and one of them has written. */
struct uses {
    bool read[THREADS], written[THREADS];
};

static bool is_shared(const struct uses *u) {
    unsigned users = 0, writers = 0;
    for (unsigned t = 0; t < THREADS; t++) {
        users += u->read[t] || u->written[t];
        writers += u->written[t];
    }
    return users > 1 && writers;
}

static void cells_say_what_was_used(void **state) {
    (void)state;
    struct rd_rng g;
    rd_rng_seed(&g, 7);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct rd_sharing *s = fresh();
        uint8_t cells[CELLS] = {0};
        struct uses uses[CELLS];
        memset(uses, 0, sizeof uses);
        for (unsigned i = 0; i < ACCESSES; i++) {
            unsigned cell = rd_rng_below(&g, CELLS);
            rd_tid tid = (rd_tid)rd_rng_below(&g, THREADS);
            bool writes = rd_rng_below(&g, 3) == 0, before = is_shared(&uses[cell]);
            uses[cell].read[tid] |= !writes;
            uses[cell].written[tid] |= writes;
            enum rd_sharing_touch how = rd_sharing_touch(&cells[cell], tid, writes, s->version);
            if (how == RD_SHARING_NEWS)
                mark(s, cells, cell);
            assert_int_equal(how == RD_SHARING_NEWS, !before && is_shared(&uses[cell]));
            assert_int_not_equal(how, RD_SHARING_POINT); /* of this version none is */
        }
        rd_sharing_advance(s);
        for (unsigned i = 0; i < CELLS; i++) {
            enum rd_sharing_touch how = rd_sharing_touch(&cells[i], 0, false, s->version);
            assert_int_equal(how == RD_SHARING_POINT, is_shared(&uses[i]));
        }
        free(s);
    }
}

static void a_version_stays_what_it_was(void **state) {
    (void)state;
    struct rd_sharing *s = fresh();
    static struct rd_shared list[RD_SHARING_LOG];
    uint8_t cells[CELLS] = {0};
    uint32_t first = s->version;
    mark(s, cells, 1);
    mark(s, cells, 2);
    assert_int_equal(rd_sharing_list(s, first, list), 0);
    rd_sharing_advance(s);
    uint32_t second = s->version;
    mark(s, cells, 5);
    assert_int_equal(rd_sharing_touch(&cells[5], 0, true, second), RD_SHARING_PRIVATE);
    assert_int_equal(rd_sharing_list(s, second, list), 1);
    assert_true(list[0].first == place_of(1) && list[0].last == place_of(3) - 1);
    rd_sharing_advance(s);
    assert_int_equal(rd_sharing_list(s, s->version, list), 2);
    assert_int_equal(rd_sharing_list(s, second, list), 1);
    free(s);
}

static void who_cannot_be_an_owner(void **state) {
    (void)state;
    uint8_t cell = 0;
    assert_int_equal(rd_sharing_touch(&cell, RD_SHARING_OWNERS, false, 1), RD_SHARING_NEWS);
    assert_int_equal(cell, RD_SHARING_UNUSED);
    assert_int_equal(rd_sharing_touch(&cell, RD_SHARING_OWNERS - 1, true, 1), RD_SHARING_PRIVATE);
    assert_int_equal(rd_sharing_touch(&cell, 0, false, 1), RD_SHARING_NEWS);
}

static void at_last_everything(void **state) {
    (void)state;
    struct rd_sharing *s = fresh();
    static struct rd_shared list[RD_SHARING_LOG];
    uint8_t cells[64] = {0};
    uint32_t changes = s->changes, rounds = 0;
    while (rd_sharing_use(s).version && rounds < 64) {
        mark(s, cells, rounds++);
        assert_int_not_equal(s->changes, changes);
        changes = s->changes;
        rd_sharing_advance(s);
    }
    assert_in_range(rounds, RD_SHARING_VERSIONS - 1, RD_SHARING_VERSIONS);
    assert_int_equal(rd_sharing_list(s, s->version, list), UINT32_MAX);
    free(s);
}

int test_sharing(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_say_what_was_used),
        cmocka_unit_test(a_version_stays_what_it_was),
        cmocka_unit_test(who_cannot_be_an_owner),
        cmocka_unit_test(at_last_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
