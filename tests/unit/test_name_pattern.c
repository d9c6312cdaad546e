/* The patterns of suppressions. */
#include "base/name_pattern.h"
#include "unit.h"

static void matches(void **state) {
    (void)state;
    static const char *const yes[][2] = {{"foo", "foo"},
                                         {"foo", "a::foobar"},
                                         {"^foo", "foobar"},
                                         {"foo$", "barfoo"},
                                         {"^foo$", "foo"},
                                         {"*", ""},
                                         {"f*r", "xfoobarx"},
                                         {"^f*r$", "foobar"},
                                         {"^*$", "anything"},
                                         {"f?o", "afoo"},
                                         {"aab", "aaab"},
                                         {"a*ab$", "aabaab"},
                                         {"operator[]", "T::operator[]"},
                                         {"**", "x"},
                                         {"^a*b*c$", "aXbYbc"},
                                         {"/base/", "/x/base/y.c"},
                                         {"", "anything"},
                                         {"$", "x"},
                                         {"a$b", "xa$by"},
                                         {"step_[0-9]*", "step_7b"},
                                         {"a[b", "xa[by"}};
    static const char *const no[][2] = {
        {"foo", "fo"},     {"^foo", "afoo"}, {"foo$", "foobar"}, {"^foo$", "foofoo"}, {"^$", "x"},
        {"f*z", "foobar"}, {"f?o", "fo"},    {"foo", ""},        {"^a*b$", "abc"},    {"[ab]", "ab"},
        {"[ab]", "xa"},    {"a*a", "a"},     {"^b", ""}};
    for (unsigned i = 0; i < RD_COUNT(yes); i++)
        assert_true(rd_name_pattern_matches(yes[i][0], yes[i][1]));
    for (unsigned i = 0; i < RD_COUNT(no); i++)
        assert_true(!rd_name_pattern_matches(no[i][0], no[i][1]));
    assert_true(!rd_name_pattern_matches("*", NULL));
}

/* A pattern without a slash is about the name of the file, one with a slash about the path. */
static void matches_paths(void **state) {
    (void)state;
    static const char path[] = "/src/main/pool/list.c";
    static const char *const yes[] = {"list",       "^list.c$", "*",         "main/pool",
                                      "^pool/list", "^/src/",   "pool/*.c$", "/list.c"};
    static const char *const no[] = {"main", "pool", "^src", "src/list", "^main/list", "list/"};
    for (unsigned i = 0; i < RD_COUNT(yes); i++)
        assert_true(rd_path_pattern_matches(yes[i], path));
    for (unsigned i = 0; i < RD_COUNT(no); i++)
        assert_true(!rd_path_pattern_matches(no[i], path));
    assert_true(rd_path_pattern_matches("list", "list.c"));
    assert_true(!rd_path_pattern_matches("*", NULL));
}

int test_name_pattern(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(matches), cmocka_unit_test(matches_paths)};
    return cmocka_run_group_tests_name("name_pattern", tests, NULL, NULL);
}
