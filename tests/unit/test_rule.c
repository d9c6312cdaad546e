/*
 * test_rule.c - the rules that say which memory calls touch: every row of the table, and texts that are no rules.
 */
#include "unit.h"

#include "foreign/function_rules.h"

#include <string.h>

static void every_row_is_right(void **state) {
    (void)state;
    uint32_t count;
    const struct rd_function *all = rd_functions(&count);
    struct rd_rule rules[RD_RULES_MAX];
    const char *bad;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(all[i - 1].name, all[i].name) < 0);
        assert_ptr_equal(rd_function_find(all[i].name), &all[i]);
        if (rd_rules_parse(all[i].rules, rules, &bad) < 0)
            fail_msg("%s: '%s'", all[i].name, bad);
    }
    assert_null(rd_function_find("no such function"));
}

static void a_rule_has_its_meaning(void **state) {
    (void)state;
    struct rd_rule r[RD_RULES_MAX];
    const char *bad;
    assert_int_equal(rd_rules_parse("r3:s w1:f3<#2 f3 locale:r", r, &bad), 4);
    assert_true(r[0].what == RD_RULE_STRING && r[0].arg == 3 && !r[0].writes);
    assert_true(r[1].what == RD_RULE_FORMED && r[1].arg == 1 && r[1].other == 3 && r[1].size_arg[0] == 2 &&
                r[1].writes);
    assert_true(r[2].what == RD_RULE_FORMAT && r[2].arg == 3 && r[2].list == 0);
    assert_true(r[3].what == RD_RULE_STATE && !r[3].writes && r[3].state);
    assert_int_equal(rd_rules_parse("w1:<4*#2", r, &bad), 1);
    assert_true(r[0].what == RD_RULE_BYTES && r[0].bytes == 4 && r[0].size_arg[0] == 2 && r[0].at_most);
    assert_int_equal(rd_rules_parse("w1:#3-#2", r, &bad), 1);
    assert_true(r[0].what == RD_RULE_BYTES && r[0].size_arg[0] == 3 && r[0].less_arg == 2 && !r[0].at_most);
    assert_int_equal(rd_rules_parse("", r, &bad), 0);
}

static void wrong_rules_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"r0:4", "r1", "r1:", "w1:#", "f", "x", "stream1", "r1:4 y", "rv2"};
    struct rd_rule r[RD_RULES_MAX];
    const char *bad;
    for (size_t i = 0; i < RD_COUNT(wrong); i++)
        assert_int_equal(rd_rules_parse(wrong[i], r, &bad), -1);
}

int test_rule(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_right),
        cmocka_unit_test(a_rule_has_its_meaning),
        cmocka_unit_test(wrong_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
