/* test_ci_formats.c - tests of what the formats for CI systems share: JUnit XML, paths of the source, words. */
#include "unit.h"

#include "report/ci/junit.h"
#include "report/ci/source_root.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int test_ci_formats(void);

static char written[1 << 14];

static const char *case_text(const struct rd_junit_case *c) {
    FILE *out = fmemopen(written, sizeof written, "w");
    assert_non_null(out);
    rd_junit_case(out, c);
    fclose(out);
    return written;
}

/* Several results in one file, as `raddle test` writes them: each kind of case, and what XML cannot hold. */
static void junit(void **state) {
    (void)state;
    struct rd_junit_case c = {.classname = "a<b>", .name = "\"x\"\n&'\x01\xff", .time_s = 1.25, .output = "out"};
    assert_string_equal(case_text(&c),
                        "    <testcase classname=\"a&lt;b&gt;\" name=\"&quot;x&quot;&#10;&amp;'\\x01\\xff\" "
                        "time=\"1.250\">\n      <system-out><![CDATA[out]]></system-out>\n    </testcase>\n");
    c = (struct rd_junit_case){.classname = "c",
                               .name = "n",
                               .time_s = -1,
                               .result = RD_JUNIT_FAILED,
                               .type = "crash",
                               .message = "m",
                               .text = "]]]>]]> <&\r\n\xef\xbf\xbe\xc2\x85"};
    assert_string_equal(
        case_text(&c),
        "    <testcase classname=\"c\" name=\"n\" time=\"0.000\">\n"
        "      <failure type=\"crash\" message=\"m\"><![CDATA[]]]]]><![CDATA[>]]]]><![CDATA[> <&\\x0d\n"
        "\\ufffe\\u0085]]></failure>\n    </testcase>\n");
    c.result = RD_JUNIT_SKIPPED;
    assert_non_null(strstr(case_text(&c), "</skipped>"));
    c.result = RD_JUNIT_ERROR;
    assert_non_null(strstr(case_text(&c), "</error>"));
}

static void expect_path(const char *root, const char *cwd, const char *path, const char *expected, bool inside) {
    char to[PATH_MAX];
    assert_int_equal(rd_source_path(root, cwd, path, to), inside);
    assert_string_equal(to, expected);
}

static void paths(void **state) {
    (void)state;
    char uri[64];
    expect_path("/none/it", "/none/it/build", "../src/a.c", "src/a.c", true);
    expect_path("/none/it", "/none/it/build", "/none/it/./src//x/../a.c", "src/a.c", true);
    expect_path("/none/it", "/none/it", "/none/item/a.c", "/none/item/a.c", false);
    expect_path("/none/it", "/none/it", "/../../a.c", "/a.c", false);
    expect_path("/none/it", "/none/it", "../it/..", "/none", false);
    expect_path("", "/none", "/none/a.c", "none/a.c", true);
    rd_source_uri("a b/%:\xc3\xa4?#~.c", uri, sizeof uri);
    assert_string_equal(uri, "a%20b/%25%3A%C3%A4%3F%23~.c");
    rd_source_uri("aaaa%", uri, 7); /* no room for all of "%25": no half of it */
    assert_string_equal(uri, "aaaa");
}

/* A file that was compiled through a symbolic link to the repository. */
static void linked_root(void **state) {
    (void)state;
    char dir[] = "/tmp/raddle-unit-XXXXXX", real[PATH_MAX], path[PATH_MAX];
    assert_non_null(mkdtemp(dir));
    assert_non_null(realpath(dir, real));
    snprintf(path, sizeof path, "%s/it", dir);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/it/a.c", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fclose(f);
    char link[PATH_MAX], root[PATH_MAX + 8], through[PATH_MAX + 8];
    snprintf(link, sizeof link, "%s/link", dir);
    assert_int_equal(symlink("it", link), 0);
    snprintf(root, sizeof root, "%s/it", real);
    snprintf(through, sizeof through, "%s/a.c", link);
    expect_path(root, "/", through, "a.c", true);
    unlink(path);
    unlink(link);
    rmdir(root);
    rmdir(dir);
}

static void words(void **state) {
    (void)state;
    static const char *const command[] = {"raddle", "run",  "--seed=1",     "",  "it's",
                                          "$x",     "a\nb", "\xff'\x1b[1m", NULL};
    char *text = rd_shell_line(command);
    assert_string_equal(
        text,
        "raddle run --seed=1 '' 'it'\\''s' '$x' \"$(printf '\\141\\012b')\" \"$(printf '\\377\\047\\033[1m')\"");
    free(text);
}

int test_ci_formats(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(junit), cmocka_unit_test(paths),
                                       cmocka_unit_test(linked_root), cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
