/*
 * test_sharing.c - the table of shared memory: its cells against a list of all accesses, versions, and the list of
 * news.
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

/*
 * Thread 0 creates threads 1 and 2, and thread 1 creates thread 3. An access by a creator is *apart* from a thread
 * if that thread has not been created yet, or was joined.
 */
static rd_tid creator_of(rd_tid t) { return t == 0 ? RD_TID_NONE : t == 3 ? 1 : 0; }

struct access {
    unsigned cell;
    rd_tid tid;
    bool writes, apart[THREADS];
};

static struct access draw(struct rd_rng *g) {
    struct access a = {.cell = rd_rng_below(g, CELLS), .writes = rd_rng_below(g, 3) == 0};
    a.tid = (rd_tid)(rd_rng_below(g, 3) ? rd_rng_below(g, 2) : rd_rng_below(g, THREADS));
    for (rd_tid t = 0; t < THREADS; t++)
        a.apart[t] = creator_of(t) == a.tid && rd_rng_below(g, 4);
    return a;
}

/* `checks`: memory that several threads use is to be checked, and is no point. */
static enum rd_sharing_touch touch(struct rd_sharing *s, uint8_t *cells, const struct access *a, bool checks) {
    rd_tid owner = rd_sharing_owner(cells[a->cell]);
    struct rd_sharing_by by = {a->tid, creator_of(a->tid),
                               owner < THREADS && a->apart[owner] ? owner : RD_TID_NONE};
    enum rd_sharing_touch how = rd_sharing_touch(s, &cells[a->cell], &by, a->writes, s->version);
    if (how == RD_SHARING_NEWS && checks)
        assert_true(rd_sharing_check(s, &cells[a->cell], 1));
    else if (how == RD_SHARING_NEWS)
        mark(s, cells, a->cell);
    if (how == RD_SHARING_HANDS)
        rd_sharing_handed(s);
    return how;
}

/* Whether all accesses to the cell keep to the rules for memory that its creator hands over to thread `heir`. */
static bool is_handed(const struct access *all, unsigned cell, rd_tid heir) {
    for (unsigned i = 0; i < ACCESSES; i++) {
        bool creators = all[i].tid == creator_of(heir) && all[i].apart[heir];
        if (all[i].cell == cell && all[i].tid != heir && !creators)
            return false;
    }
    return true;
}

/*
 * Whether, by the definition, all accesses to the cell can be moved to the operation before them. `plainly`:
 * without handing over.
 */
static bool is_private(const struct access *all, unsigned cell, bool plainly) {
    bool used[THREADS] = {0}, written = false, handed = false;
    unsigned users = 0;
    for (unsigned i = 0; i < ACCESSES; i++)
        if (all[i].cell == cell) {
            users += !used[all[i].tid];
            used[all[i].tid] = true;
            written |= all[i].writes;
        }
    for (rd_tid heir = 1; heir < THREADS; heir++)
        handed |= is_handed(all, cell, heir);
    return users <= 1 || !written || (!plainly && handed);
}

/* Runs an execution with these accesses again and again until the table does not change, as a search does. */
static void agree_with_all_accesses(bool checks) {
    struct rd_rng g;
    rd_rng_seed(&g, 7);
    unsigned handed = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (!unit_takes(round, 5))
            continue;
        struct rd_sharing *s = fresh();
        uint8_t cells[CELLS] = {0};
        struct access all[ACCESSES];
        for (unsigned i = 0; i < ACCESSES; i++)
            all[i] = draw(&g);
        uint32_t changes;
        do {
            changes = s->changes;
            for (unsigned i = 0; i < ACCESSES; i++) {
                bool was_point = cells[all[i].cell] - 1u < s->version;
                bool was_checked = cells[all[i].cell] == RD_SHARING_CHECKED;
                enum rd_sharing_touch how = touch(s, cells, &all[i], checks);
                assert_int_equal(how == RD_SHARING_POINT, was_point);
                assert_int_equal(how == RD_SHARING_CHECK, was_checked);
            }
            rd_sharing_advance(s);
        } while (s->changes != changes);
        for (unsigned i = 0; i < CELLS; i++) {
            bool shared = checks ? cells[i] == RD_SHARING_CHECKED : cells[i] && cells[i] <= RD_SHARING_VERSIONS;
            if (!is_private(all, i, false))
                assert_true(shared);
            if (is_private(all, i, true))
                assert_false(shared);
            handed += !shared && cells[i] >= RD_SHARING_HANDED;
            assert_true(!checks || s->count == 0); /* no granule is a point */
        }
        free(s);
    }
    assert_true(handed > ROUNDS / 10);
}

static void cells_agree_with_all_accesses(void **state) {
    (void)state;
    agree_with_all_accesses(false);
}

static void checked_cells_agree_with_all_accesses(void **state) {
    (void)state;
    agree_with_all_accesses(true);
}

/* A checked granule becomes a point when it races. What becomes a point after a freeze has a later version. */
static void a_frozen_version_never_changes(void **state) {
    (void)state;
    struct rd_sharing *s = fresh();
    static struct rd_shared list[RD_SHARING_LOG];
    uint8_t cells[CELLS] = {0};
    struct rd_sharing_by by = {0, RD_TID_NONE, RD_TID_NONE};
    assert_true(rd_sharing_check(s, cells, 3));
    assert_false(rd_sharing_check(s, cells, 3));
    assert_int_equal(s->changes, 1);
    mark(s, cells, 1);
    assert_int_equal(rd_sharing_touch(s, &cells[1], &by, true, s->version), RD_SHARING_PRIVATE);
    struct rd_sharing_use use = rd_sharing_freeze(s);
    assert_int_equal(use.version, s->newest);
    assert_true(use.version > s->version); /* the executions of other processes go on with the same points */
    mark(s, cells, 2);
    assert_int_equal(rd_sharing_touch(s, &cells[1], &by, true, use.version), RD_SHARING_POINT);
    assert_int_equal(rd_sharing_touch(s, &cells[2], &by, true, use.version), RD_SHARING_PRIVATE);
    assert_int_equal(rd_sharing_touch(s, &cells[0], &by, true, use.version), RD_SHARING_CHECK);
    assert_int_equal(rd_sharing_list(s, use.version, list), 1);
    assert_false(rd_sharing_check(s, &cells[1], 1)); /* a point stays one */
    rd_sharing_advance(s);
    assert_int_equal(rd_sharing_list(s, s->version, list), 1); /* two granules, side by side */
    assert_int_equal(list[0].last - list[0].first + 1, 2 * RD_SHARING_GRANULE);
    free(s);
}

static void a_version_never_changes(void **state) {
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
    struct rd_sharing_by by = {0, RD_TID_NONE, RD_TID_NONE};
    assert_int_equal(rd_sharing_touch(s, &cells[5], &by, true, second), RD_SHARING_PRIVATE);
    assert_int_equal(rd_sharing_list(s, second, list), 1);
    assert_true(list[0].first == place_of(1) && list[0].last == place_of(3) - 1);
    rd_sharing_advance(s);
    assert_int_equal(rd_sharing_list(s, s->version, list), 2);
    assert_int_equal(rd_sharing_list(s, second, list), 1);
    free(s);
}

static void threads_without_an_owner_index(void **state) {
    (void)state;
    struct rd_sharing *s = fresh();
    uint8_t cell = 0;
    struct rd_sharing_by beyond = {RD_SHARING_OWNERS, 0, RD_TID_NONE},
                         last = {RD_SHARING_OWNERS - 1, 0, RD_TID_NONE}, first = {0, RD_TID_NONE, RD_TID_NONE};
    assert_int_equal(rd_sharing_touch(s, &cell, &beyond, false, 1), RD_SHARING_NEWS);
    assert_int_equal(cell, RD_SHARING_UNUSED);
    assert_int_equal(rd_sharing_touch(s, &cell, &last, true, 1), RD_SHARING_PRIVATE);
    first.apart = RD_SHARING_OWNERS - 1; /* a thread that can own memory, but not inherit it */
    assert_int_equal(rd_sharing_touch(s, &cell, &first, false, 1), RD_SHARING_NEWS);
    free(s);
}

/*
 * Each handing over of memory takes a version; their number is limited, so that a search does not begin again for
 * ever.
 */
static void not_handed_over_for_ever(void **state) {
    (void)state;
    struct rd_sharing *s = fresh();
    struct rd_sharing_by creator = {0, RD_TID_NONE, RD_TID_NONE}, created = {1, 0, RD_TID_NONE};
    unsigned handed = 0;
    for (unsigned i = 0; i < 1000; i++) {
        uint8_t cell = 0;
        assert_int_equal(rd_sharing_touch(s, &cell, &creator, true, s->version), RD_SHARING_PRIVATE);
        if (rd_sharing_touch(s, &cell, &created, true, s->version) != RD_SHARING_HANDS)
            break;
        handed++;
        rd_sharing_handed(s);
        rd_sharing_advance(s);
    }
    assert_int_equal(handed, RD_SHARING_HANDING);
    assert_true(rd_sharing_use(s).version != 0);
    free(s);
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
        cmocka_unit_test(cells_agree_with_all_accesses),
        cmocka_unit_test(checked_cells_agree_with_all_accesses),
        cmocka_unit_test(a_frozen_version_never_changes),
        cmocka_unit_test(a_version_never_changes),
        cmocka_unit_test(threads_without_an_owner_index),
        cmocka_unit_test(not_handed_over_for_ever),
        cmocka_unit_test(at_last_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
