/* test_json_writer.c - tests of the JSON that all documents are written with. */
#include "unit.h"

#include "report/json/json_writer.h"

#include <stdio.h>
#include <string.h>

int test_json_writer(void);

static char printed[512];

#define PRINTED(call)                                       \
    do {                                                    \
        FILE *out = fmemopen(printed, sizeof printed, "w"); \
        assert_non_null(out);                               \
        call;                                               \
        fclose(out);                                        \
    } while (0)

static void json_strings(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "\"plain\""},
        {"a\"b\\c\n\t\x01\x7f", "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\""},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80",
         "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80\""},
        {"\xff", "\"\\ufffd\""},
        {"\xc3", "\"\\ufffd\""},                       /* cut off */
        {"\xc0\xaf", "\"\\ufffd\\ufffd\""},            /* longer than needed */
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, /* half a surrogate pair */
        {"\xe2\x82x", "\"\\ufffd\\ufffdx\""},
    };
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        char expected[128];
        snprintf(expected, sizeof expected, "[\n  %s\n]\n", cases[i][1]);
        PRINTED({
            struct rd_json j = {.out = out};
            rd_json_open(&j, NULL, '[');
            rd_json_string(&j, NULL, cases[i][0]);
            rd_json_close(&j, ']');
        });
        assert_string_equal(printed, expected);
    }
}

/* A number that is too large for an integer of 64 bits does not look like one. */
static void json_reals(void **state) {
    (void)state;
    PRINTED({
        struct rd_json j = {.out = out};
        rd_json_open(&j, NULL, '[');
        rd_json_real(&j, NULL, 12.5, 1);
        rd_json_real(&j, NULL, -7, 0);
        rd_json_real(&j, NULL, 9e15, 0);
        rd_json_real(&j, NULL, 1e17, 0);
        rd_json_real(&j, NULL, -0x1p100, 0);
        rd_json_real(&j, NULL, 1.0 / 0.0, 0);
        rd_json_close(&j, ']');
    });
    assert_string_equal(printed,
                        "[\n  12.5,\n  -7,\n  9000000000000000,\n  1e+17,\n  -1.2676506002282294e+30,\n  0\n]\n");
}

int test_json_writer(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(json_strings), cmocka_unit_test(json_reals)};
    return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
