/*
 * test_schedule.c - tests of the schedule file: a written file reads back unchanged, equal contents give equal
 * bytes, and any other file gives a message and never a crash.
 */
#include "unit.h"

#include "base/rng.h"
#include "trace/place.h"
#include "file/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int test_schedule(void);

static char dir[64], file[96], file2[96];

static int set_up(void **state) {
    (void)state;
    /* In memory where that is possible: the tests write thousands of small files. */
    snprintf(dir, sizeof dir, "%s/raddle-unit-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/a.sched", dir);
    snprintf(file2, sizeof file2, "%s/b.sched", dir);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(file);
    unlink(file2);
    return rmdir(dir);
}

#define M(n, offset) rd_place_make(RD_PLACE_MODULE + (n), offset)
#define HEAP(t, offset) rd_place_make(RD_PLACE_HEAP + (t), offset)
#define STACK(t, offset) rd_place_make(RD_PLACE_STACK + (t), offset)
#define OTHER(address) rd_place_make(RD_PLACE_OTHER, address)

static struct rd_module modules[4];
static struct rd_thread_info threads[3];
static struct rd_step steps[7];
static struct rd_track track[3];
static rd_place step_stacks[7][RD_STEP_STACK], stacks[3][RD_STACK_MAX];
static char *args[] = {"./bank", "a \"b\"\\\n\t\001\377", ""};

static void sample_steps(void) {
    memset(steps, 0, sizeof steps);
    memset(step_stacks, 0, sizeof step_stacks);
    steps[0] = (struct rd_step){.op = RD_OP_CREATE, .pc = M(0, 0x1000), .value = 1, .ncand = 1, .fp = 0xdeadbeef};
    steps[1] = (struct rd_step){
        .op = RD_OP_START, .tid = 1, .pc = M(0, 0x2000), .ncand = 2, .fp = 1, .flags = RD_STEP_SWITCH};
    steps[2] = (struct rd_step){.op = RD_OP_READ,
                                .tid = 1,
                                .place = HEAP(1, 0x40),
                                .pc = M(2, 0x10),
                                .size = 8,
                                .value = UINT64_MAX,
                                .flags = RD_STEP_HAS_VALUE,
                                .ncand = 2,
                                .fp = 2};
    steps[3] = (struct rd_step){.op = RD_OP_COND_WAIT,
                                .tid = 1,
                                .place = OTHER(0x7fff12345678),
                                .pc = M(0, 0x2010),
                                .value = STACK(0, 0x80),
                                .flags = RD_STEP_VALUE2,
                                .ncand = 2,
                                .fp = 3};
    steps[4] = (struct rd_step){.op = RD_OP_COND_SIGNAL,
                                .place = OTHER(0x7fff12345678),
                                .pc = OTHER(0x1234),
                                .ncand = 1,
                                .fp = 4,
                                .flags = RD_STEP_SWITCH | RD_STEP_PREEMPTION | RD_STEP_FORCED,
                                .result = 22};
    steps[5] = (struct rd_step){.op = RD_OP_WAITER, .place = OTHER(0x7fff12345678), .ncand = 2, .fp = 5};
    steps[6] = (struct rd_step){
        .op = RD_OP_ATOMIC_LOAD, .place = M(0, 0xfffffffffffe), .order = 2, .size = 4, .ncand = 1, .fp = 6};
    step_stacks[1][0] = step_stacks[2][0] = M(0, 0x2000);
    step_stacks[2][1] = M(2, 0x99);
    step_stacks[6][0] = M(0, 0x2000);
}

static void sample_why(struct rd_why *w) {
    *w = (struct rd_why){1, 1, 9, 8, 77, 0, 1, .critical = 5, .tried = 3, .all = 1, .first = 5, .before = 3};
    w->second_tid = 2, w->ordered = 6, w->ordered_known = 1;
    w->second_op = RD_OP_MUTEX_LOCK;
    w->second_place = HEAP(1, 0x88);
    w->second_pc = M(2, 0x44);
}

static struct rd_schedule sample(void) {
    memset(modules, 0, sizeof modules);
    memset(threads, 0, sizeof threads);
    memset(stacks, 0, sizeof stacks);
    strcpy(modules[0].path, "/srv/me/bank");
    modules[0].build_id_size = 2;
    memcpy(modules[0].build_id, "\xab\x01", 2);
    strcpy(modules[1].path, "/lib/libc.so.6");
    strcpy(modules[2].path, "/srv/me/lib \"x\".so");
    sample_steps();
    for (int i = 0; i < 3; i++)
        threads[i].holder = RD_TID_NONE;
    threads[0].parent = RD_TID_NONE;
    threads[1] =
        (struct rd_thread_info){.ordinal = 1, .state = RD_T_FINISHED, .holder = RD_TID_NONE, .name = "teller 1"};
    threads[2] = (struct rd_thread_info){.parent = 1,
                                         .ordinal = 3,
                                         .state = RD_T_READY,
                                         .holder = 0,
                                         .held_step = 4,
                                         .held_pc = M(0, 0x77),
                                         .frames = 2};
    threads[2].pending = (struct rd_op){.kind = RD_OP_COND_WAKE,
                                        .place = M(0, 0x4000),
                                        .place2 = M(0, 0x4040),
                                        .pc = M(0, 0x55),
                                        .size = 3,
                                        .arg = 9};
    stacks[2][0] = M(0, 0x55);
    stacks[2][1] = M(0, 0x66);
    track[0] = (struct rd_track){.first = M(0, 0x4000), .last = M(0, 0x4003)};
    track[1] = (struct rd_track){.first = HEAP(1, 0x40), .last = HEAP(1, 0x40)};
    track[2] = (struct rd_track){.first = STACK(2, 0x18), .last = STACK(2, 0x20)};
    struct rd_schedule s = {.program = "/srv/me/bank",
                            .cwd = "/srv/me",
                            .args = args,
                            .arg_count = 3,
                            .build_id = {0xab, 0xcd},
                            .build_id_size = 2,
                            .points = RD_POINTS_ALL,
                            .seed = UINT64_MAX,
                            .expect_status = -3,
                            .spurious = 1,
                            .signal_fifo = 1,
                            .access_points = RD_ACCESSES_SELECTIVE,
                            .track = track,
                            .track_count = 3,
                            .steps_max = 20000,
                            .fair_after = 100,
                            .yields = 2,
                            .heap = RD_HEAP_KNOWN,
                            .separate = 1,
                            .modules = modules,
                            .module_count = 4,
                            .threads = threads,
                            .thread_count = 3,
                            .steps = steps,
                            .step_count = 7,
                            .step_stacks = step_stacks,
                            .stacks = stacks};
    s.finding = (struct rd_finding){.kind = RD_CRASH,
                                    .tid = 2,
                                    .signal = 11,
                                    .fault_addr = 0x18,
                                    .pc = M(0, 0x55),
                                    .key = 7,
                                    .line = 12,
                                    .file = "a.c",
                                    .function = "f",
                                    .message = "it \"broke\"\n"};
    sample_why(&s.why);
    return s;
}

static void write_sample(const char *path) {
    struct rd_error error;
    struct rd_schedule s = sample();
    assert_int_equal(rd_schedule_write(&s, path, &error), 0);
}

static char *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static void spill(const char *path, const char *bytes, size_t size) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(bytes, 1, size, f);
    fclose(f);
}

static void round_trip(void **state) {
    (void)state;
    struct rd_error error;
    write_sample(file);
    struct rd_schedule w = sample(), s;
    assert_int_equal(rd_schedule_read(&s, file, &error), 0);
    assert_string_equal(s.program, w.program);
    assert_string_equal(s.cwd, w.cwd);
    assert_int_equal(s.arg_count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(s.args[i], args[i]);
    assert_int_equal(s.build_id_size, 2);
    assert_memory_equal(s.build_id, w.build_id, 2);
    assert_true(s.points == RD_POINTS_ALL && s.separate == 1);
    assert_true(s.seed == UINT64_MAX && s.expect_status == -3 && s.spurious == 1 && s.signal_fifo == 1);
    assert_true(s.steps_max == 20000 && s.fair_after == 100 && s.yields == 2 && s.heap == RD_HEAP_KNOWN);
    assert_int_equal(s.module_count, 3);
    assert_string_equal(s.modules[2].path, modules[2].path);
    assert_string_equal(s.modules[1].path, ""); /* no place refers to this module */
    assert_true(s.finding.kind == RD_CRASH && s.finding.tid == 2 && s.finding.signal == 11 &&
                s.finding.fault_addr == 0x18);
    assert_true(s.finding.pc == M(0, 0x55) && s.finding.key == 7 && s.finding.line == 12);
    assert_string_equal(s.finding.message, w.finding.message);
    assert_memory_equal(&s.why, &w.why, sizeof s.why);
    assert_int_equal(s.thread_count, 3);
    assert_true(s.threads[2].parent == 1 && s.threads[2].ordinal == 3 && s.threads[2].holder == 0);
    assert_true(s.threads[2].held_step == 4 && s.threads[2].held_pc == M(0, 0x77) && s.threads[2].pending.arg == 9);
    assert_true(s.threads[2].state == RD_T_READY && !s.threads[2].enabled && s.threads[1].state == RD_T_FINISHED);
    assert_true(s.threads[2].frames == 2 && s.stacks[2][1] == M(0, 0x66));
    assert_string_equal(s.threads[1].name, "teller 1");
    assert_int_equal(s.step_count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        struct rd_step a = s.steps[i], b = steps[i];
        if (rd_place_region(b.place) == RD_PLACE_OTHER) /* such places are numbered in the file */
            a.place = b.place = 0;
        if (rd_place_region(b.pc) == RD_PLACE_OTHER)
            a.pc = b.pc = 0;
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(s.step_stacks[i], step_stacks[i], sizeof step_stacks[i]);
    }
    rd_schedule_free(&s);
}

/* A schedule that was read is written as the same bytes, wherever its unknown addresses were. */
static void same_bytes(void **state) {
    (void)state;
    struct rd_error error;
    struct rd_schedule s;
    size_t n1, n2;
    write_sample(file);
    assert_int_equal(rd_schedule_read(&s, file, &error), 0);
    assert_true(s.steps[3].place == s.steps[4].place && s.steps[4].place != s.steps[4].pc);
    assert_int_equal(rd_schedule_write(&s, file2, &error), 0);
    rd_schedule_free(&s);
    char *a = slurp(file, &n1), *b = slurp(file2, &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(a, b, n1);
    struct rd_schedule moved = sample();
    for (uint32_t i = 0; i < 7; i++) {
        if (rd_place_region(steps[i].place) == RD_PLACE_OTHER)
            steps[i].place += 0x5000;
        if (rd_place_region(steps[i].pc) == RD_PLACE_OTHER)
            steps[i].pc += 0x123000;
    }
    assert_int_equal(rd_schedule_write(&moved, file2, &error), 0);
    free(b);
    b = slurp(file2, &n2);
    assert_int_equal(n1, n2);
    assert_memory_equal(a, b, n1);
    free(a);
    free(b);
}

static void places_as_text(void **state) {
    (void)state;
    const struct {
        rd_place place;
        const char *text;
    } cases[] = {{0, "-"},
                 {M(0, 0x1234), "m0+0x1234"},
                 {M(255, 0), "m255+0x0"},
                 {HEAP(2, 0x40), "heap2+0x40"},
                 {STACK(1023, 0xffffffffffff), "stack1023-0xffffffffffff"},
                 {rd_place_make(RD_PLACE_IO + RD_IO_PIPE, 0x200003), "io1+0x200003"},
                 {OTHER(3), "other3"}};
    static const char *const bad[] = {"",
                                      "m",
                                      "m0",
                                      "m0+",
                                      "m0+0x",
                                      "m0+1234",
                                      "m256+0x1",
                                      "m-1+0x1",
                                      "m0+0x1g",
                                      "m0-0x1",
                                      "heap1-0x1",
                                      "stack1+0x1",
                                      "heap1024+0x0",
                                      "m0+0x1000000000000",
                                      "io99+0x1",
                                      "io1-0x1",
                                      "other",
                                      "other-1",
                                      "other999999999999999",
                                      "m99999999999999999999+0x1",
                                      " m0+0x1",
                                      "m0+0xAB",
                                      "place"};
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        char text[RD_PLACE_TEXT];
        rd_place p = 1;
        rd_place_text(cases[i].place, text);
        assert_string_equal(text, cases[i].text);
        assert_true(rd_place_parse(text, &p) && p == cases[i].place);
    }
    for (size_t i = 0; i < RD_COUNT(bad); i++) {
        rd_place p;
        if (rd_place_parse(bad[i], &p)) {
            print_error("'%s' was read as a place\n", bad[i]);
            fail();
        }
    }
}

/* Puts the correct checksum on an edited file. */
static size_t seal(char *bytes, size_t size, unsigned step_count) {
    char *end = strstr(bytes, "\nend ");
    size_t n = end ? (size_t)(end + 1 - bytes) : size;
    uint64_t sum = rd_schedule_checksum(RD_CHECKSUM_START, bytes, n);
    return n + (size_t)sprintf(bytes + n, "end %u %016llx\n", step_count, (unsigned long long)sum);
}

static void expect_error(const char *what, const char *part) {
    struct rd_schedule s;
    struct rd_error error;
    int r = rd_schedule_read(&s, file2, &error);
    if (r != -1 || !strstr(error.text, part) || strchr(error.text, '\n')) {
        print_error("%s: result %d, message \"%s\", expected \"%s\"\n", what, r, error.text, part);
        fail();
    }
}

/* Replaces one text by another in a good file; the message must contain `part`. */
static void edits_are_found(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *part;
    } cases[] = {
        {"raddle-schedule 3", "raddle-schedule 1", "has version 1 of the format; this raddle reads"},
        {"raddle-schedule 3", "hello", "is not a raddle schedule"},
        {"raddle-schedule 3", "raddle-schedule x", "is not a raddle schedule"},
        {"program \"/srv/me/bank\"\n", "", "line 2: expected 'program', found 'build-id'"},
        {"build-id abcd", "build-id abc", "line 3: bad build-id 'abc'"},
        {"build-id abcd", "build-id abcdx", "line 3: bad build-id"},
        {"cwd \"/srv/me\"", "cwd /srv/me", "line 4: expected a quoted string"},
        {"cwd \"/srv/me\"", "cwd \"/srv/me", "line 4: expected a quoted string"},
        {"cwd \"/srv/me\"", "cwd \"\\000\"", "line 4: expected a quoted string"},
        {"cwd \"/srv/me\"", "cwd \"\\x41\"", "line 4: expected a quoted string"},
        {"cwd \"/srv/me\"", "cwd \"a\" b", "line 4: unexpected 'b'"},
        {"points all", "points some", "bad points 'some'"},
        {"seed 18446744073709551615", "seed 18446744073709551616", "bad seed"},
        {"seed 18446744073709551615", "seed -1", "bad seed '-1'"},
        {"seed 18446744073709551615", "seed", "bad seed ''"},
        {"expect-status -3", "expect-status 99999999999", "bad expect-status"},
        {"yields 2 heap 2", "yields 2 heap 3", "bad heap '3'"},
        {"module 2", "module 0", "module 0 is out of order"},
        {"module 2", "module 256", "bad module '256'"},
        {"finding crash", "finding crush", "unknown kind of finding 'crush'"},
        {"finding-at thread 2", "finding-at thread 3", "its finding is in thread 3 of 3"},
        {"finding-at thread 2", "finding-at thread 70000", "bad thread '70000'"},
        {"fault 0x18", "fault 18", "bad fault"},
        {"thread 2 parent 1", "thread 2 parent 2", "parent 2 is not one of the file's 2 threads"},
        {"thread 2 parent 1", "thread 3 parent 1", "thread 3 is out of order"},
        {"thread 2 parent 1 child 3", "thread 2 parent 0 child 1", "thread 2 is the same as thread 1"},
        {"name \"teller 1\"", "name \"a name that is too long\"", "a string is too long"},
        {"stack 1 ", "stack 2 ", "stack 2 is out of order"},
        {"step 2 1 start", "step 2 3 start", "thread 3 is not one of the file's 3 threads"},
        {"step 2 1 start", "step 2 1 begin", "unknown operation 'begin'"},
        {"step 2 1 start", "step 2 1 none", "a step without an operation"},
        {"step 2 1 start", "step 3 1 start", "step 3 where step 2 was expected"},
        {"m2+0x10 ", "m3+0x10 ", "is in a module that the file does not name"},
        {"m2+0x10 ", "m1+0x10 ", "is in a module that the file does not name"},
        {"heap1+0x40", "heap1-0x40", "bad place 'heap1-0x40'"},
        {"=0xffffffffffffffff", "=0xfffffffffffffffff", "bad value"},
        {"=0xffffffffffffffff", "?", "bad value '?'"},
        {"#0 0 2", "#2 0 2", "choice 2 of 2"},
        {" spf 0", " spq 0", "bad flags 'spq'"},
        {" spf 0", " spf", "bad stack"},
        {" spf 0", " spf 99", "bad stack '99'"},
        {"pending 2 blocked", "pending 2 sleeping", "bad state 'sleeping'"},
        {"pending 2 blocked wake", "pending 2 blocked wakes", "unknown operation 'wakes'"},
        {" 9 0 4 ", " 9 0 8 ", "step 8 is not in the file"},
        {" 9 0 4 ", " 9 9 4 ", "holder 9 is not one of"},
    };
    size_t size;
    write_sample(file);
    char *good = slurp(file, &size), *bad = malloc(size + 4096);
    good[size] = 0;
    for (size_t i = 0; i < RD_COUNT(cases); i++) {
        char *at = strstr(good, cases[i].from);
        if (!at)
            print_error("'%s' is not in the file\n", cases[i].from);
        assert_non_null(at);
        size_t n = (size_t)(at - good);
        memcpy(bad, good, n);
        strcpy(stpcpy(bad + n, cases[i].to), at + strlen(cases[i].from));
        spill(file2, bad, seal(bad, strlen(bad), 7));
        expect_error(cases[i].to, cases[i].part);
    }
    free(good);
    free(bad);
}

static void broken_files(void **state) {
    (void)state;
    size_t size;
    struct rd_schedule s;
    struct rd_error error;
    write_sample(file);
    char *bytes = slurp(file, &size);
    spill(file2, bytes, 0);
    expect_error("empty", "is empty");
    spill(file2, bytes, size - 1);
    expect_error("no newline", "is truncated: it has no end line");
    spill(file2, bytes, size / 2);
    expect_error("half", "is truncated: it has no end line");
    bytes[size] = 'x';
    bytes[size + 1] = '\n';
    spill(file2, bytes, size + 2);
    expect_error("more", "is truncated: it has no end line");
    char *line = strstr(bytes, "seed");
    line[5] ^= 1; /* another digit: only the checksum reveals it */
    spill(file2, bytes, size);
    expect_error("changed", "is damaged: its checksum does not match");
    line[5] = 0;
    spill(file2, bytes, size);
    expect_error("NUL", "line 9: byte 0x00 is not text");
    memset(bytes, 0xff, 64);
    spill(file2, bytes, size);
    expect_error("garbage", "is not a raddle schedule");
    free(bytes);
    assert_int_equal(rd_schedule_read(&s, dir, &error), -1);
    assert_non_null(strstr(error.text, "Is a directory"));
    assert_int_equal(rd_schedule_read(&s, "/dev/null", &error), -1);
    assert_non_null(strstr(error.text, "it is not a regular file"));
    assert_int_equal(rd_schedule_read(&s, "/nonexistent/x.sched", &error), -1);
    assert_string_equal(error.text, "cannot open '/nonexistent/x.sched': No such file or directory");
    s = sample();
    assert_int_equal(rd_schedule_write(&s, "/nonexistent/x.sched", &error), -1);
    assert_string_equal(error.text, "cannot create '/nonexistent/x.sched': No such file or directory");
}

/* The reader believes a count in a file only as far as the file continues. */
static void counts_are_not_believed(void **state) {
    (void)state;
    size_t size;
    write_sample(file);
    char *bytes = slurp(file, &size);
    bytes[size] = 0;
    char *end = strstr(bytes, "\nend ") + 1;
    uint64_t sum = rd_schedule_checksum(RD_CHECKSUM_START, bytes, (size_t)(end - bytes));
    int n = sprintf(end, "end 4000000000 %016llx\n", (unsigned long long)sum);
    spill(file2, bytes, (size_t)(end - bytes) + (size_t)n);
    expect_error("count", "is damaged: it has 7 steps, its end line says 4000000000");
    free(bytes);
}

/* Random damage, half of it with a correct checksum, so that the parser sees it: an error or a good read. */
static void damage_is_survived(void **state) {
    (void)state;
    size_t size;
    struct rd_rng rng;
    rd_rng_seed(&rng, 1);
    write_sample(file);
    char *good = slurp(file, &size), *bad = malloc(size + 4096);
    for (int round = 0; round < 1500; round++) {
        memcpy(bad, good, size);
        bad[size] = 0;
        for (uint32_t k = rd_rng_below(&rng, 4); k > 0; k--)
            bad[rd_rng_below(&rng, (uint32_t)size)] ^= (char)(1 << rd_rng_below(&rng, 8));
        if (round % 3 == 0) /* moves words of the file to the wrong place */
            memmove(bad + rd_rng_below(&rng, (uint32_t)size - 40), good + rd_rng_below(&rng, (uint32_t)size - 40),
                    rd_rng_below(&rng, 40));
        size_t n = round % 2 ? seal(bad, size, 7) : rd_rng_below(&rng, (uint32_t)size + 1);
        spill(file2, bad, n);
        struct rd_schedule s;
        struct rd_error error;
        if (rd_schedule_read(&s, file2, &error) == 0)
            rd_schedule_free(&s);
        else
            assert_true(error.text[0] != 0 && strchr(error.text, '\n') == NULL);
    }
    free(good);
    free(bad);
}

int test_schedule(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_bytes, set_up, tear_down),
        cmocka_unit_test(places_as_text),
        cmocka_unit_test_setup_teardown(edits_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(broken_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_are_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_survived, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("schedule file", tests, NULL, NULL);
}
