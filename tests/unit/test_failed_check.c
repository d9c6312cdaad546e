/* test_failed_check.c - the messages of test frameworks about failed checks, as they print them. */
#include "unit.h"

#include "cli/run/failed_check.h"

#include <stdio.h>
#include <string.h>

/* The place and the text that are found in an output; "" if none is. */
static const char *found(const char *output) {
    static char text[1024];
    struct rd_finding f = {.kind = RD_EXIT_STATUS, .status = 3};
    text[0] = 0;
    if (rd_failed_check_take(&f, output, strlen(output)))
        snprintf(text, sizeof text, "%s:%d %s", f.file, f.line, f.message);
    return text;
}

static void frameworks_are_known(void **state) {
    (void)state;
    assert_string_equal(
        found("[ RUN      ] A.b\npool_test.cc:31: Failure\nExpected equality of these values:\n  n\n    Which "
              "is: 1\n  2\n[  FAILED  ] A.b (0 ms)\n"),
        "pool_test.cc:31 a check of the test failed: Expected equality of these values: n Which is: 1 2 "
        "(exit status 3)");
    assert_string_equal(
        found("t.cc:9: FAILED:\n  CHECK( n == 2 )\nwith expansion:\n  1 == 2\n\n===\n"),
        "t.cc:9 a check of the test failed: CHECK( n == 2 ) with expansion: 1 == 2 (exit status 3)");
    assert_string_equal(
        found("/src/d.cc:7: ERROR: CHECK( n == 2 ) is NOT correct!\n  values: CHECK( 1 == 2 )\n\n"),
        "/src/d.cc:7 a check of the test failed: CHECK( n == 2 ) is NOT correct! values: CHECK( 1 == 2 ) "
        "(exit status 3)");
    assert_string_equal(
        found("x\nb.cc(12): error: in \"s/t\": check n == 2 has failed [1 != 2]\n\n"),
        "b.cc:12 a check of the test failed: in \"s/t\": check n == 2 has failed [1 != 2] (exit status 3)");
    assert_string_equal(
        found("[  ERROR   ] --- 0x1 != 0x2\n[   LINE   ] --- c.c:20: error: Failure!\n[  FAILED  ] t\n"),
        "c.c:20 a check of the test failed:  (exit status 3)");
}

static void other_output_is_not(void **state) {
    (void)state;
    static const char *const others[] = {"",
                                         "\n\n",
                                         ": Failure\n",
                                         "12: Failure\n",
                                         "a b.c:12: Failure\n",
                                         "a.c:: Failure\n",
                                         "a.c:x: ERROR: y\n",
                                         "a.c(12: error: y\n",
                                         "a.c:99999999: Failure\n",
                                         "a.c:12: Failure and more\n"};
    for (unsigned i = 0; i < RD_COUNT(others); i++)
        assert_string_equal(found(others[i]), "");
    struct rd_finding f = {.kind = RD_CRASH};
    assert_false(rd_failed_check_take(&f, "a.c:12: Failure\n", 16)); /* a crash has its own place */
    assert_false(rd_failed_check_take(&(struct rd_finding){.kind = RD_EXIT_STATUS}, "a.c:12: Fail", 12));
    f = (struct rd_finding){.kind = RD_EXIT_STATUS};
    assert_true(rd_failed_check_take(&f, "a.c:12: Failure", 15)); /* the end of the output */
}

int test_failed_check(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frameworks_are_known),
        cmocka_unit_test(other_output_is_not),
    };
    return cmocka_run_group_tests_name("failed_check", tests, NULL, NULL);
}
