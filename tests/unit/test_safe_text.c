/* test_safe_text.c - tests of what makes text safe: for a terminal, for a page, for a shell. */
#include "unit.h"

#include "base/safe_text.h"
#include "report/report.h"
#include "report/text/report_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int test_safe_text(void);

static void expect_safe(enum rd_bad_byte bad, const char *text, size_t size, const char *expected) {
    char all[512] = "", c[RD_SAFE_CHAR];
    for (size_t at = 0; at < size;) {
        at += rd_safe_char(text + at, size - at, bad, c);
        strcat(all, c);
    }
    assert_string_equal(all, expected);
}

static void characters(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"a \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "a \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"\x1b[2J\a\b\r\n\t\x7f", "\\x1b[2J\\x07\\x08\\x0d\\x0a\\x09\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\u009b31m"},                                 /* the CSI of 8 bits */
        {"\xe2\x80\xae\xe2\x81\xa6", "\\u202e\\u2066"}, /* an override and an isolate of direction */
        {"\xe2\x80\xa8\xef\xbb\xbf\xe2\x80\x8b", "\\u2028\\ufeff\\u200b"},
        {"\xf3\xa0\x81\x81", "\\U000e0041"},                            /* a tag */
        {"\xf0\x9b\xb2\xa0\xf0\x93\x90\xbf", "\\U0001bca0\\U0001343f"}, /* for shorthand, for hieroglyphs */
        {"\xdb\x9d\xf0\x91\x82\xbd", "\\u06dd\\U000110bd"},
        {"\xef\xb7\x90\xf0\x9f\xbf\xbe", "\\ufdd0\\U0001fffe"}, /* no characters */
        {"\xff\xc3(\xe2\x82", "\\xff\\xc3(\\xe2\\x82"},         /* no UTF-8, a sequence that is cut */
        {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},  /* too long, a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},           /* beyond Unicode */
    };
    for (size_t i = 0; i < RD_COUNT(cases); i++)
        expect_safe(RD_BAD_BYTE_SHOWN, cases[i].text, strlen(cases[i].text), cases[i].shown);
    expect_safe(RD_BAD_BYTE_SHOWN, "a\0b", 3, "a\\x00b");
    expect_safe(RD_BAD_BYTE_REPLACED, "a\xff\x1b", 3, "a\xef\xbf\xbd\\x1b");
    expect_safe(RD_BAD_BYTE_SHOWN, "\xe2\x82\xac", 2, "\\xe2\\x82"); /* what follows the text does not count */
}

/* Every sequence of up to three bytes becomes valid UTF-8 without an unsafe character. */
static void all_short_texts(void **state) {
    (void)state;
    for (uint32_t v = 0; v < 1 << 24; v += v < 1 << 16 ? 1 : 7) {
        char text[3] = {(char)(v >> 16), (char)(v >> 8), (char)v}, c[RD_SAFE_CHAR];
        size_t n = rd_safe_char(text, 3, RD_BAD_BYTE_SHOWN, c);
        assert_true(n >= 1 && n <= 3 && strlen(c) < sizeof c);
        for (const char *p = c; *p;) {
            unsigned length = rd_utf8_length(p, strlen(p));
            assert_true(length > 0 && !rd_char_is_unsafe(rd_utf8_char(p, length)));
            p += length;
        }
    }
}

/* The stream passes its own colours on, and no others. */
static void stream(void **state) {
    (void)state;
    static char printed[1024];
    struct rd_look look = {.colour = true};
    FILE *out = fmemopen(printed, sizeof printed, "w"), *safe = rd_wrap_open(out, &look);
    fprintf(safe, "%sbold%s \033[1m \033]0;title\a\tx\r\n%s", rd_paint(&look, RD_BOLD),
            rd_paint(&look, RD_UNPAINTED), rd_paint_thread(&look, 9));
    fputs("\xe2\x82", safe);
    fflush(safe); /* a character in two writes */
    fputs("\xac end", safe);
    rd_wrap_close(safe);
    fclose(out);
    assert_string_equal(printed, "\033[1mbold\033[0m \\x1b[1m \\x1b]0;title\\x07\tx\n\033[33m\xe2\x82\xac end");
}

int test_safe_text(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(all_short_texts),
        cmocka_unit_test(stream),
    };
    return cmocka_run_group_tests_name("safe_text", tests, NULL, NULL);
}
