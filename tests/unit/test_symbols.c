/*
 * test_symbols.c - tests of names and source lines: the texts that compilers write, and this program itself, which
 * the test looks up in its own debug information.
 */
#include "unit.h"

#include "symbols/compiler_record.h"
#include "symbols/symbols.h"
#include "trace/place.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int test_symbols(void);

static void names_without_parameters(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"main", "main"},
        {"f(int, char (*)(long))", "f"},
        {"a::b<int>::c(std::vector<int>&) const", "a::b<int>::c"},
        {"main::{lambda()#1}::operator()() const", "main::{lambda()#1}::operator()"},
        {"void std::__invoke_impl<void, f(int)::{lambda()#1}>(int)", "std::__invoke_impl<void, f::{lambda()#1}>"},
        {"f(int) [clone .part.0]", "f"},
        {"(anonymous namespace)::g(int)", "(anonymous namespace)::g"},
        {"f(std::string const&)::count", "f::count"},
        {"operator new(unsigned long)", "operator new"},
        {"bool operator< <int>(int)", "operator< <int>"},
        {"", ""},
        {")", ")"},
        {"(", "("},
    };
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        char name[128];
        strcpy(name, cases[i][0]);
        rd_demangle_strip(name);
        assert_string_equal(name, cases[i][1]);
    }
    char *plain = rd_demangle("main");
    assert_string_equal(plain, "main");
    free(plain);
}

static void producers(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2 -fasynchronous-unwind-tables", "gcc 12.2.0 -O2"},
        {"GNU C++20 12.2.0 -g -O2 -O0 -fPIC", "gcc 12.2.0 -O0"},
        {"GNU C11 12.2.0 -mtune=generic -g", "gcc 12.2.0 -O0"},
        {"Debian clang version 14.0.6", "clang 14.0.6"},
        {"clang version 17.0.1 (https://x) -O1", "clang 17.0.1 -O1"},
        {"GNU AS 2.40", ""},
        {"rustc version 1.70", ""},
    };
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        char text[64] = "";
        assert_int_equal(rd_compiler_record_text(cases[i][0], text, sizeof text), cases[i][1][0] != 0);
        assert_string_equal(text, cases[i][1]);
    }
}

struct pair {
    int left;
    long right[2];
};
struct pair unit_pair;
static volatile int landmark_line;

__attribute__((noinline)) static void *unit_landmark(void) {
    landmark_line = __LINE__ + 1;
    return __builtin_extract_return_addr(__builtin_return_address(0));
}

static int first_module(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1;
}

static void own_symbols(void **state) {
    (void)state;
    static struct rd_module self;
    char text[256];
    uint64_t base = 0;
    dl_iterate_phdr(first_module, &base);
    assert_true(readlink("/proc/self/exe", self.path, sizeof self.path - 1) > 0);
    struct rd_symbols *s = rd_symbols_open(&self, 1);
    if (!rd_symbols_compilers(s, text, sizeof text)) { /* built without -g: there are names only */
        rd_symbols_close(s);
        skip();
    }
    assert_non_null(strpbrk(text, "0123456789"));
    rd_symbols_data(s, rd_place_make(RD_PLACE_MODULE, (uintptr_t)&unit_pair.right[1] - base), text, sizeof text);
    assert_string_equal(text, "unit_pair.right[1]");
    rd_symbols_data(s, rd_place_make(RD_PLACE_MODULE, (uintptr_t)&unit_pair - base), text, sizeof text);
    assert_string_equal(text, "unit_pair.left");
    void *here = unit_landmark();
    int line = __LINE__ - 1;
    rd_place stack[2] = {rd_place_make(RD_PLACE_MODULE, (uintptr_t)here - base)};
    const struct rd_frame *f = rd_symbols_user_frame(s, stack, 2, false);
    assert_non_null(f);
    assert_string_equal(f->function, "own_symbols");
    assert_int_equal(f->line, line);
    assert_non_null(strstr(f->file, "test_symbols.c"));
    assert_int_equal(f->kind, RD_FRAME_USER);
    f = rd_symbols_at(s, rd_place_make(RD_PLACE_MODULE, (uintptr_t)&unit_landmark - base), true);
    assert_string_equal(f->function, "unit_landmark");
    assert_true(f->line >= landmark_line - 3 && f->line <= landmark_line);
    assert_null(rd_symbols_at(s, 0, false));
    rd_symbols_close(s);
}

/* The place of a function or a variable by its name. */
static void places_of_names(void **state) {
    (void)state;
    static struct rd_module self;
    uint64_t base = 0;
    dl_iterate_phdr(first_module, &base);
    assert_true(readlink("/proc/self/exe", self.path, sizeof self.path - 1) > 0);
    struct rd_symbols *s = rd_symbols_open(&self, 1);
    struct rd_range at[4];
    assert_int_equal(rd_symbols_named(s, "unit_pair", false, at, 4), 1);
    assert_true(at[0].first == rd_place_make(RD_PLACE_MODULE, (uintptr_t)&unit_pair - base));
    assert_true(at[0].last == at[0].first + sizeof unit_pair - 1);
    assert_int_equal(rd_symbols_named(s, "places_of_names", true, at, 4), 1);
    rd_place here = rd_place_make(RD_PLACE_MODULE, (uintptr_t)unit_landmark() - base);
    assert_true(here >= at[0].first && here <= at[0].last);
    assert_int_equal(rd_symbols_named(s, "unit_pair", true, at, 4), 0);
    assert_int_equal(rd_symbols_named(s, "unit_pai", false, at, 4), 0);
    assert_int_equal(rd_symbols_named(s, "no_such_thing", true, at, 4), 0);
    assert_int_equal(rd_symbols_named(s, "", true, at, 4), 0);
    rd_symbols_close(s);
}

/* Modules that do not exist or are damaged leave places without names. */
static void no_symbols(void **state) {
    (void)state;
    static struct rd_module none[3];
    strcpy(none[0].path, "/nonexistent/program");
    strcpy(none[1].path, "/etc/passwd");
    strcpy(none[2].path, "linux-vdso.so.1");
    struct rd_symbols *s = rd_symbols_open(none, 3);
    for (unsigned m = 0; m < 5; m++) {
        const struct rd_frame *f;
        char text[128];
        assert_int_equal(rd_symbols_frames(s, rd_place_make(RD_PLACE_MODULE + m, 0x1234), false, &f), 1);
        assert_string_equal(f->function, "??");
        rd_symbols_data(s, rd_place_make(RD_PLACE_MODULE + m, 0x1234), text, sizeof text);
        assert_non_null(strstr(text, "+0x1234"));
    }
    rd_symbols_close(s);
}

int test_symbols(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_without_parameters), cmocka_unit_test(producers),  cmocka_unit_test(own_symbols),
        cmocka_unit_test(places_of_names),          cmocka_unit_test(no_symbols),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
