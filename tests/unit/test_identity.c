/* test_identity.c - tests of hashes (published vectors) and of the identities of findings. */
#include "unit.h"

#include "base/sha256.h"
#include "report/report.h"
#include "trace/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int test_identity(void);

static void expect_hash(const char *text, const char *expected) {
    struct rd_sha256 h;
    uint8_t hash[RD_SHA256_SIZE];
    char hex[RD_SHA256_TEXT];
    size_t size = strlen(text);
    for (size_t piece = 1; piece <= size + 1; piece += 13) { /* in pieces of different sizes */
        rd_sha256_begin(&h);
        for (size_t at = 0; at < size; at += piece)
            rd_sha256_add(&h, text + at, RD_MIN(piece, size - at));
        rd_sha256_end(&h, hash);
        rd_sha256_hex(hash, 64, hex);
        assert_string_equal(hex, expected);
    }
}

/* The examples of FIPS 180-4, and the empty text. */
static void sha256(void **state) {
    (void)state;
    expect_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect_hash("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmn"
                "opqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    struct rd_sha256 h;
    uint8_t hash[RD_SHA256_SIZE];
    char hex[RD_SHA256_TEXT];
    rd_sha256_begin(&h);
    for (unsigned i = 0; i < 1000000; i++)
        rd_sha256_add(&h, "a", 1);
    rd_sha256_end(&h, hash);
    rd_sha256_hex(hash, 64, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void expect_hmac(const char *key, const char *text, unsigned digits, const char *expected) {
    struct rd_hmac h;
    uint8_t hash[RD_SHA256_SIZE];
    char hex[RD_SHA256_TEXT];
    rd_hmac_begin(&h, (const uint8_t *)key, strlen(key));
    rd_hmac_add(&h, text, strlen(text));
    rd_hmac_end(&h, hash);
    rd_sha256_hex(hash, digits, hex);
    assert_string_equal(hex, expected);
}

/* Test cases 1 to 5 of RFC 4231. */
static void hmac(void **state) {
    (void)state;
    char key20[21], text50[51], key25[26];
    memset(key20, 0x0b, 20);
    key20[20] = 0;
    expect_hmac(key20, "Hi There", 64, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    expect_hmac("Jefe", "what do ya want for nothing?", 64,
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key20, 0xaa, 20);
    memset(text50, 0xdd, 50);
    text50[50] = 0;
    expect_hmac(key20, text50, 64, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    for (unsigned i = 0; i < 25; i++)
        key25[i] = (char)(i + 1);
    key25[25] = 0;
    memset(text50, 0xcd, 50);
    expect_hmac(key25, text50, 64, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    memset(key20, 0x0c, 20);
    expect_hmac(key20, "Test With Truncation", 32, "a3b6167473100ee06e0c796c2955552b");
}

static struct rd_thread_info threads[RD_TID_MAX];
static struct rd_step steps[2];

static void identity_of(struct rd_schedule *s, char to[RD_IDENTITY]) {
    struct rd_report r = {.schedule = s, .symbols = rd_symbols_open(s->modules, s->module_count)};
    rd_facts_identity(&r, to);
    rd_symbols_close(r.symbols);
}

/* A race of two places without debug information: the order of the two and their threads do not matter. */
static void of_races(void **state) {
    (void)state;
    static struct rd_module modules[2] = {{.path = "/srv/a/prog"}, {.path = "/srv/b/lib.so"}};
    struct rd_schedule s = {.program = "/srv/a/prog",
                            .cwd = "/srv",
                            .threads = threads,
                            .thread_count = 3,
                            .steps = steps,
                            .step_count = 2,
                            .modules = modules,
                            .module_count = 2};
    char first[RD_IDENTITY], other[RD_IDENTITY];
    s.finding = (struct rd_finding){.kind = RD_DATA_RACE, .step = 2, .other_step = 1, .tid = 1};
    steps[0] = (struct rd_step){.tid = 1, .op = RD_OP_READ, .pc = rd_place_make(1, 0x100), .place = 77};
    steps[1] = (struct rd_step){.tid = 2, .op = RD_OP_WRITE, .pc = rd_place_make(1, 0x200), .place = 77};
    identity_of(&s, first);
    assert_int_equal(strlen(first), 12);
    assert_int_equal(strspn(first, "0123456789abcdef"), 12);
    steps[0] = (struct rd_step){.tid = 2, .op = RD_OP_WRITE, .pc = rd_place_make(1, 0x200), .place = 88};
    steps[1] = (struct rd_step){.tid = 0, .op = RD_OP_READ, .pc = rd_place_make(1, 0x100), .place = 88};
    identity_of(&s, other);
    assert_string_equal(first, other);
    snprintf(modules[0].path, sizeof modules[0].path, "/opt/me/prog"); /* the directory does not matter */
    identity_of(&s, other);
    assert_string_equal(first, other);
    steps[1].pc = rd_place_make(1, 0x104);
    identity_of(&s, other);
    assert_string_not_equal(first, other);
    steps[1].pc = rd_place_make(2, 0x100);
    identity_of(&s, other);
    assert_string_not_equal(first, other);
}

/* The numbers in a message that comes from the program's output do not count; those of a condition do. */
static void of_messages(void **state) {
    (void)state;
    struct rd_schedule s = {.program = "/srv/prog", .cwd = "/srv", .threads = threads, .thread_count = 1};
    char ids[5][RD_IDENTITY];
    static const char *const messages[] = {"x == 1", "x == 2", "what(): 0x7f10 at 12 (abort() was called)",
                                           "what(): 0x55 at 3 (abort() was called)",
                                           "what(): other (abort() was called)"};
    for (unsigned i = 0; i < 5; i++) {
        s.finding = (struct rd_finding){.kind = RD_ASSERTION, .line = 7, .file = "/nonexistent/a.c"};
        snprintf(s.finding.message, sizeof s.finding.message, "%s", messages[i]);
        identity_of(&s, ids[i]);
    }
    assert_string_not_equal(ids[0], ids[1]);
    assert_string_equal(ids[2], ids[3]);
    assert_string_not_equal(ids[2], ids[4]);
    s.finding.line = 8; /* the file cannot be read, so the number of the line counts */
    identity_of(&s, ids[0]);
    assert_string_not_equal(ids[0], ids[4]);
}

int test_identity(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256),
        cmocka_unit_test(hmac),
        cmocka_unit_test(of_races),
        cmocka_unit_test(of_messages),
    };
    return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
