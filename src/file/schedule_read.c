/*
 * schedule_read.c - reads a schedule file that anyone may have written: truncated by a full disk, edited, of
 * another version, or not a schedule at all. All contents are checked; a wrong one is an error, never a failed
 * RD_CHECK.
 *
 * First the whole file is checked to be printable lines with an end line. Then its lines are parsed in the one
 * order in which the writer puts them. Counts in the file are not trusted: arrays grow with the lines that are
 * there. The checksum is compared last, so damage that shows in a line is reported with the number of that line.
 */
#include "trace/place.h"
#include "file/schedule_read.h"
#include "foreign/sync_rules.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 1 << 20 };

/* The first line must name the format and its version, every byte must be text, the last line must be the end line.
 */
static void check_shape(struct rd_lines *in) {
    static const char magic[] = "raddle-schedule ";
    size_t last = 0; /* start of the last line that ends */
    uint32_t line = 1;
    if (in->size == 0)
        rd_lines_fail(in, 0, "is empty");
    else if (strncmp(in->bytes, magic, sizeof magic - 1) != 0 ||
             !isdigit((unsigned char)in->bytes[sizeof magic - 1]))
        rd_lines_fail(in, 0, "is not a raddle schedule");
    unsigned long version = in->failed ? 0 : strtoul(in->bytes + sizeof magic - 1, NULL, 10);
    if (version < RD_SCHEDULE_OLDEST || version > RD_SCHEDULE_VERSION) /* the rest of the file may have any form */
        rd_lines_fail(in, 0, "has version %lu of the format; this raddle reads versions %d to %d", version,
                      RD_SCHEDULE_OLDEST, RD_SCHEDULE_VERSION);
    for (size_t i = 0, start = 0; i < in->size && !in->failed; i++) {
        unsigned char c = (unsigned char)in->bytes[i];
        if (c == '\n') {
            last = start;
            start = i + 1;
            line++;
        } else if (c < 0x20 || c > 0x7e) {
            rd_lines_fail(in, line, "byte 0x%02x is not text: the file is damaged", c);
        }
    }
    if (!in->failed && (in->bytes[in->size - 1] != '\n' || strncmp(in->bytes + last, "end ", 4) != 0))
        rd_lines_fail(in, 0, "is truncated: it has no end line");
}

rd_place rd_parse_place_text(struct rd_lines *in, const struct rd_schedule *s, const char *text, const char *what) {
    rd_place p = 0;
    if (in->failed)
        return 0;
    if (!rd_place_parse(text, &p))
        rd_lines_fail(in, in->line, "bad %s '%s'", what, text);
    int m = rd_place_module(p);
    if (m >= 0 && ((uint32_t)m >= s->module_count || s->modules[m].path[0] == 0))
        rd_lines_fail(in, in->line, "%s '%s' is in a module that the file does not name", what, text);
    return p;
}

rd_place rd_parse_place(struct rd_lines *in, const struct rd_schedule *s, const char *what) {
    return rd_parse_place_text(in, s, rd_lines_word(in), what);
}

rd_tid rd_parse_thread(struct rd_lines *in, const struct rd_schedule *s, const char *what, bool none) {
    const char *text = rd_lines_word(in);
    if (in->failed || (none && strcmp(text, "-") == 0))
        return RD_TID_NONE;
    uint64_t v = rd_lines_parse(in, text, what, 10, UINT64_MAX);
    if (!in->failed && v >= s->thread_count)
        rd_lines_fail(in, in->line, "%s %" PRIu64 " is not one of the file's %u threads", what, v, s->thread_count);
    return (rd_tid)v;
}

/* Takes a build-id; returns its length in bytes, 0 for "-". */
static uint8_t build_id(struct rd_lines *in, uint8_t to[20]) {
    const char *text = rd_lines_word(in);
    size_t n = strlen(text);
    if (in->failed || strcmp(text, "-") == 0)
        return 0;
    if (n == 0 || n % 2 || n > 40 || strspn(text, "0123456789abcdef") != n) {
        rd_lines_fail(in, in->line, "bad build-id '%s'", text);
        return 0;
    }
    for (size_t i = 0; i < n / 2; i++) {
        char two[3] = {text[2 * i], text[2 * i + 1], 0};
        to[i] = (uint8_t)strtoul(two, NULL, 16);
    }
    return (uint8_t)(n / 2);
}

void *rd_parse_grow(struct rd_lines *in, void *array, uint32_t count, size_t item) {
    if (in->failed || (count & (count - 1)) != 0)
        return array;
    void *bigger = realloc(array, (count ? (size_t)count * 2 : 1) * item);
    if (!bigger)
        rd_lines_fail(in, 0, "does not fit into memory");
    return bigger ? bigger : array;
}

static char *line_quoted(struct rd_lines *in, const char *name) {
    rd_lines_expect_line(in, name);
    char *text = rd_lines_quoted(in);
    rd_lines_end(in);
    return text;
}

static void line_quoted_into(struct rd_lines *in, const char *name, char *to, size_t room) {
    rd_lines_expect_line(in, name);
    rd_lines_quoted_into(in, to, room);
    rd_lines_end(in);
}

static uint64_t line_number(struct rd_lines *in, const char *name, uint64_t max) {
    rd_lines_expect_line(in, name);
    uint64_t v = rd_lines_number(in, name, max);
    rd_lines_end(in);
    return v;
}

/* Reads the lines of arguments and makes the line after them current. */
static void read_args(struct rd_lines *in, struct rd_schedule *s) {
    while (rd_lines_next(in) && rd_lines_is(in, "arg")) {
        if (s->arg_count == ARGS_MAX)
            rd_lines_fail(in, in->line, "too many arguments");
        s->args = rd_parse_grow(in, s->args, s->arg_count, sizeof *s->args);
        char *text = rd_lines_quoted(in);
        if (text && !in->failed)
            s->args[s->arg_count++] = text;
        rd_lines_end(in);
    }
}

/* Reads the lines of rules, from the current one on, and makes the line after them current. */
static void read_rules(struct rd_lines *in, struct rd_schedule *s) {
    size_t used = 0;
    for (; !in->failed && rd_lines_is(in, "rule"); rd_lines_next(in)) {
        struct rd_sync_rule rule;
        struct rd_error wrong;
        char library[RD_SYNC_NAME], *text = rd_lines_quoted(in);
        size_t n = text ? strlen(text) : 0;
        rd_lines_end(in);
        if (in->failed || !text || n >= RD_SYNC_LINE || strchr(text, '\n')) {
            rd_lines_fail(in, in->line, "bad rule");
        } else if (!rd_sync_rule_library(text, library) && !rd_sync_rule_parse(text, &rule, &wrong)) {
            rd_lines_fail(in, in->line, "bad rule: %s", wrong.text);
        } else {
            char *more = realloc(s->rules, used + n + 2);
            if (more) {
                s->rules = more;
                memcpy(more + used, text, n);
                memcpy(more + used + n, "\n", 2);
                used += n + 1;
            } else {
                rd_lines_fail(in, 0, "does not fit into memory");
            }
        }
        free(text);
    }
}

static void read_points(struct rd_lines *in, struct rd_schedule *s) {
    static const char *const names[] = {"auto", "sync", "all", "shared", "raced"};
    rd_lines_expect(in, "points");
    const char *text = rd_lines_word(in);
    while (s->points < RD_COUNT(names) && strcmp(text, names[s->points]) != 0)
        s->points++;
    if (s->points == RD_COUNT(names))
        rd_lines_fail(in, in->line, "bad points '%s'", text);
    if (!in->failed && rd_schedule_lists_points(s))
        s->patience = rd_lines_number(in, "patience", UINT64_MAX);
    if (!in->failed && rd_schedule_lists_points(s) && !s->patience)
        rd_lines_fail(in, in->line, "bad patience '0'");
    rd_lines_end(in);
}

static void read_head(struct rd_lines *in, struct rd_schedule *s) {
    rd_lines_expect_line(in, "raddle-schedule");
    rd_lines_number(in, "version", UINT32_MAX);
    rd_lines_end(in);
    s->program = line_quoted(in, "program");
    rd_lines_expect_line(in, "build-id");
    s->build_id_size = build_id(in, s->build_id);
    rd_lines_end(in);
    s->cwd = line_quoted(in, "cwd");
    read_args(in, s);
    read_rules(in, s);
    read_points(in, s);
    s->seed = line_number(in, "seed", UINT64_MAX);
    rd_lines_expect_line(in, "expect-status");
    s->expect_status = rd_lines_integer(in, "expect-status");
    rd_lines_end(in);
    s->spurious = (uint32_t)line_number(in, "spurious", UINT32_MAX);
    s->timeouts = (uint32_t)line_number(in, "timeouts", UINT32_MAX);
    s->signal_fifo = (uint32_t)line_number(in, "signal-fifo", UINT32_MAX);
    s->steps_max = (uint32_t)line_number(in, "steps-max", UINT32_MAX);
    rd_lines_expect_line(in, "fair-after");
    s->fair_after = (uint32_t)rd_lines_number(in, "fair-after", UINT32_MAX);
    s->yields = rd_lines_is(in, "yields") ? (uint32_t)rd_lines_number(in, "yields", UINT32_MAX) : 1;
    s->heap = rd_lines_is(in, "heap") ? (uint32_t)rd_lines_number(in, "heap", RD_HEAP_KNOWN) : RD_HEAP_ON;
    s->separate = rd_lines_is(in, "separate") ? (uint32_t)rd_lines_number(in, "separate", 1) : 0;
    rd_lines_end(in);
}

/* Reads the lines of modules and makes the line after them current. */
static void read_modules(struct rd_lines *in, struct rd_schedule *s) {
    s->modules = calloc(RD_MODULES_MAX, sizeof *s->modules);
    if (!s->modules) {
        rd_lines_fail(in, 0, "does not fit into memory");
        return;
    }
    bool more = rd_lines_next(in);
    for (; more && rd_lines_is(in, "module"); more = rd_lines_next(in)) {
        uint32_t i = (uint32_t)rd_lines_number(in, "module", RD_MODULES_MAX - 1);
        if (!in->failed && i < s->module_count)
            rd_lines_fail(in, in->line, "module %u is out of order", i);
        if (in->failed)
            return;
        struct rd_module *m = &s->modules[i];
        rd_lines_quoted_into(in, m->path, sizeof m->path);
        m->build_id_size = build_id(in, m->build_id);
        if (!in->failed && m->path[0] == 0)
            rd_lines_fail(in, in->line, "module %u has no path", i);
        rd_lines_end(in);
        s->module_count = i + 1;
    }
}

static void read_finding_at(struct rd_lines *in, const struct rd_schedule *s, struct rd_finding *f) {
    rd_lines_expect_line(in, "finding-at");
    rd_lines_expect(in, "thread");
    const char *text = rd_lines_word(in);
    if (strcmp(text, "-") != 0)
        f->tid = (rd_tid)rd_lines_parse(in, text, "thread", 10, RD_TID_MAX - 1);
    rd_lines_expect(in, "signal");
    f->signal = rd_lines_integer(in, "signal");
    rd_lines_expect(in, "status");
    f->status = rd_lines_integer(in, "status");
    rd_lines_expect(in, "fault");
    text = rd_lines_word(in);
    f->fault_addr = RD_FAULT_UNKNOWN;
    if (strcmp(text, "-") != 0)
        f->fault_addr = rd_lines_parse(in, strncmp(text, "0x", 2) == 0 ? text + 2 : "", "fault", 16, UINT64_MAX);
    rd_lines_expect(in, "pc");
    f->pc = rd_parse_place(in, s, "pc");
    rd_lines_expect(in, "line");
    f->line = rd_lines_integer(in, "line");
    rd_lines_expect(in, "key");
    f->key = rd_lines_parse(in, rd_lines_word(in), "key", 16, UINT64_MAX);
    rd_lines_expect(in, "other");
    text = rd_lines_word(in);
    f->other_tid = RD_TID_NONE;
    if (strcmp(text, "-") != 0)
        f->other_tid = (rd_tid)rd_lines_parse(in, text, "thread", 10, RD_TID_MAX - 1);
    f->other_pc = rd_parse_place(in, s, "pc");
    if (rd_lines_is(in, "steps")) {
        f->step = (uint32_t)rd_lines_number(in, "step", UINT32_MAX);
        f->other_step = (uint32_t)rd_lines_number(in, "step", UINT32_MAX);
    }
    if (rd_lines_is(in, "circle"))
        f->circle_count = (uint32_t)rd_lines_number(in, "number of threads", RD_CIRCLE_MAX);
    for (uint32_t i = 0; i < f->circle_count; i++)
        f->circle[i] = (uint32_t)rd_lines_number(in, "step", UINT32_MAX);
    rd_lines_end(in);
}

/* Takes the first and last place of a piece of memory. Pieces are in ascending order: this one comes after
 * `before`. */
static void read_span(struct rd_lines *in, const struct rd_schedule *s, rd_place before, rd_place *first,
                      rd_place *last, const char *what) {
    *first = rd_parse_place(in, s, "place");
    *last = rd_parse_place(in, s, "place");
    if (!in->failed && (*last < *first || *first <= before || rd_place_region(*first) != rd_place_region(*last)))
        rd_lines_fail(in, in->line, "%s places are out of order", what);
    rd_lines_end(in);
}

/* Reads the lines of shared memory, from the current one on, and makes the line after them current. */
static void read_shared(struct rd_lines *in, struct rd_schedule *s) {
    for (; !in->failed && rd_schedule_lists_points(s) && rd_lines_is(in, "shared"); rd_lines_next(in)) {
        if (s->shared_count == RD_SHARING_LOG)
            rd_lines_fail(in, in->line, "too many shared places");
        s->shared = rd_parse_grow(in, s->shared, s->shared_count, sizeof *s->shared);
        struct rd_shared e = {.version = 1};
        read_span(in, s, s->shared_count ? s->shared[s->shared_count - 1].last : 0, &e.first, &e.last, "shared");
        if (!in->failed)
            s->shared[s->shared_count++] = e;
    }
}

/* Reads the lines of tracked memory, from the current one on, and makes the line after them current. */
static void read_watch(struct rd_lines *in, struct rd_schedule *s) {
    if (in->failed || !rd_lines_is(in, "watch"))
        return;
    const char *text = rd_lines_word(in);
    for (s->access_points = 1;
         s->access_points < RD_ACCESSES_COUNT && strcmp(text, rd_schedule_watches[s->access_points]) != 0;)
        s->access_points++;
    if (s->access_points == RD_ACCESSES_COUNT)
        rd_lines_fail(in, in->line, "bad watch '%s'", text);
    rd_lines_end(in);
    while (rd_lines_next(in) && rd_lines_is(in, "track")) {
        if (s->track_count == RD_TRACKS_MAX)
            rd_lines_fail(in, in->line, "too many tracked places");
        s->track = rd_parse_grow(in, s->track, s->track_count, sizeof *s->track);
        struct rd_track t = {0};
        read_span(in, s, s->track_count ? s->track[s->track_count - 1].last : 0, &t.first, &t.last, "tracked");
        if (!in->failed)
            s->track[s->track_count++] = t;
    }
}

/* Reads the finding, from the current line on. Its thread is checked later, when the threads are known. */
static void read_finding(struct rd_lines *in, struct rd_schedule *s) {
    struct rd_finding *f = &s->finding;
    f->tid = RD_TID_NONE;
    rd_lines_expect(in, "finding");
    const char *kind = rd_lines_word(in);
    f->kind = rd_finding_by_name(kind);
    if (f->kind >= RD_FINDING_KINDS)
        rd_lines_fail(in, in->line, "unknown kind of finding '%s'", kind);
    rd_lines_end(in);
    if (in->failed || f->kind == RD_NO_FINDING)
        return;
    read_finding_at(in, s, f);
    line_quoted_into(in, "message", f->message, sizeof f->message);
    line_quoted_into(in, "file", f->file, sizeof f->file);
    line_quoted_into(in, "function", f->function, sizeof f->function);
}

/* Reads the allocation or the free of a block: thread, place and stack. */
static void read_block_end(struct rd_lines *in, const struct rd_schedule *s, const char *word, rd_tid *tid,
                           rd_place *pc, rd_place *stack) {
    rd_lines_expect(in, word);
    *tid = (rd_tid)rd_lines_number(in, "thread", RD_TID_MAX - 1);
    *pc = rd_parse_place(in, s, "pc");
    uint64_t n = rd_lines_number(in, "length of a stack", RD_HEAP_STACK);
    for (uint64_t i = 0; i < n && !in->failed; i++)
        stack[i] = rd_parse_place(in, s, "pc");
}

/* Reads the facts about the block of a finding of the heap. */
static void read_block(struct rd_lines *in, struct rd_schedule *s) {
    struct rd_heap_fact *h = &s->finding.heap;
    h->block = rd_parse_place(in, s, "place");
    h->size = rd_lines_number(in, "size", UINT64_MAX);
    h->offset = rd_lines_integer(in, "offset");
    h->count = (uint32_t)rd_lines_number(in, "count", UINT32_MAX);
    read_block_end(in, s, "made", &h->made_tid, &h->made_pc, h->made);
    read_block_end(in, s, "freed", &h->freed_tid, &h->freed_pc, h->freed);
    rd_lines_end(in);
}

static void read_thread(struct rd_lines *in, struct rd_schedule *s) {
    uint32_t i = (uint32_t)rd_lines_number(in, "thread", UINT32_MAX);
    if (!in->failed && i != s->thread_count)
        rd_lines_fail(in, in->line, "thread %u is out of order", i);
    if (!in->failed && i >= RD_TID_MAX)
        rd_lines_fail(in, in->line, "too many threads");
    s->threads = rd_parse_grow(in, s->threads, s->thread_count, sizeof *s->threads);
    struct rd_thread_info t = {.parent = RD_TID_NONE, .holder = RD_TID_NONE};
    rd_lines_expect(in, "parent");
    if (i == 0)
        rd_lines_expect(in, "-");
    else
        t.parent = rd_parse_thread(in, s, "parent", false);
    rd_lines_expect(in, "child");
    t.ordinal = (uint16_t)rd_lines_number(in, "child", UINT16_MAX);
    if (rd_lines_is(in, "name"))
        rd_lines_quoted_into(in, t.name, sizeof t.name);
    for (uint32_t k = 1; k < s->thread_count && !in->failed; k++)
        if (s->threads[k].parent == t.parent && s->threads[k].ordinal == t.ordinal)
            rd_lines_fail(in, in->line, "thread %u is the same as thread %u", i, k);
    rd_lines_end(in);
    if (!in->failed)
        s->threads[s->thread_count++] = t;
}

/* Reads the rest of the finding and the threads, from the next line on, and makes the line after them current. */
static void read_threads(struct rd_lines *in, struct rd_schedule *s) {
    bool more = rd_lines_next(in);
    if (more && rd_lines_is(in, "block")) {
        read_block(in, s);
        more = rd_lines_next(in);
    }
    if (more && rd_lines_is(in, "data")) {
        s->finding.data = rd_parse_place(in, s, "place");
        s->finding.data_writes =
            (uint32_t)rd_lines_number(in, "writers", RD_RACE_FIRST_WRITES | RD_RACE_SECOND_WRITES);
        rd_lines_end(in);
        more = rd_lines_next(in);
    }
    if (more)
        more = rd_parse_why(in, s);
    for (; more && rd_lines_is(in, "thread"); more = rd_lines_next(in))
        read_thread(in, s);
    if (!in->failed && s->thread_count == 0)
        rd_lines_fail(in, in->line, "expected a thread");
    if (!in->failed && s->finding.tid != RD_TID_NONE && s->finding.tid >= s->thread_count)
        rd_lines_fail(in, 0, "is damaged: its finding is in thread %u of %u", s->finding.tid, s->thread_count);
}

int rd_schedule_read(struct rd_schedule *s, const char *path, struct rd_error *error) {
    struct rd_lines in;
    memset(s, 0, sizeof *s);
    if (!rd_lines_load(&in, path, error))
        return -1;
    check_shape(&in);
    if (!in.failed)
        read_head(&in, s);
    read_modules(&in, s);
    rd_parse_sources(&in, s);
    read_shared(&in, s);
    read_watch(&in, s);
    rd_parse_names(&in, s);
    read_finding(&in, s);
    read_threads(&in, s);
    rd_parse_execution(&in, s);
    rd_parse_why_fits(&in, s);
    rd_lines_free(&in);
    RD_ASSERT(in.failed || rd_schedule_is_sound(s));
    if (in.failed)
        rd_schedule_free(s);
    return in.failed ? -1 : 0;
}
