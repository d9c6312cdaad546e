/* test_base.c - tests of src/base: arena, vector, map, generator, bit set, text, vector clock. */
#include "unit.h"

#include "base/arena.h"
#include "base/bitset.h"
#include "base/error.h"
#include "base/guess.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/tid_set.h"
#include "base/vclock.h"
#include "drive/real_clock.h"

#include <string.h>

enum { REGION = 1 << 20 };
static _Alignas(16) char region[REGION];

static struct rd_arena fresh(void) {
    struct rd_arena a;
    memset(region, 0xee, sizeof region); /* as after a reset: no code may rely on zeroes */
    rd_arena_init(&a, region, sizeof region);
    return a;
}

static void arena_aligns_and_resets(void **state) {
    (void)state;
    struct rd_arena a = fresh();
    char *p = rd_arena_alloc(&a, 1), *q = rd_arena_alloc(&a, 17), *r = rd_arena_alloc(&a, 8);
    assert_ptr_equal(p, region);
    assert_ptr_equal(q, region + 16);
    assert_ptr_equal(r, region + 48);
    rd_arena_reset(&a);
    assert_ptr_equal(rd_arena_alloc(&a, 1), p);
    unsigned char *z = rd_arena_zero(&a, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(z[i], 0);
    assert_int_equal(region[16 + 100] & 0xff, 0xee);
}

static void overfill(void *ctx) { rd_arena_alloc(ctx, 17); }
static void overflow(void *ctx) { rd_arena_alloc(ctx, SIZE_MAX - 4); }

static void arena_full_is_a_bug(void **state) {
    (void)state;
    struct rd_arena a;
    rd_arena_init(&a, region, 32);
    rd_arena_alloc(&a, 16);
    assert_true(unit_is_bug(overfill, &a));
    assert_true(unit_is_bug(overflow, &a));
    rd_arena_alloc(&a, 16); /* exactly full is fine */
    assert_int_equal(a.used, 32);
}

static void vec_grows_in_place_and_by_copy(void **state) {
    (void)state;
    struct rd_arena a = fresh();
    struct {
        RD_VEC(int);
    } v = {0}, w = {0};
    for (int i = 0; i < 100; i++)
        rd_vec_push(&a, &v, i);
    assert_ptr_equal(v.at, region); /* the vector is the last allocation of the arena: it grows in place */
    assert_int_equal(a.used, v.room * sizeof(int));
    for (int i = 0; i < 1000; i++) { /* two vectors that grow in turn must move, and keep their elements */
        rd_vec_push(&a, &w, -i);
        rd_vec_push(&a, &v, 100 + i);
    }
    assert_int_equal(v.count, 1100);
    assert_int_equal(w.count, 1000);
    for (int i = 0; i < 1100; i++)
        assert_int_equal(v.at[i], i);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(w.at[i], -i);
}

static void map_keeps_every_key(void **state) {
    (void)state;
    struct rd_arena a = fresh();
    struct rd_map m = {0};
    assert_null(rd_map_get(&m, 0));
    assert_null(rd_map_get(&m, 7));
    for (uint64_t k = 0; k < 2000; k++) {
        uint64_t *v = rd_map_put(&m, &a, k * 0x1000);
        assert_int_equal(*v, 0); /* a new key starts at zero, key 0 too */
        *v = k + 1;
    }
    for (uint64_t k = 0; k < 2000; k++) {
        assert_int_equal(*rd_map_get(&m, k * 0x1000), k + 1);
        assert_int_equal(*rd_map_put(&m, &a, k * 0x1000), k + 1);
        assert_null(rd_map_get(&m, k * 0x1000 + 1));
    }
    assert_true(m.room >= 2 * (m.count - 1));
    rd_map_reserve(&m, &a, 5000);
    uint32_t room = m.room;
    for (uint64_t k = 0; k < 5000; k++)
        assert_int_equal(*rd_map_put(&m, &a, k * 0x1000), k < 2000 ? k + 1 : 0);
    assert_int_equal(m.room, room);
}

static void rng_is_a_function_of_the_seed(void **state) {
    (void)state;
    struct rd_rng a, b, c;
    rd_rng_seed(&a, 1);
    rd_rng_seed(&b, 1);
    rd_rng_seed(&c, 2);
    bool differs = false;
    for (int i = 0; i < 100; i++) {
        uint64_t x = rd_rng_next(&a);
        assert_true(x == rd_rng_next(&b));
        differs |= x != rd_rng_next(&c);
    }
    assert_true(differs);
    /* A search uses consecutive seeds: the first numbers that these produce must differ. */
    uint64_t low = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        rd_rng_seed(&a, seed);
        low |= (rd_rng_next(&a) & 1) << seed;
    }
    int ones = __builtin_popcountll(low);
    assert_true(ones > 10 && ones < 54);
}

/* Six standard deviations: with seeds drawn at random a false alarm would have a chance of 2e-9 a bucket. */
static void rng_below_is_uniform(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 7, 10, 64};
    enum { DRAWS = 20000 };
    for (size_t s = 0; s < RD_COUNT(sizes); s++) {
        uint32_t n = sizes[s], seen[64] = {0};
        struct rd_rng r;
        rd_rng_seed(&r, 42 + n);
        for (int i = 0; i < DRAWS; i++) {
            uint32_t x = rd_rng_below(&r, n);
            assert_true(x < n);
            seen[x]++;
        }
        double mean = (double)DRAWS / n, variance = mean * (1 - 1.0 / n);
        for (uint32_t i = 0; i < n; i++) {
            double off = seen[i] - mean;
            assert_true(off * off <= 36 * variance);
        }
    }
}

static void bits_add_and_delete(void **state) {
    (void)state;
    static const unsigned at[] = {0, 1, 63, 64, 127, 500, 1023};
    struct rd_bits b = {{0}};
    for (size_t i = 0; i < RD_COUNT(at); i++)
        rd_bits_add(&b, at[i]);
    unsigned n = 0;
    for (unsigned i = 0; i < RD_BITS_MAX; i++)
        n += rd_bits_has(&b, i);
    assert_int_equal(n, RD_COUNT(at));
    for (size_t i = 0; i < RD_COUNT(at); i++) {
        assert_true(rd_bits_has(&b, at[i]));
        rd_bits_del(&b, at[i]);
        assert_false(rd_bits_has(&b, at[i]));
    }
    for (unsigned w = 0; w < RD_BITS_WORDS; w++)
        assert_int_equal(b.w[w], 0);
}

/*
 * Compares sets of thread numbers with plain bit sets. The memory of a set is filled with garbage before its first
 * use.
 */
static void tids_are_sets(void **state) {
    (void)state;
    struct rd_rng r;
    rd_rng_seed(&r, 3);
    for (int round = 0; round < 300; round++) {
        struct rd_tid_set s[3];
        struct rd_bits b[3] = {{{0}}};
        memset(s, 0xa5, sizeof s);
        for (int i = 0; i < 3; i++)
            s[i].words = 0;
        for (int n = 0; n < 60; n++) {
            unsigned k = rd_rng_below(&r, 2), tid = rd_rng_below(&r, rd_rng_below(&r, 4) ? 70 : RD_BITS_MAX);
            if (rd_rng_below(&r, 3)) {
                rd_tid_set_add(&s[k], tid);
                rd_bits_add(&b[k], tid);
            } else {
                rd_tid_set_del(&s[k], tid);
                rd_bits_del(&b[k], tid);
            }
        }
        rd_tid_set_both(&s[2], &s[0], &s[1]);
        for (unsigned w = 0; w < RD_BITS_WORDS; w++) {
            b[2].w[w] = b[0].w[w] & b[1].w[w];
            b[1].w[w] |= b[0].w[w];
        }
        rd_tid_set_join(&s[1], &s[0]);
        for (unsigned k = 0; k < 3; k++) {
            struct rd_tid_set copy;
            rd_tid_set_copy(&copy, &s[k]);
            unsigned next = rd_tid_set_next(&copy, 0);
            for (unsigned i = 0; i < RD_BITS_MAX; i++) {
                assert_int_equal(rd_tid_set_has(&copy, i), rd_bits_has(&b[k], i));
                assert_true(!rd_bits_has(&b[k], i) || next == i);
                next = next == i ? rd_tid_set_next(&copy, i + 1) : next;
            }
            assert_int_equal(next, RD_BITS_MAX);
        }
    }
}

static void text_formats(void **state) {
    (void)state;
    char buffer[128];
    struct rd_text t;
    rd_text_init(&t, buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    rd_text_str(&t, "n=");
    rd_text_dec(&t, -12);
    rd_text_char(&t, ' ');
    rd_text_dec(&t, 0);
    rd_text_char(&t, ' ');
    rd_text_dec(&t, INT64_MIN);
    rd_text_char(&t, ' ');
    rd_text_hex(&t, 0);
    rd_text_char(&t, ' ');
    rd_text_hex(&t, UINT64_MAX);
    assert_string_equal(buffer, "n=-12 0 -9223372036854775808 0x0 0xffffffffffffffff");
    assert_int_equal(t.used, strlen(buffer));
}

static void text_is_cut_never_overrun(void **state) {
    (void)state;
    char buffer[8] = "1234567";
    struct rd_text t;
    rd_text_init(&t, buffer, 5);
    rd_text_str(&t, "abcdefgh");
    rd_text_dec(&t, 99);
    assert_string_equal(buffer, "abcd");
    assert_int_equal(buffer[5], '6'); /* the byte behind the buffer's room */
    rd_text_copy(buffer, 3, "xyz");
    assert_string_equal(buffer, "xy");
    rd_text_copy(buffer, 8, NULL);
    assert_string_equal(buffer, "");
    rd_text_copy(buffer, 1, "x");
    assert_string_equal(buffer, "");
}

static void vclock_joins_and_copies(void **state) {
    (void)state;
    struct rd_arena a = fresh();
    struct rd_vclock x = {0}, y = {0};
    assert_int_equal(rd_vclock_get(&x, 5), 0);
    rd_vclock_set(&x, &a, 2, 7);
    rd_vclock_set(&y, &a, 0, 3);
    rd_vclock_set(&y, &a, 9, 1);
    rd_vclock_join(&x, &a, &y);
    assert_int_equal(rd_vclock_get(&x, 0), 3);
    assert_int_equal(rd_vclock_get(&x, 1), 0);
    assert_int_equal(rd_vclock_get(&x, 2), 7);
    assert_int_equal(rd_vclock_get(&x, 9), 1);
    rd_vclock_set(&y, &a, 0, 2);
    rd_vclock_join(&x, &a, &y); /* a join never decreases an element */
    assert_int_equal(rd_vclock_get(&x, 0), 3);
    struct rd_vclock z = {0};
    rd_vclock_set(&z, &a, 1, 4);
    rd_vclock_copy(&x, &a, &z); /* copying a shorter clock drops the elements beyond its length */
    assert_int_equal(rd_vclock_get(&x, 1), 4);
    assert_int_equal(rd_vclock_get(&x, 9), 0);
    rd_vclock_set(&x, &a, 12, 1);
    assert_int_equal(rd_vclock_get(&x, 2), 0);
    assert_int_equal(rd_vclock_get(&x, 9), 0);
}

static void vclock_hash_ignores_trailing_zeroes(void **state) {
    (void)state;
    struct rd_arena a = fresh();
    struct rd_vclock x = {0}, y = {0}, z = {0};
    rd_vclock_set(&x, &a, 1, 4);
    rd_vclock_set(&y, &a, 1, 4);
    rd_vclock_set(&y, &a, 30, 0);
    rd_vclock_set(&z, &a, 2, 4);
    assert_true(rd_vclock_hash(&x, 1) == rd_vclock_hash(&y, 1));
    assert_true(rd_vclock_hash(&x, 1) != rd_vclock_hash(&z, 1));
    assert_true(rd_vclock_hash(&x, 1) != rd_vclock_hash(&x, 2));
}

static void error_is_replaced_and_cut(void **state) {
    (void)state;
    struct rd_error e;
    struct rd_text t = rd_error_text(&e);
    assert_string_equal(e.text, "");
    rd_text_str(&t, "no detector '");
    rd_text_part(&t, "races,heap", 5);
    rd_text_char(&t, '\'');
    assert_string_equal(e.text, "no detector 'races'");
    rd_error_set(&e, "cannot open '%s': %d", "x", 7);
    assert_string_equal(e.text, "cannot open 'x': 7");
    char large[RD_ERROR_ROOM + 1];
    memset(large, 'a', sizeof large - 1);
    large[sizeof large - 1] = 0;
    rd_error_set(&e, "%s", large);
    assert_int_equal(strlen(e.text), RD_ERROR_ROOM - 1);
    t = rd_error_text(&e);
    rd_text_str(&t, large);
    assert_int_equal(strlen(e.text), RD_ERROR_ROOM - 1);
}

/* Compares with counting: the values are small, so each occurs several times. The tags make the order strict. */
static void sort_is_a_permutation_in_order(void **state) {
    (void)state;
    enum { MOST = 700, VALUES = 16 };
    struct {
        uint32_t value, tag;
    } list[MOST];
    struct rd_rng g;
    rd_rng_seed(&g, 5);
    for (uint32_t n = 0; n < MOST; n = n < 40 ? n + 1 : n * 3 / 2) {
        uint32_t counts[VALUES] = {0};
        for (uint32_t i = 0; i < n; i++) {
            list[i].value = rd_rng_below(&g, VALUES);
            list[i].tag = i;
            counts[list[i].value]++;
        }
        rd_sort(list, n, a, b, a->value != b->value ? a->value < b->value : a->tag < b->tag);
        for (uint32_t i = 0; i < n; i++) {
            if (i && list[i - 1].value == list[i].value)
                assert_true(list[i - 1].tag < list[i].tag);
            else if (i)
                assert_true(list[i - 1].value < list[i].value);
            counts[list[i].value]--;
        }
        for (uint32_t v = 0; v < VALUES; v++)
            assert_int_equal(counts[v], 0);
        rd_sort(list, n, a, b, a->tag > b->tag); /* … and in the opposite order */
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(list[i].tag, n - 1 - i);
    }
}

static void sort_up_to_a_dozen_is_stable(void **state) {
    (void)state;
    struct {
        uint32_t value, tag;
    } list[RD_SORT_SMALL];
    for (uint32_t i = 0; i < RD_SORT_SMALL; i++) {
        list[i].value = i * 7 % 3;
        list[i].tag = i;
    }
    rd_sort(list, RD_SORT_SMALL, a, b, a->value < b->value);
    for (uint32_t i = 1; i < RD_SORT_SMALL; i++)
        assert_true(list[i - 1].value < list[i].value ||
                    (list[i - 1].value == list[i].value && list[i - 1].tag < list[i].tag));
}

static void clock_goes_forward(void **state) {
    (void)state;
    uint64_t first = rd_clock_ns(), last = first;
    for (int i = 0; i < 1000; i++) {
        uint64_t now = rd_clock_ns();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > first);
    assert_true(rd_clock_s() >= (double)last * 1e-9);
}

/* The guess among three commands; "" where none is near. */
static const char *guessed(const char *word) {
    static struct rd_guess g;
    static const char *const words[] = {"run", "replay", "show"};
    rd_guess_begin(&g, word, strlen(word));
    for (unsigned i = 0; i < RD_COUNT(words); i++)
        rd_guess_try(&g, words[i], strlen(words[i]));
    return rd_guess_best(&g) ? rd_guess_best(&g) : "";
}

static void guesses_what_was_meant(void **state) {
    (void)state;
    static const char *const near[][2] = {{"rnu", "run"},   {"rum", "run"},       {"runn", "run"},
                                          {"un", "run"},    {"relpay", "replay"}, {"rplay", "replay"},
                                          {"shwo", "show"}, {"erplya", "replay"}, {"rrun", "run"}};
    static const char *const far[] = {"",
                                      "r",
                                      "x",
                                      "abc",
                                      "rabc",
                                      "playre",
                                      "showing off",
                                      "nur",
                                      "a-word-that-is-much-longer-than-any-of-the-names"};
    for (unsigned i = 0; i < RD_COUNT(near); i++)
        assert_string_equal(guessed(near[i][0]), near[i][1]);
    for (unsigned i = 0; i < RD_COUNT(far); i++)
        assert_string_equal(guessed(far[i]), "");
    struct rd_guess g;
    char text[RD_GUESS_TEXT];
    rd_guess_begin(&g, "rnu=3", 3); /* only the first three characters */
    rd_guess_try(&g, "run", 3);
    assert_string_equal(rd_guess_words(&g, "raddle ", text), "; did you mean 'raddle run'?");
    rd_guess_begin(&g, "q", 1);
    assert_string_equal(rd_guess_words(&g, "", text), "");
}

int test_base(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_aligns_and_resets),
        cmocka_unit_test(arena_full_is_a_bug),
        cmocka_unit_test(vec_grows_in_place_and_by_copy),
        cmocka_unit_test(map_keeps_every_key),
        cmocka_unit_test(rng_is_a_function_of_the_seed),
        cmocka_unit_test(rng_below_is_uniform),
        cmocka_unit_test(bits_add_and_delete),
        cmocka_unit_test(tids_are_sets),
        cmocka_unit_test(text_formats),
        cmocka_unit_test(text_is_cut_never_overrun),
        cmocka_unit_test(error_is_replaced_and_cut),
        cmocka_unit_test(sort_is_a_permutation_in_order),
        cmocka_unit_test(sort_up_to_a_dozen_is_stable),
        cmocka_unit_test(guesses_what_was_meant),
        cmocka_unit_test(clock_goes_forward),
        cmocka_unit_test(vclock_joins_and_copies),
        cmocka_unit_test(vclock_hash_ignores_trailing_zeroes),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
