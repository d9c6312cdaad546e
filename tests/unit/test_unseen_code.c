/*
 * test_unseen_code.c - code that was not seen: the words for it, its effect on a claim, and how machine code is
 * judged.
 */
#include "unit.h"

#include "cli/compiler_names.h"
#include "symbols/machine_code.h"
#include "symbols/unhooked_code.h"
#include "unit_summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char words[RD_UNSEEN_CODE_WORDS];

/* A finished search of a program with hooks, and libraries without hooks that the runtime knows. */
static int set_up(void **state) {
    (void)state;
    static const char *const paths[] = {"/t/prog", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/lib/libc.so.6"};
    c = calloc(1, sizeof *c);
    c->modules = calloc(RD_MODULES_MAX, sizeof *c->modules);
    memset(&run, 0, sizeof run);
    for (uint32_t i = 0; i < RD_COUNT(paths); i++)
        strcpy(c->modules[i].path, paths[i]);
    c->module_count = RD_COUNT(paths);
    c->modules[0].instrumented = 1;
    c->summary = (struct rd_summary){.end = RD_END_COMPLETE, .executions = 7, .threads_max = 2};
    c->summary.claim = (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1, .complete = 1, .done = 1};
    strcpy(c->summary.claim.proved, "all was run");
    return 0;
}

static struct rd_unseen_part code(const char *unit, const char *function, unsigned why, bool library) {
    struct rd_unseen_part x = {
        .module = library ? "/t/libfoo.so" : "/t/prog", .why = (uint8_t)why, .library = library};
    strcpy(x.unit, unit);
    strcpy(x.function, function);
    return x;
}

static void add(struct rd_unseen_part x) { run.blind.code[run.blind.count++] = x; }

static const char *worded(void) {
    rd_unseen_code_words(&run.blind, words, sizeof words);
    return words;
}

static void names_by_reason(void **state) {
    (void)state;
    assert_true(rd_unseen_code_none(&run.blind));
    assert_string_equal(worded(), "");
    add(code("", "", RD_UNSEEN_CODE_PLAIN, true));
    add(code("/src/spin.S", "", RD_UNSEEN_CODE_ASSEMBLER, false));
    add(code("../src/helper.c", "", RD_UNSEEN_CODE_PLAIN, false));
    add(code("part.c", "", RD_UNSEEN_CODE_PLAIN, true));
    add(code("", "ns::bump", RD_UNSEEN_CODE_NO_HOOKS, false));
    assert_false(rd_unseen_code_none(&run.blind));
    assert_string_equal(worded(),
                        "memory accesses in libfoo.so, helper.c, part.c in libfoo.so (built without raddle "
                        "cc), spin.S (assembler), ns::bump() (no hooks in its code)");
}

static void many_names_are_counted(void **state) {
    (void)state;
    for (unsigned i = 0; i < 9; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u.c", i);
        add(code(name, "", RD_UNSEEN_CODE_PLAIN, false));
    }
    run.blind.more = 2;
    assert_string_equal(worded(), "memory accesses in 0.c, 1.c, 2.c, 3.c, 4.c, 5.c (built without raddle cc) and 5 "
                                  "more");
}

static void the_longest_names_fit(void **state) {
    (void)state;
    for (unsigned i = 0; i < RD_UNSEEN_CODE_MAX; i++) {
        struct rd_unseen_part x = code("", "", RD_UNSEEN_CODE_UNREADABLE, true);
        memset(x.unit, 'u', sizeof x.unit - 1);
        add(x);
    }
    assert_true(strlen(worded()) < sizeof words);
}

static void functions_called(void **state) {
    (void)state;
    static const char *const calls[] = {"foo_get", "foo_put"};
    run.blind.calls = calls;
    run.blind.call_count = 2;
    assert_false(rd_unseen_code_none(&run.blind));
    assert_string_equal(worded(), "what happens inside foo_get(), foo_put()");
    add(code("a.c", "", RD_UNSEEN_CODE_PLAIN, false));
    assert_string_equal(worded(),
                        "memory accesses in a.c (built without raddle cc); what happens inside foo_get(), "
                        "foo_put()");
}

static void libraries_of_the_run(void **state) {
    (void)state;
    rd_unseen_code_modules(&run.blind, c);
    assert_true(rd_unseen_code_none(&run.blind));
    strcpy(c->modules[3].path, "/t/libfoo.so.1");
    c->module_count = 4;
    rd_unseen_code_modules(&run.blind, c);
    assert_string_equal(worded(), "memory accesses in libfoo.so.1 (built without raddle cc)");
    c->modules[0].instrumented = 0; /* the library is under test */
    c->modules[3].instrumented = 1;
    rd_unseen_code_modules(&run.blind, c);
    assert_string_equal(worded(), "memory accesses in prog (built without raddle cc)");
    c->modules[3].instrumented = 0;
    rd_unseen_code_modules(&run.blind, c);
    assert_true(run.blind.everything);
    assert_string_equal(worded(), "every memory access (nothing was built with raddle cc)");
}

static void complete_only_when_all_was_seen(void **state) {
    (void)state;
    rd_unseen_code_modules(&run.blind, c);
    rd_weigh_claim(&run, c, true, "");
    assert_true(run.finished && run.complete && run.all);
    assert_non_null(strstr(print(false), "\ncomplete: all was run ("));
    assert_non_null(strstr(print(true), "\"complete\": true,\n  \"finished\": true,"));
    assert_non_null(strstr(printed, "\"instrumented\": true,\n  \"not_seen\": null,\n  \"unseen_code\": [],"));

    memset(&run, 0, sizeof run);
    rd_unseen_code_modules(&run.blind, c);
    add(code("helper.c", "", RD_UNSEEN_CODE_PLAIN, false));
    rd_weigh_claim(&run, c, true, "");
    assert_true(run.finished && run.all && !run.complete);
    assert_non_null(strstr(print(false), "\ncomplete for the operations that raddle sees: all was run ("));
    assert_non_null(strstr(printed, "); not seen: memory accesses in helper.c (built without raddle cc)\n"));
    assert_null(strstr(printed, "complete:"));
    assert_non_null(strstr(print(true), "\"complete\": false,\n  \"finished\": true,"));
    assert_null(strstr(printed, "\"complete\": true"));
    assert_non_null(strstr(printed,
                           "\"module\": \"/t/prog\",\n      \"unit\": \"helper.c\",\n      \"function\": null,"
                           "\n      \"reason\": \"built without raddle cc\""));
}

static void no_code_is_instrumented(void **state) {
    (void)state;
    c->modules[0].instrumented = 0;
    rd_unseen_code_modules(&run.blind, c);
    rd_weigh_claim(&run, c, true, "");
    assert_true(run.finished && !run.complete);
    assert_non_null(strstr(print(false), "\nMEMORY ACCESSES WERE NOT CHECKED: "));
    assert_non_null(strstr(printed, "\ncovered: all was run ("));
    assert_null(strstr(printed, "complete"));
    assert_null(strstr(print(true), "\"complete\": true"));
    assert_non_null(strstr(printed, "\"instrumented\": false,"));
}

static void points_at_synchronisation_only(void **state) {
    (void)state;
    c->config.points = RD_POINTS_SYNC;
    rd_unseen_code_modules(&run.blind, c);
    rd_weigh_claim(&run, c, true, "");
    assert_true(run.finished && !run.complete);
    assert_string_equal(worded(), "every memory access that is not atomic (--points sync)");
}

static void an_unfinished_search_says_it_too(void **state) {
    (void)state;
    c->summary.end = RD_END_BUDGET;
    c->summary.claim.complete = 0;
    c->summary.claim.proved[0] = 0;
    add(code("helper.c", "", RD_UNSEEN_CODE_PLAIN, false));
    rd_weigh_claim(&run, c, true, "");
    assert_non_null(strstr(print(false), "\nnot seen: memory accesses in helper.c (built without raddle cc)\n"));
    strcpy(c->summary.claim.proved, "few preemptions");
    rd_weigh_claim(&run, c, true, "");
    assert_null(strstr(print(false), "\nnot seen: ")); /* the words come once, in the claim */
    assert_non_null(strstr(printed, "; not seen: memory accesses in helper.c"));
}

static void a_claim_that_is_taken_back(void **state) {
    (void)state;
    strcpy(c->summary.claim.chance, "none failed");
    rd_weigh_claim(&run, c, true, "");
    rd_void_claim(&run, "it did not show again");
    run.findings = 1;
    assert_non_null(strstr(print(false), "\nnothing is proved: it did not show again\n"));
    assert_null(strstr(printed, "\ncomplete"));
    assert_null(strstr(printed, "none failed"));
    assert_null(strstr(print(true), "\"complete\": true"));
    assert_null(strstr(printed, "\"finished\": true"));
    assert_null(strstr(printed, "none failed"));
}

/* "none failed" beside a finding would be read as a statement about all executions. */
static void no_chance_beside_a_bug(void **state) {
    (void)state;
    c->summary.end = RD_END_BUDGET;
    c->summary.claim.complete = 0;
    strcpy(c->summary.claim.chance, "none failed");
    rd_weigh_claim(&run, c, true, "");
    assert_non_null(strstr(print(false), "\nlikely: none failed\n"));
    assert_non_null(strstr(print(true), "none failed"));
    run.findings = 1;
    assert_null(strstr(print(false), "none failed"));
    assert_null(strstr(print(true), "none failed"));
}

static void names_of_compilers(void **state) {
    (void)state;
    static const char *const are[] = {"cc",
                                      "c++",
                                      "gcc",
                                      "g++",
                                      "clang",
                                      "clang++",
                                      "c89",
                                      "c99",
                                      "gcc-12",
                                      "g++-12",
                                      "clang-14",
                                      "clang++-14",
                                      "gcc-12.2.0",
                                      "/usr/bin/cc",
                                      "../bin/clang-14",
                                      "x86_64-linux-gnu-gcc",
                                      "x86_64-linux-gnu-gcc-12",
                                      "aarch64-linux-gnu-g++",
                                      "i686-w64-mingw32-gcc",
                                      "musl-gcc",
                                      "arm-none-eabi-gcc-13",
                                      "c99-gcc",
                                      "/usr/lib/ccache/g++",
                                      "clang-mp-16"};
    static const char *const are_not[] = {"",
                                          "test",
                                          "./my-test",
                                          "mygcc",
                                          "gccx",
                                          "my-gcc",
                                          "test-cc",
                                          "gcc-ar",
                                          "gcc-nm-12",
                                          "ccache",
                                          "x86_64-gcc-test",
                                          "clang-tidy",
                                          "clang-format-14",
                                          "a-c++",
                                          "-gcc",
                                          "gcc-",
                                          "cc1",
                                          "cpp",
                                          "x86_64gcc"};
    for (size_t i = 0; i < RD_COUNT(are); i++)
        if (!rd_compiler_is(are[i]))
            fail_msg("'%s' is a compiler", are[i]);
    for (size_t i = 0; i < RD_COUNT(are_not); i++)
        if (rd_compiler_is(are_not[i]))
            fail_msg("'%s' is no compiler", are_not[i]);
}

static void compilers_behind_launchers(void **state) {
    (void)state;
    char *one[] = {"gcc", "-c", "x.c", NULL}, *two[] = {"/usr/bin/ccache", "gcc-12", NULL},
         *three[] = {"ccache", "depend_mode=true", "distcc", "clang++", "x.cc", NULL},
         *none[] = {"ccache", "-s", NULL}, *prog[] = {"./prog", "gcc", NULL}, *empty[] = {NULL};
    assert_int_equal(rd_compiler_words(one), 1);
    assert_int_equal(rd_compiler_words(two), 2);
    assert_int_equal(rd_compiler_words(three), 4);
    assert_int_equal(rd_compiler_words(none), 0);
    assert_int_equal(rd_compiler_words(prog), 0);
    assert_int_equal(rd_compiler_words(empty), 0);
}

static void instructions(void **state) {
    (void)state;
    static const struct {
        uint8_t bytes[12];
        struct rd_insn is;
    } table[] = {
        {{0xc3}, {.length = 1}},
        {{0x55}, {.length = 1}},
        {{0xe8, 1, 0, 0, 0}, {.length = 5, .call = true}},
        {{0xff, 0xd0}, {.length = 2, .call = true}},                                    /* call *%rax */
        {{0xff, 0x15, 2, 0, 0, 0}, {.length = 6, .call = true}},                        /* call *slot(%rip) */
        {{0xff, 0x25, 2, 0, 0, 0}, {.length = 6}},                                      /* jmp *slot(%rip) */
        {{0x8b, 0x45, 0xfc}, {.length = 3}},                                            /* mov -4(%rbp),%eax */
        {{0x8b, 0x44, 0x24, 8}, {.length = 4}},                                         /* mov 8(%rsp),%eax */
        {{0x8b, 0x07}, {.length = 2, .based = true}},                                   /* mov (%rdi),%eax */
        {{0x41, 0x8b, 0x04, 0x24}, {.length = 4, .based = true}},                       /* mov (%r12),%eax */
        {{0x8b, 0x05, 0x10, 0, 0, 0}, {.length = 6, .at = true, .address = 0x1016}},    /* mov 16(%rip),%eax */
        {{0x83, 0x05, 0x10, 0, 0, 0, 1}, {.length = 7, .at = true, .address = 0x1017}}, /* addl $1,16(%rip) */
        {{0x8b, 0x04, 0x25, 0x40, 0x40, 0x40, 0}, {.length = 7, .at = true, .address = 0x404040}},
        {{0x48, 0x8d, 0x07}, {.length = 3}},                                          /* lea (%rdi),%rax */
        {{0x64, 0x48, 0x8b, 4, 0x25, 0x28, 0, 0, 0}, {.length = 9, .address = 0x28}}, /* mov %fs:0x28,%rax */
        {{0x66, 0x0f, 0x1f, 0x44, 0, 0}, {.length = 6}},                              /* nopw 0(%rax,%rax) */
        {{0xf3, 0x48, 0xab}, {.length = 3, .based = true}},                           /* rep stos */
        {{0xf0, 0x0f, 0xb1, 0x17}, {.length = 4, .based = true}},                     /* lock cmpxchg %edx,(%rdi) */
        {{0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8}, {.length = 10}},                       /* movabs */
        {{0xc5, 0xf9, 0x6f, 0x07}, {.length = 4, .based = true}},                     /* vmovdqa (%rdi),%xmm0 */
    };
    for (size_t i = 0; i < RD_COUNT(table); i++) {
        struct rd_insn got = rd_decoder_x86_64.insn(table[i].bytes, sizeof table[i].bytes, 0x1000),
                       is = table[i].is;
        if (got.length != is.length || got.call != is.call || got.based != is.based || got.at != is.at ||
            (is.at && got.address != is.address))
            fail_msg("%zu: length %u, call %d, based %d, at %d %#llx", i, got.length, got.call, got.based, got.at,
                     (unsigned long long)got.address);
        for (uint32_t room = 0; room < is.length; room++) /* the decoder never reads beyond the code */
            assert_true(rd_decoder_x86_64.insn(table[i].bytes, room, 0x1000).length <= room);
    }
}

static void instructions_of_arm(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        bool call, based;
    } table[] = {
        {0x94000004, true, false},  /* bl */
        {0xd63f0000, true, false},  /* blr x0 */
        {0xd65f03c0, false, false}, /* ret */
        {0xb9400001, false, true},  /* ldr w1, [x0] */
        {0xb90003e1, false, false}, /* str w1, [sp] */
        {0xa9bf7bfd, false, false}, /* stp x29, x30, [sp, #-16]! */
        {0xf94003a0, false, false}, /* ldr x0, [x29] */
        {0x8b010000, false, false}, /* add x0, x0, x1 */
        {0x885ffc01, false, true},  /* ldaxr w1, [x0] */
        {0x58000040, false, false}, /* ldr x0, constant */
    };
    for (size_t i = 0; i < RD_COUNT(table); i++) {
        struct rd_insn got = rd_decoder_aarch64.insn((const uint8_t *)&table[i].word, 4, 0x1000);
        if (got.length != 4 || got.call != table[i].call || got.based != table[i].based)
            fail_msg("%08x: call %d, based %d", table[i].word, got.call, got.based);
    }
    uint32_t back = 0x97ffffff; /* bl to the instruction before */
    struct rd_branch t = rd_decoder_aarch64.branch((const uint8_t *)&back, 4, 0x1000);
    assert_true(t.found && !t.slot && t.address == 0xffc);
    uint32_t entry[] = {0x90000090, 0xf9400e11}; /* adrp x16, +0x10000; ldr x17, [x16, #24] */
    t = rd_decoder_aarch64.plt((const uint8_t *)entry, sizeof entry, 0x1010);
    assert_true(t.found && t.slot && t.address == 0x11018);
}

static void support_code(void **state) {
    (void)state;
    static const char *const is[] = {"_start",      "frame_dummy", "__do_global_dtors_aux", "_ZNSt6thread4joinEv",
                                     "__cxa_throw", "work.cold"};
    for (size_t i = 0; i < RD_COUNT(is); i++)
        assert_true(rd_unhooked_support(is[i], false));
    assert_true(rd_unhooked_support("atexit", true) && rd_unhooked_support("__udivti3", true));
    assert_false(rd_unhooked_support("atexit", false)); /* a function of that name in the program itself */
    assert_false(rd_unhooked_support("main", true) || rd_unhooked_support("bump", false));
    assert_false(rd_unhooked_support("__bump", false));
}

int test_unseen_code(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    static const struct CMUnitTest tests[] = {
        T(names_by_reason),
        T(many_names_are_counted),
        T(the_longest_names_fit),
        T(functions_called),
        T(libraries_of_the_run),
        T(complete_only_when_all_was_seen),
        T(no_code_is_instrumented),
        T(points_at_synchronisation_only),
        T(an_unfinished_search_says_it_too),
        T(a_claim_that_is_taken_back),
        T(no_chance_beside_a_bug),
        T(names_of_compilers),
        T(compilers_behind_launchers),
        T(instructions),
        T(instructions_of_arm),
        T(support_code),
    };
    return cmocka_run_group_tests_name("blind", tests, NULL, NULL);
}
