/*
 * test_sync_rules.c - rules for foreign functions: the meaning of a line, and the messages for lines that are
 * wrong. And the races that unseen code may rule out, for which such rules are written.
 */
#include "unit.h"

#include "detect/detect.h"
#include "trace/place.h"
#include "foreign/sync_rules.h"

#include <errno.h>
#include <string.h>

static struct rd_sync_rule parsed(const char *line) {
    struct rd_sync_rule r;
    struct rd_error error;
    if (!rd_sync_rule_parse(line, &r, &error))
        fail_msg("'%s': %s", line, error);
    return r;
}

static void a_line_is_a_rule(void **state) {
    (void)state;
    struct rd_sync_rule r = parsed("mutex.trylock\tg_mutex_trylock  1 recursive fail=-1 errno=EBUSY");
    assert_int_equal(r.kind, RD_SYNC_MUTEX_TRYLOCK);
    assert_string_equal(r.function, "g_mutex_trylock");
    assert_int_equal(r.at[0].argument, 1);
    assert_true(r.recursive && r.fail.is && !r.fail.boolean && r.fail.number == -1 && r.error == EBUSY);
    r = parsed("cond.timedwait w *2 9 until=3:us-realtime fail=false lock=l unlock=u");
    assert_true(r.at[0].there && r.at[0].argument == 2 && !r.at[1].there && r.at[1].argument == 9);
    assert_true(r.until && r.realtime && r.time_at == 3 && r.time_unit == RD_SYNC_US);
    assert_true(r.fail.boolean && r.fail.number == 0 && r.ok.number == 1);
    assert_string_equal(r.lock, "l");
    assert_string_equal(r.unlock, "u");
    r = parsed("cond.timedwait w 0 1 for=2:timespec fail=0x6e");
    assert_true(!r.until && r.time_unit == RD_SYNC_TIMESPEC && r.fail.number == 110 && r.ok.number == 0);
    r = parsed("sem.init s ret 0");
    assert_true(r.at[0].result && !r.at[1].result);
    r = parsed("atomic.rmw a 0 8");
    assert_int_equal(r.size, 8);
    r = parsed("touches sum r1:4*#2\tstate:w");
    assert_string_equal(r.memory, "r1:4*#2 state:w");
}

static void wrong_rules_have_messages(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"", "unknown kind of rule ''"},
        {"mutex", "unknown kind of rule 'mutex'"},
        {"mutex.lock", "no function after 'mutex.lock'"},
        {"mutex.lock f", "no argument is named: which one is the object? (the first is 0)"},
        {"mutex.lock f -1", "'-1' is no number of an argument (from 0 to 9)"},
        {"mutex.lock f 0 fail=1", "'fail=1' means nothing here"},
        {"mutex.trylock f 0", "mutex.trylock needs fail=VALUE: what the function returns when it gives up"},
        {"sem.timedwait f 0 fail=1 for=1:us-realtime",
         "'us-realtime' is no unit of time (ns, us, ms, s or timespec; of until= also with -realtime)"},
        {"sem.trywait f 0 fail=1 errno=x", "'x' is no value of errno"},
        {"rwlock.read f ret", "'ret' is only for rules that end in .init"},
        {"touches f r1:#2 q", "'q' is no memory rule (such as r1:#2; arguments count from 1 in these)"},
        {"seen f 0", "'0' means nothing here"},
    };
    for (unsigned i = 0; i < RD_COUNT(bad); i++) {
        struct rd_sync_rule r;
        struct rd_error error;
        assert_false(rd_sync_rule_parse(bad[i][0], &r, &error));
        assert_string_equal(error.text, bad[i][1]);
    }
}

static void lines_and_libraries(void **state) {
    (void)state;
    char text[] = "  pure f\t# it is\n", hash[] = "#x", inside[] = "pure f#x", name[RD_SYNC_NAME],
         line[RD_SYNC_LINE];
    assert_string_equal(rd_sync_rule_trim(text), "pure f");
    assert_string_equal(rd_sync_rule_trim(hash), "");
    assert_string_equal(rd_sync_rule_trim(inside), "pure f#x");
    assert_true(rd_sync_rule_library("library libx.so", name));
    assert_string_equal(name, "libx.so");
    assert_true(rd_sync_rule_library("library a b", name) && !name[0]);
    assert_false(rd_sync_rule_library("libraries x", name));
    assert_true(rd_sync_rule_fits("libx.so", "/lib/libx.so.1.2"));
    assert_false(rd_sync_rule_fits("libx.so", "/libx.so/liby.so"));
    assert_true(rd_sync_rule_fits("*", ""));
    const char *at = rd_sync_rule_next("a\nb", line);
    assert_string_equal(line, "a");
    at = rd_sync_rule_next(at, line);
    assert_string_equal(line, "b");
    assert_null(rd_sync_rule_next(at, line));
}

/* ---- unreliable races ---- */

enum { PROGRAM = 0, LIBRARY = 1, X = 0x4000, FUNCTION = 0x100 };
#define AT(module, offset) rd_place_make(RD_PLACE_MODULE + (module), (offset))

static bool none_known(const void *ctx, uint64_t key) {
    (void)ctx;
    (void)key;
    return false;
}

/*
 * The status of the first race; -1: there is none. A capital letter is a step of thread 1, a small letter one of
 * thread 2.
 */
static int status_of(const char *steps) {
    static char memory[1 << 20];
    struct rd_step list[16];
    struct rd_outcome out = {.threads = 3};
    struct rd_arena arena;
    for (; *steps; steps++) {
        rd_tid tid = *steps >= 'a' ? 2 : 1;
        struct rd_step *s = &list[out.steps];
        *s = (struct rd_step){.tid = tid, .pc = AT(PROGRAM, 0x10 + out.steps * 4)};
        switch (*steps | 32) {
        case 'w':
            s->op = RD_OP_WRITE;
            s->place = AT(PROGRAM, X);
            s->size = 4;
            break;
        case 'o': /* a call of an opaque function */
            s->op = RD_OP_CALL;
            s->order = RD_ACCESS_WIDE;
            s->place = AT(LIBRARY, FUNCTION);
            break;
        case 'k': /* a call of a known function */
            s->op = RD_OP_CALL;
            s->place = AT(LIBRARY, FUNCTION);
            break;
        default: /* a yield in the library */
            s->op = RD_OP_YIELD;
            s->pc = AT(LIBRARY, 0x20 + out.steps * 4);
        }
        out.steps++;
    }
    struct rd_record record = {.out = &out, .steps = list};
    struct rd_known known = {.has = none_known};
    struct rd_finding f;
    rd_arena_init(&arena, memory, sizeof memory);
    return rd_detect_race(&arena, &record, &known, &f) ? f.status : -1;
}

static void unseen_code_may_order_two_accesses(void **state) {
    (void)state;
    assert_int_equal(status_of("Ww"), 0);
    assert_int_equal(status_of("WOow"), RD_RACE_UNRELIABLE);
    assert_int_equal(status_of("WKkw"), 0); /* a known function does not synchronise */
    assert_int_equal(status_of("WOw"), 0);  /* only one thread made a call */
    assert_int_equal(status_of("Wow"), 0);
    assert_int_equal(status_of("OWow"), 0); /* thread 1 calls before its access */
    assert_int_equal(status_of("WOwo"), 0); /* thread 2 calls after its access */
    /* an opaque call lasts until the next step of its thread */
    assert_int_equal(status_of("WoOw"), RD_RACE_UNRELIABLE);
    assert_int_equal(status_of("WoyOyw"), RD_RACE_UNRELIABLE); /* … that is not in the library */
    assert_int_equal(status_of("WokOw"), 0); /* thread 2's call is over before thread 1's begins */
}

int test_sync_rules(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_a_rule),
        cmocka_unit_test(wrong_rules_have_messages),
        cmocka_unit_test(lines_and_libraries),
        cmocka_unit_test(unseen_code_may_order_two_accesses),
    };
    return cmocka_run_group_tests_name("sync rules", tests, NULL, NULL);
}
